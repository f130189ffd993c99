import path from 'node:path';
import { AssayError, type ErrorResult, type RepairResult, type RepairSpec } from '../core/index.ts';
import { statFolder } from '../lab/index.ts';
import { readUserConfig } from './config/index.ts';
import type { CliContext } from './context.ts';
import { type ExitCode, exitCodes, worstOf } from './exit-codes.ts';
import { errorResultOf, explain } from './explain.ts';
import type { FixCliOptions } from './fix-options.ts';
import { OfRun } from './of-run.ts';
import { oneLine } from './one-line.ts';
import type { OutputOptions, Performed } from './perform-run.ts';
import { limitsAfter, type SharedLimits, type Spent, spentAfter } from './shared-limits.ts';
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
 * `--keep-going` none does. What is wrong with any of them is said before the first begins. Limits on tokens and cost
 * that the user gave hold for all of them together.
 */
export async function fixMany(
  context: CliContext,
  { dirs, options, fix }: { dirs: readonly string[]; options: FixCliOptions; fix: FixOne },
): Promise<ExitCode> {
  if (options.record !== undefined) throw oneRecording();
  const folders: Folder[] = [];
  for (const dir of dirs) folders.push(await prepareOne(context, dir, options));
  const shared = { ...limitsOf(readUserConfig(context.env)), ...limitsOf(options) };
  const outcomes: Outcome[] = [];
  let spent: Spent = { tokens: 0, costUsd: 0 };
  let isUsedUp = false;
  let why = 'the one before was not done; --keep-going tries all';
  for (const each of folders) {
    const limits = each.prepared === null ? null : limitsAfter(each.prepared.spec.limits, shared, spent);
    if (each.prepared !== null && limits === null) {
      isUsedUp = true;
      why = 'what the command may use is used up; run the rest with a limit of their own';
      break;
    }
    showHeading(context, nameOf(context, each.project), options);
    const outcome = await tryOne(context, within(each, limits), { options, fix });
    outcomes.push(outcome);
    spent = spentAfter(spent, outcome.result);
    if (outcome.exit === exitCodes.interrupted) break;
    if (outcome.exit !== exitCodes.ok && options.keepGoing !== true) break;
  }
  const notRun = folders.slice(outcomes.length).map(({ project }) => project);
  const used = notRun.length > 0 && isUsedUp ? [exitCodes.budget] : [];
  const exit = worstOf([...outcomes.map((outcome) => outcome.exit), ...used]);
  summarise(context, { outcomes, notRun, why, exit, json: options.json === true });
  return exit;
}

/** A folder that is to be fixed; `error`: why it cannot be. */
type Folder = { project: string } & ({ prepared: PreparedRun } | { prepared: null; error: unknown });

/** With `--keep-going` a folder that is not there is one end among the others; what is wrong else is said at once. */
async function prepareOne(context: CliContext, dir: string, options: FixCliOptions): Promise<Folder> {
  const project = path.resolve(context.cwd, dir);
  try {
    const prepared = await prepareRun(context, dir, options);
    return { project: prepared.spec.dir, prepared };
  } catch (error) {
    const missing = dir !== '' && statFolder(project)?.isDirectory() !== true;
    if (missing && options.keepGoing === true) return { project, prepared: null, error };
    throw error;
  }
}

const limitsOf = ({ maxTokens, maxCost }: SharedLimits): SharedLimits => ({
  ...(maxTokens !== undefined && { maxTokens }),
  ...(maxCost !== undefined && { maxCost }),
});

function within(folder: Folder, limits: RepairSpec['limits'] | null): Folder {
  if (folder.prepared === null || limits === null) return folder;
  const { spec, proposers } = folder.prepared;
  return { ...folder, prepared: { spec: { ...spec, limits }, proposers } };
}

/** Above what is shown of a run, on the stream that a person reads. */
function showHeading({ terminal }: CliContext, name: string, { json, events }: FixCliOptions): void {
  if (json || events) terminal.say(terminal.paintProgress('bold', `\n${name}`));
  else terminal.result(terminal.paint('bold', `\n${name}`));
}

async function tryOne(
  context: CliContext,
  folder: Folder,
  { options, fix }: { options: FixCliOptions; fix: FixOne },
): Promise<Outcome> {
  const { project } = folder;
  try {
    if (folder.prepared === null) throw folder.error;
    const { result, code } = await fix(context, folder.prepared, options, () => {});
    return { project, exit: code, result };
  } catch (thrown) {
    if (context.signal.aborted) throw thrown;
    const of = thrown instanceof OfRun ? thrown : null;
    const error = of === null ? thrown : of.cause;
    const exit = explain(error, { terminal: context.terminal, json: false, of });
    return { project, exit, result: errorResultOf(error, of) };
  }
}

type Summary = {
  outcomes: readonly Outcome[];
  notRun: readonly string[];
  why: string;
  exit: ExitCode;
  json: boolean;
};

function summarise(context: CliContext, { outcomes, notRun, why, exit, json }: Summary): void {
  const { terminal } = context;
  const rows = [
    ...outcomes.map(({ project, result }) => ({ project, status: result.status, reason: reasonOf(result) })),
    ...notRun.map((project) => ({ project, status: 'not run', reason: why })),
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
