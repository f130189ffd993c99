import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { AssayError } from '../core/index.ts';
import { fileMode, makeFolders, syncFolder, writeAtomic } from './atomic.ts';
import { errnoOf, onDisk, onDiskAsync } from './disk-error.ts';
import { type Env, resolveHome } from './home.ts';
import type { JournalDisk } from './journal.ts';
import { acquireLock, type HeldLock, lockState } from './lock.ts';
import { type Pruned, type PruneOptions, prune } from './prune.ts';
import { files, Run } from './run.ts';
import { makeRunId, runIdPattern } from './run-id.ts';
import { type RunInfo, runInfoSchema } from './run-info.ts';
import { scrubValue, secretsIn } from './scrub.ts';

export type StoreOptions = {
  /** Overrides `ASSAY_HOME`. */
  home?: string;
  /** Where `ASSAY_HOME` and the XDG folders come from, and the secrets to scrub. Default: this process's. */
  env?: Env;
  now?: () => Date;
  /** The journal's system calls; tests make them fail. */
  disk?: JournalDisk;
};

export type CreateOptions<E> = {
  /** Becomes the front of the id: `fix`, `solve`, `lab`. */
  kind: string;
  /** What the run is asked to do; JSON. */
  spec: unknown;
  /** The events of its journal. */
  event: z.ZodType<E>;
  versions?: Record<string, string>;
  environment?: Record<string, unknown>;
};

export type RunSummary = {
  id: string;
  dir: string;
  createdAt: Date;
  /** A process writes to it now. */
  live: boolean;
  /** null where `run.json` cannot be read; `problem` says why. */
  info: RunInfo | null;
  problem: string | null;
};

export type Store = {
  readonly home: string;
  readonly runsDir: string;
  /** A new run, locked for writing. Its folder appears whole or not at all. */
  create: <E>(options: CreateOptions<E>) => Promise<Run<E>>;
  /**
   * An existing run, for reading until `lock()`. `id`: a whole id, the unique beginning of one, or `latest`.
   * Throws an AssayError `usage` where that names no run or several.
   */
  open: <E>(id: string, options: { event: z.ZodType<E> }) => Run<E>;
  /** Newest first. Empty where there is no home folder yet. */
  list: () => RunSummary[];
  /** Removes runs within the given bounds; never one that is written to. Without bounds it removes nothing. */
  prune: (options: PruneOptions) => Pruned;
};

/** The store on disk. Nothing is created before the first run is. */
export function openStore(options: StoreOptions = {}): Store {
  const env = options.env ?? process.env;
  const home = resolveHome({ home: options.home, env });
  const runsDir = path.join(home, 'runs');
  const now = options.now ?? (() => new Date());
  const secrets = secretsIn(env);
  const shared = { secrets, now, disk: options.disk };
  return {
    home,
    runsDir,
    async create<E>({ kind, spec, event, versions, environment }: CreateOptions<E>): Promise<Run<E>> {
      const createdAt = now();
      const rest = scrubValue({ spec, environment: environment ?? {} }, secrets).value;
      const made = await createFolder(runsDir, () => ({
        schema: 'assay-run/1',
        id: makeRunId(kind, createdAt),
        kind,
        createdAt: createdAt.toISOString(),
        spec: rest.spec,
        versions: { node: process.version, ...versions },
        environment: { platform: process.platform, arch: process.arch, ...rest.environment },
      }));
      const run = new Run({ ...shared, dir: made.dir, info: made.info, event });
      run.adopt(made.lock);
      return run;
    },
    open<E>(id: string, { event }: { event: z.ZodType<E> }): Run<E> {
      const found = resolveRun(listRuns(runsDir), id, runsDir);
      if (found.info === null) {
        throw new AssayError({
          code: 'input',
          message: `${path.join(found.dir, files.info)} cannot be read`,
          because: found.problem ?? 'it is missing',
          fix: 'Restore the run folder from a backup, or remove it.',
        });
      }
      return new Run({ ...shared, dir: found.dir, info: found.info, event });
    },
    list: () => listRuns(runsDir),
    prune: (bounds) => prune(runsDir, listRuns(runsDir), { options: bounds, now: now() }),
  };
}

