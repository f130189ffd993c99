import { existsSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { AssayError } from '../core/index.ts';
import { onDisk } from './disk-error.ts';
import { acquireLock } from './lock.ts';

export type PruneOptions = {
  /** Keep the newest so many runs, whatever the other limits say; given alone, remove all others. */
  keep?: number;
  /** Remove runs older than this. */
  olderThanDays?: number;
  /** Remove the oldest runs until all together take no more bytes than this. */
  maxBytes?: number;
};

export type Pruned = {
  /** Ids, oldest first. */
  removed: string[];
  freedBytes: number;
  /** Runs that a process writes to now: never removed. */
  live: string[];
  keptBytes: number;
};

type Candidate = { id: string; dir: string; createdAt: Date; live: boolean };
type Sized = Candidate & { bytes: number };

const dayMs = 24 * 60 * 60 * 1000;
const trashPrefix = '.trash-';

/** Which runs go, oldest first. Pure. `runs` come newest first. */
export function choosePruned(runs: readonly Sized[], options: PruneOptions, now: Date): Sized[] {
  const { keep, olderThanDays, maxBytes } = options;
  const spare = runs.slice(keep ?? 0).filter((run) => !run.live);
  const onlyKeep = keep !== undefined && olderThanDays === undefined && maxBytes === undefined;
  const cutoff =
    olderThanDays === undefined ? Number.NEGATIVE_INFINITY : now.getTime() - olderThanDays * dayMs;
  const chosen = new Set(spare.filter((run) => onlyKeep || run.createdAt.getTime() < cutoff));
  let total = runs.filter((run) => !chosen.has(run)).reduce((sum, run) => sum + run.bytes, 0);
  for (const run of spare.toReversed()) {
    if (maxBytes === undefined || total <= maxBytes) break;
    if (chosen.has(run)) continue;
    chosen.add(run);
    total -= run.bytes;
  }
  return spare.toReversed().filter((run) => chosen.has(run));
}

/** Removes runs for good, and what an interrupted removal or creation left behind. */
export function prune(
  runsDir: string,
  runs: readonly Candidate[],
  { options, now }: { options: PruneOptions; now: Date },
): Pruned {
  if (!existsSync(runsDir)) return { removed: [], freedBytes: 0, live: [], keptBytes: 0 };
  return onDisk({ doing: 'remove old runs', path: runsDir }, () => {
    const sized = runs.map((run) => ({ ...run, bytes: sizeOf(run.dir) }));
    const removed = choosePruned(sized, options, now).filter((run) => removeRun(runsDir, run));
    const gone = new Set(removed);
    const kept = sized.filter((run) => !gone.has(run));
    sweep(runsDir, now);
    return {
      removed: removed.map((run) => run.id),
      freedBytes: removed.reduce((sum, run) => sum + run.bytes, 0),
      live: kept.filter((run) => run.live).map((run) => run.id),
      keptBytes: kept.reduce((sum, run) => sum + run.bytes, 0),
    };
  });
}

/** False where a process took the run up in the meantime. Half a run is never listed: it is renamed away first. */
function removeRun(runsDir: string, { id, dir }: Candidate): boolean {
  try {
    acquireLock(dir);
  } catch (error) {
    if (AssayError.is(error) && error.code === 'locked') return false;
    throw error;
  }
  const trash = path.join(runsDir, `${trashPrefix}${id}`);
  renameSync(dir, trash);
  rmSync(trash, { recursive: true, force: true });
  return true;
}

/** Unfinished creations are left a day: they may be in progress. */
function sweep(runsDir: string, now: Date): void {
  for (const name of readdirSync(runsDir)) {
    const dir = path.join(runsDir, name);
    const abandoned = name.startsWith('.new-') && lstatSync(dir).mtimeMs < now.getTime() - dayMs;
    if (name.startsWith(trashPrefix) || abandoned) rmSync(dir, { recursive: true, force: true });
  }
}

function sizeOf(dir: string): number {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => {
      const stat = lstatSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false });
      return sum + (stat?.size ?? 0);
    }, 0);
}
