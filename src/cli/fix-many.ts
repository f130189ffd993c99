import path from 'node:path';
import { AssayError, type ErrorResult, type RepairResult } from '../core/index.ts';
import type { CliContext } from './context.ts';
import { type ExitCode, exitCodes, worstOf } from './exit-codes.ts';
import { errorResultOf, explain } from './explain.ts';
import type { FixCliOptions } from './fix-options.ts';
import { OfRun } from './of-run.ts';
import { oneLine } from './one-line.ts';
import type { OutputOptions, Performed } from './perform-run.ts';
import { type PreparedRun, prepareRun } from './start-run.ts';

type FixOne = (
  context: CliContext,
  prepared: PreparedRun,
  output: OutputOptions,
  emit: (result: RepairResult) => void,
) => Promise<Performed>;

/** One folder of the row and what came of it. */
type Outcome = { project: string; exit: ExitCode; result: RepairResult | ErrorResult };

/**
 * `assay fix A B ...`: one run for each folder, in order. The first that is not done stops the row, or with
 * `--keep-going` none does. What is wrong with any of them is said before the first begins.
 */
export async function fixMany(
  context: CliContext,
  { dirs, options, fix }: { dirs: readonly string[]; options: FixCliOptions; fix: FixOne },
): Promise<ExitCode> {
  if (options.record !== undefined) throw oneRecording();
  const prepared: PreparedRun[] = [];
  for (const dir of dirs) prepared.push(await prepareRun(context, dir, options));
  const outcomes: Outcome[] = [];
  for (const each of prepared) {
    const name = nameOf(context, each.spec.dir);
    showHeading(context, name, options);
    const outcome = await tryOne(context, each, { options, fix });
    outcomes.push(outcome);
    if (outcome.exit === exitCodes.interrupted) break;
    if (outcome.exit !== exitCodes.ok && options.keepGoing !== true) break;
  }
  const notRun = prepared.slice(outcomes.length).map(({ spec }) => spec.dir);
  const exit = worstOf(outcomes.map((outcome) => outcome.exit));
  summarise(context, { outcomes, notRun, exit, json: options.json === true });
  return exit;
}

/** Above what is shown of a run, on the stream that a person reads. */
function showHeading({ terminal }: CliContext, name: string, { json, events }: FixCliOptions): void {
  if (json || events) terminal.say(terminal.paintProgress('bold', `\n${name}`));
  else terminal.result(terminal.paint('bold', `\n${name}`));
}

async function tryOne(
  context: CliContext,
  prepared: PreparedRun,
  { options, fix }: { options: FixCliOptions; fix: FixOne },
): Promise<Outcome> {
  const project = prepared.spec.dir;
  try {
    const { result, code } = await fix(context, prepared, options, () => {});
    return { project, exit: code, result };
  } catch (thrown) {
    if (context.signal.aborted) throw thrown;
    const of = thrown instanceof OfRun ? thrown : null;
    const error = of === null ? thrown : of.cause;
    const exit = explain(error, { terminal: context.terminal, json: false, of });
    return { project, exit, result: errorResultOf(error, of) };
  }
}

type Summary = { outcomes: readonly Outcome[]; notRun: readonly string[]; exit: ExitCode; json: boolean };

function summarise(context: CliContext, { outcomes, notRun, exit, json }: Summary): void {
  const { terminal } = context;
  const rows = [
    ...outcomes.map(({ project, result }) => ({ project, status: result.status, reason: reasonOf(result) })),
    ...notRun.map((project) => ({
      project,
      status: 'not run',
      reason: 'the one before was not done; --keep-going tries all',
    })),
  ];
  const width = Math.max(...rows.map(({ status }) => status.length));
  const lines = rows.map(
    ({ project, status, reason }) =>
      `${status.padEnd(width)}  ${nameOf(context, project)}: ${oneLine(reason)}`,
  );
  const say = json ? (line: string) => terminal.say(line) : (line: string) => terminal.result(line);
  say('');
  for (const line of lines) say(line);
  if (json) terminal.result(JSON.stringify({ schema: 'assay-fix-many/1', exit, runs: outcomes, notRun }));
}

const reasonOf = (result: RepairResult | ErrorResult) =>
  'error' in result ? result.error.message : result.reason;

/** As short as it can be said from here. */
function nameOf({ cwd }: CliContext, dir: string): string {
  const relative = path.relative(cwd, dir) || '.';
  return oneLine(relative.startsWith('..') ? dir : relative);
}

const oneRecording = () =>
  new AssayError({
    code: 'usage',
    message: '--record is of one run, and there are several folders',
    fix: 'record each folder by itself',
  });