type Made = { dir: string; info: RunInfo; lock: HeldLock };

/** Built under another name and renamed: a crash in the middle leaves no half a run in the list. */
async function createFolder(runsDir: string, infoFor: () => RunInfo): Promise<Made> {
  return onDiskAsync({ doing: 'create a run', path: runsDir }, async () => {
    makeFolders(runsDir);
    for (;;) {
      const info = infoFor();
      const fresh = path.join(runsDir, `.new-${randomBytes(6).toString('hex')}`);
      const dir = path.join(runsDir, info.id);
      try {
        makeFolders(path.join(fresh, files.artifacts));
        await writeAtomic(path.join(fresh, files.info), Buffer.from(`${JSON.stringify(info, null, 2)}\n`));
        writeFileSync(path.join(fresh, files.journal), '', { mode: fileMode });
        const lock = acquireLock(fresh);
        await syncFolder(fresh);
        renameSync(fresh, dir);
        await syncFolder(runsDir);
        return { dir, info, lock };
      } catch (error) {
        rmSync(fresh, { recursive: true, force: true });
        // Another run of this second drew the same letters: draw again.
        if (!existsSync(dir) || !['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
      }
    }
  });
}

function listRuns(runsDir: string): RunSummary[] {
  const names = onDisk({ doing: 'list the runs', path: runsDir }, () =>
    existsSync(runsDir) ? readdirSync(runsDir).filter((name) => runIdPattern.test(name)) : [],
  );
  return names
    .map((id) => summarise(id, path.join(runsDir, id)))
    .filter((run) => run !== null)
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1));
}

/** Null for a run that is removed at this very moment. */
function summarise(id: string, dir: string): RunSummary | null {
  try {
    const live = lockState(dir).kind === 'held';
    const parsed = readInfo(dir);
    const createdAt = parsed.info === null ? timeIn(id) : new Date(parsed.info.createdAt);
    return { id, dir, createdAt, live, ...parsed };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function readInfo(dir: string): { info: RunInfo | null; problem: string | null } {
  try {
    const text = readFileSync(path.join(dir, files.info), 'utf8');
    return { info: runInfoSchema.parse(JSON.parse(text)), problem: null };
  } catch (error) {
    return { info: null, problem: problemOf(error) };
  }
}

/** In one sentence, e.g. `kind: Invalid input: expected string, received undefined`. */
function problemOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return error instanceof Error ? error.message : String(error);
  const [first] = error.issues;
  const at = first === undefined || first.path.length === 0 ? '' : `${first.path.join('.')}: `;
  return `${at}${first?.message ?? 'it does not describe a run'}`;
}

function timeIn(id: string): Date {
  const [, date = '', time = ''] = /-(\d{8})-(\d{6})-/.exec(id) ?? [];
  const digits = date.replace(/(....)(..)(..)/, '$1-$2-$3');
  return new Date(`${digits}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`);
}

function resolveRun(runs: readonly RunSummary[], asked: string, runsDir: string): RunSummary {
  const [newest] = runs;
  if (asked === 'latest' && newest !== undefined) return newest;
  const exact = runs.find((run) => run.id === asked);
  if (exact !== undefined) return exact;
  const matching = asked === '' ? [] : runs.filter((run) => run.id.startsWith(asked));
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return only;
  throw new AssayError({
    code: 'usage',
    message: matching.length > 1 ? `${matching.length} runs begin with ${asked}` : `There is no run ${asked}`,
    because:
      matching.length > 1
        ? matching
            .slice(0, 5)
            .map((run) => run.id)
            .join(', ')
        : `${runsDir} holds ${runs.length === 1 ? '1 run' : `${runs.length} runs`}`,
    fix: 'List the runs with `assay runs` and give enough of one id, or `latest`.',
  });
}
