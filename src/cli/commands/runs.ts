import { AssayError } from '../../core/index.ts';
import type { RunSummary } from '../../store/index.ts';
import type { CliContext } from '../context.ts';
import { cutTo } from '../cut-to.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { OfRun } from '../of-run.ts';
import { oneLine } from '../one-line.ts';
import { readResult } from '../read-run.ts';
import { readAnalysis } from '../solve-read.ts';
import { solveLabel } from '../solve-render.ts';
import { statusLabel } from '../status-label.ts';
import { storeOf } from '../store-of.ts';

/** `assay runs`: the runs there are, newest first. */
export async function runsCommand(context: CliContext, options: { json?: boolean }): Promise<ExitCode> {
  const { terminal } = context;
  const runs = await Promise.all(
    storeOf(context)
      .list()
      .map((run) => describe(context, run)),
  );
  if (options.json) {
    terminal.result(JSON.stringify({ schema: 'assay-runs/1', runs }));
    return exitCodes.ok;
  }
  if (runs.length === 0) {
    terminal.say(
      `no runs yet in ${storeOf(context).runsDir}; \`assay fix DIR\` or \`assay solve TASK.md\` makes one`,
    );
    return exitCodes.ok;
  }
  const width = Math.max(...runs.map((run) => run.id.length));
  const labels = runs.map((run) => labelOf(run));
  const status = Math.max(...labels.map((label) => label.length));
  for (const [at, run] of runs.entries()) {
    const age = ageOf(run.createdAt, context.clock.now());
    const label = labels[at] ?? run.status;
    const then = run.resumable ? `  (assay resume ${run.id} goes on with it)` : '';
    terminal.result(
      `${run.id.padEnd(width)}  ${label.padEnd(status)}  ${age.padStart(8)}  ${oneLine(run.about)}${then}`,
    );
  }
  return exitCodes.ok;
}

async function describe(context: CliContext, run: RunSummary) {
  const { id, dir, createdAt, live } = run;
  const shared = { id, dir, createdAt, live, kind: run.info?.kind ?? null };
  if (run.info === null)
    return { ...shared, status: 'unreadable', about: run.problem ?? '', resumable: false };
  const about = aboutOf(run.info.spec as { dir?: unknown; task?: unknown });
  if (run.live) return { ...shared, status: 'running', about, resumable: false };
  try {
    if (run.info.kind === 'solve') {
      const { result, resumable } = readAnalysis(context, run.id);
      return { ...shared, status: result.status, about, resumable };
    }
    const { result, state } = await readResult(context, run.id);
    const resumable = state.phase.at !== 'ended';
    return { ...shared, status: result.status, about, resumable };
  } catch (error) {
    const cause = error instanceof OfRun ? error.cause : error;
    if (!AssayError.is(cause)) throw error;
    return { ...shared, status: 'unreadable', about: cause.message, resumable: false };
  }
}

/** The folder that is repaired, or the first line of a task. */
function aboutOf({ dir, task }: { dir?: unknown; task?: unknown }): string {
  if (typeof dir === 'string') return dir;
  const line = typeof task === 'string' ? task.split('\n').find((each) => /[^#\s]/.test(each)) : undefined;
  return cutTo((line ?? '').replace(/^#+\s*/, '').trim(), 72);
}

function labelOf(run: { kind: string | null; status: string; resumable: boolean }): string {
  return (run.kind === 'solve' ? solveLabel(run.status) : statusLabel(run, run)).label;
}

function ageOf(then: Date, now: Date): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - then.getTime()) / 60_000));
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 60 * 24) return `${Math.floor(minutes / 60)} h`;
  return `${Math.floor(minutes / (60 * 24))} days`;
}

export type PruneCliOptions = { keep?: number; olderThan?: number; maxSize?: number; json?: boolean };

/** `assay runs prune`: removes old runs, never one that is going on. */
export async function pruneCommand(context: CliContext, options: PruneCliOptions): Promise<ExitCode> {
  const { keep, olderThan, maxSize } = options;
  if (keep === undefined && olderThan === undefined && maxSize === undefined) {
    throw new AssayError({
      code: 'usage',
      message: 'Prune which runs?',
      fix: 'give --keep N, --older-than DAYS or --max-size SIZE, e.g. assay runs prune --keep 20',
    });
  }
  const pruned = storeOf(context).prune({
    ...(keep === undefined ? {} : { keep }),
    ...(olderThan === undefined ? {} : { olderThanDays: olderThan }),
    ...(maxSize === undefined ? {} : { maxBytes: maxSize }),
  });
  if (options.json) {
    context.terminal.result(JSON.stringify({ schema: 'assay-prune/1', ...pruned }));
    return exitCodes.ok;
  }
  for (const id of pruned.removed) context.terminal.result(id);
  const megabytes = (pruned.freedBytes / 2 ** 20).toFixed(1);
  const runs = pruned.removed.length === 1 ? '1 run' : `${pruned.removed.length} runs`;
  const going = pruned.live.length > 0 ? `; ${pruned.live.length} still going on, left alone` : '';
  context.terminal.say(`removed ${runs}, ${megabytes} MiB${going}`);
  return exitCodes.ok;
}
