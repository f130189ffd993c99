import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import type { CliContext } from './context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { watchInterrupts } from './interrupts.ts';
import { OfRun } from './of-run.ts';
import { buildProgram } from './program.ts';
import { openTerminal } from './terminal.ts';

function makeContext(): CliContext {
  const { stdout, stderr, stdin, env } = process;
  const terminal = openTerminal({ stdout, stderr, env });
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const signal = watchInterrupts(terminal, { json: process.argv.includes('--json') });
  return {
    terminal,
    env,
    cwd: currentFolder(),
    signal,
    clock: { monotonicMs: () => performance.now(), now: () => new Date() },
    version: (JSON.parse(manifest) as { version: string }).version,
    stdin,
    readStdin: async (maxBytes) => (await import('./stdin.ts')).readStdin({ stdin, maxBytes, signal }),
  };
}

/** A shell may stand in a folder that was removed: what is looked for there is then simply not found. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD ?? '/';
  }
}

/** Runs one command line to its end; `release`: called when interrupts are watched by the command itself. */
export async function runProgram(argv: string[], release: () => void): Promise<ExitCode> {
  const context = makeContext();
  release();
  const { terminal, signal } = context;
  let code: ExitCode = exitCodes.ok;
  const program = buildProgram(context, (finished) => {
    code = finished;
  });
  for (const command of [program, ...program.commands, ...program.commands.flatMap((each) => each.commands)])
    command.exitOverride();
  try {
    await program.parseAsync(argv);
    return code;
  } catch (thrown) {
    // Help and --version end so: commander has printed them.
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return exitCodes.ok;
    terminal.clear();
    const { explain, explainInterrupt, explainUsage } = await import('./explain.ts');
    const of = thrown instanceof OfRun ? thrown : null;
    const error = of === null ? thrown : of.cause;
    const options = { terminal, json: argv.includes('--json'), of };
    if (error instanceof CommanderError) return explainUsage(error, options);
    return signal.aborted ? explainInterrupt(options) : explain(error, options);
  }
}
