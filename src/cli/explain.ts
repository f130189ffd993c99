import type { CommanderError } from 'commander';
import { AssayError, type ErrorResult } from '../core/index.ts';
import { printable } from '../sandbox/index.ts';
import { machineError } from '../store/index.ts';
import { interruptedResult } from './early-interrupt.ts';
import { type ExitCode, exitCodeOfError, exitCodes } from './exit-codes.ts';
import type { OfRun } from './of-run.ts';
import { inert, oneLine } from './one-line.ts';
import type { Terminal } from './terminal.ts';

/** `of`: the run it happened to, if any. */
export type ExplainOptions = { terminal: Terminal; json: boolean; of: OfRun | null };

/**
 * What went wrong, why, what now: a sentence each on stderr, and with `--json` one object on stdout. A stack trace is
 * shown for a bug of assay only.
 */
export function explain(error: unknown, { terminal, json, of }: ExplainOptions): ExitCode {
  const known = knownOf(error);
  const because = known.because === undefined ? '' : `\n  because: ${indented(known.because)}`;
  terminal.say(`assay: ${oneLine(sentence(known.message))}${because}\n  fix: ${indented(known.fix)}`);
  // What the machine lacked can be mended; a run that is cut goes on then.
  if (of?.cut && (known.code === 'environment' || known.code === 'provider'))
    terminal.say(`  then: assay resume ${of.run}`);
  if (json) terminal.result(JSON.stringify(errorResultOf(error, of)));
  return exitCodeOfError(known.code);
}

const knownOf = (error: unknown) => (AssayError.is(error) ? error : (machineError(error) ?? bug(error)));

/** The same as an object. */
export function errorResultOf(error: unknown, of: OfRun | null): ErrorResult {
  const { code, message, because = null, fix } = knownOf(error);
  const run = of?.run ?? null;
  return { schema: 'assay-error/1', status: 'error', run, error: { code, message, because, fix } };
}

/** Ctrl-C before there was a result to print. */
export function explainInterrupt({ terminal, json, of }: ExplainOptions): ExitCode {
  const fix = of === null ? 'start it again' : `assay resume ${of.run}`;
  terminal.say(of === null ? 'assay: interrupted' : `assay: interrupted; go on with: ${fix}`);
  if (json) terminal.result(JSON.stringify(interruptedResult({ run: of?.run ?? null, fix })));
  return exitCodes.interrupted;
}

/** commander has said it on stderr. */
export function explainUsage(error: CommanderError, { terminal, json }: ExplainOptions): ExitCode {
  if (json) {
    const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
    const fix = 'assay --help, or assay COMMAND --help, lists what there is';
    const usage = { code: 'usage', message, because: null, fix } as const;
    const result: ErrorResult = { schema: 'assay-error/1', status: 'error', run: null, error: usage };
    terminal.result(JSON.stringify(result));
  }
  return exitCodes.usage;
}

function bug(error: unknown): AssayError {
  return new AssayError({
    code: 'internal',
    message: 'This is a bug in assay itself',
    because: error instanceof Error ? (error.stack ?? error.message) : String(error),
    fix: 'report it with what you ran',
    cause: error,
  });
}

/** The rooms begin with a capital or not, and end with a full stop or not; names of files stay as they are. */
function sentence(text: string): string {
  const begun = /^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?:]$/.test(begun) ? begun : `${begun}.`;
}

const indented = (text: string) =>
  inert(printable(cut(text)))
    .trimEnd()
    .replaceAll('\n', '\n    ');

/** A set-up command's output or the trace of a bug is worth that much. */
const cut = (text: string) => (text.length > 20_000 ? `${text.slice(0, 20_000)}…` : text);
