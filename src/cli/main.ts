#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { CommanderError } from 'commander';
import { AssayError, type Clock } from '../core/index.ts';
import { printable } from '../sandbox/index.ts';
import { openStore, type Store } from '../store/index.ts';
import type { CliContext } from './context.ts';
import { type ExitCode, exitCodeOfError, exitCodes } from './exit-codes.ts';
import { buildProgram } from './program.ts';
import { openTerminal, type Terminal } from './terminal.ts';

const systemClock: Clock = { monotonicMs: () => performance.now(), now: () => new Date() };

/** The first Ctrl-C stops the run in good order; the second one ends the process at once. */
function abortOnInterrupt(terminal: Terminal): AbortSignal {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    terminal.say(
      `${name === 'SIGINT' ? 'interrupted' : 'asked to end'}: stopping in good order (once more: at once)`,
    );
    controller.abort(new AssayError({ code: 'environment', message: 'interrupted', fix: 'run it again' }));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', onSignal);
  return controller.signal;
}

function makeContext(terminal: Terminal, signal: AbortSignal): CliContext {
  let store: Store | undefined;
  return {
    terminal,
    env: process.env,
    cwd: process.cwd(),
    signal,
    clock: systemClock,
    store: () => {
      store ??= openStore({ env: process.env });
      return store;
    },
    version: (
      JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
    ).version,
    readStdin: () => text(process.stdin),
  };
}

/** What went wrong, why, what now; never a stack trace for what the user can act on. */
function explain(terminal: Terminal, error: unknown, json: boolean): ExitCode {
  if (AssayError.is(error)) {
    const because = error.because === undefined ? '' : `\n  because: ${printable(error.because)}`;
    terminal.say(`assay: ${printable(error.message)}${because}\n  fix: ${printable(error.fix)}`);
    if (json) {
      const { code, message, because: cause, fix } = error;
      terminal.result(
        JSON.stringify({
          schema: 'assay-error/1',
          status: 'error',
          error: { code, message, because: cause ?? null, fix },
        }),
      );
    }
    return exitCodeOfError(error.code);
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  terminal.say(
    `assay: a bug in assay itself\n${printable(detail)}\n  fix: please report this, with what you ran`,
  );
  return exitCodes.error;
}

async function main(argv: string[]): Promise<ExitCode> {
  const terminal = openTerminal({ stdout: process.stdout, stderr: process.stderr, env: process.env });
  const signal = abortOnInterrupt(terminal);
  let code: ExitCode = exitCodes.ok;
  const program = buildProgram(makeContext(terminal, signal), (finished) => {
    code = finished;
  });
  for (const command of [program, ...program.commands, ...program.commands.flatMap((each) => each.commands)])
    command.exitOverride();
  try {
    await program.parseAsync(argv);
    return code;
  } catch (error) {
    // commander has printed its own message; help and --version end with 0, everything else is wrong usage.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    if (signal.aborted) {
      terminal.say('assay: interrupted');
      return exitCodes.interrupted;
    }
    return explain(terminal, error, argv.includes('--json'));
  }
}

// A closed pipe (`assay runs | head`) is the reader's choice, not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok);
  throw error;
});

process.exitCode = await main(process.argv);
