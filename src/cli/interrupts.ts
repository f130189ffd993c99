import { interruptedResult, interruptSignals, tell } from './early-interrupt.ts';
import { exitCodes } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

const goOn = 'assay runs lists the run, if it had begun; assay resume goes on with it';

/**
 * Aborts when the command should end in good order: at the first Ctrl-C, and when nobody reads its output any more
 * (`assay fix --events | head -1`). A second Ctrl-C ends the process at once, and the kernel its sandboxes with it; with
 * `--json` it prints that it was interrupted.
 * Commands that only print (`assay runs | head -1`) do not listen and end as they are.
 */
export function watchInterrupts(terminal: Terminal, { json }: { json: boolean }): AbortSignal {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) {
      terminal.clear();
      // Where a result is out already there is one object, and nothing is added to it.
      if (json && !terminal.hasResult()) tell(1, JSON.stringify(interruptedResult({ run: null, fix: goOn })));
      process.exit(exitCodes.interrupted);
    }
    const what = name === 'SIGINT' ? 'interrupted' : 'asked to end';
    terminal.say(`${what}: stopping in good order (once more: at once)`);
    controller.abort(new Error('interrupted'));
  };
  for (const name of interruptSignals) process.on(name, onSignal);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // EIO: the terminal was closed.
    if (error.code === 'EPIPE' || error.code === 'EIO') controller.abort(new Error('interrupted'));
    else lost(terminal, error);
  });
  // Without a reader of the progress the result is still worth having.
  process.stderr.on('error', () => {});
  return controller.signal;
}

/** Standard output goes to a file on a full disk, or the like. */
function lost(terminal: Terminal, { message }: Error): never {
  terminal.say(`assay: The output cannot be written.\n  because: ${message}`);
  terminal.say('  fix: send it to another place; assay show prints the result of a run again');
  process.exit(exitCodes.environment);
}
