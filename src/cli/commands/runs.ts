import { AssayError } from '../../core/index.ts';
import { printable } from '../../sandbox/index.ts';
import type { RunSummary } from '../../store/index.ts';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { OfRun } from '../of-run.ts';
import { readResult } from '../read-run.ts';
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
    terminal.say(`no runs yet in ${storeOf(context).runsDir}; \`assay fix DIR\` makes one`);
    return exitCodes.ok;
  }
  const width = Math.max(...runs.map((run) => run.id.length));
  const labels = runs.map((run) => statusLabel(run, run).label);
  const status = Math.max(...labels.map((label) => label.length));
  for (const [at, run] of runs.entries()) {
    const age = ageOf(run.createdAt, context.clock.now());
    const label = labels[at] ?? run.status;
    const then = run.resumable ? `  (assay resume ${run.id} goes on with it)` : '';
    terminal.result(
      `${run.id.padEnd(width)}  ${label.padEnd(status)}  ${age.padStart(8)}  ${printable(run.about)}${then}`,
    );
  }
  return exitCodes.ok;
}

async function describe(context: CliContext, run: RunSummary) {
  const shared = { id: run.id, dir: run.dir, createdAt: run.createdAt, live: run.live };
  if (run.info === null)
    return { ...shared, status: 'unreadable', about: run.problem ?? '', resumable: false };
  const spec = run.info.spec as { dir?: unknown };
  const about = typeof spec.dir === 'string' ? spec.dir : '';
  if (run.live) return { ...shared, status: 'running', about, resumable: false };
  try {
    const { result, state } = await readResult(context, run.id);
    const resumable = state.phase.at !== 'ended';
    return { ...shared, status: result.status, about, resumable };
  } catch (error) {
    const cause = error instanceof OfRun ? error.cause : error;
    if (!AssayError.is(cause)) throw error;
    return { ...shared, status: 'unreadable', about: cause.message, resumable: false };
  }
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
