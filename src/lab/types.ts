import type {
  CandidateResult,
  Clock,
  Coverage,
  Evaluate,
  Failure,
  FileChange,
  Report,
} from '../core/index.ts';

/** A framework the lab can run; one file each in `frameworks/`, registered in `frameworks/index.ts`. */
export type FrameworkId = 'pytest' | 'unittest' | 'node-test';

/** Limits of one test run; missing ones get the lab's defaults. */
export type LabLimits = {
  wallMs?: number;
  memoryBytes?: number;
  pids?: number;
  cpus?: number;
  outputBytes?: number;
  /** One test, after which it counts as hanging and fails; the tests after it still run. Default 30 s. */
  testMs?: number;
};

export type OpenProjectOptions = {
  /** The user's project. Read once, never written. */
  dir: string;
  /** An existing folder for the snapshot and the environment cache of this run, owned by the caller. */
  scratch: string;
  framework?: FrameworkId;
  /** The user's own test command, e.g. `['python', '-m', 'pytest', 'tests/unit']`: tells framework and selection. */
  testCommand?: string[];
  /** Globs to protect beside the framework's default ones. */
  protect?: string[];
  /** Globs of test files that stay hidden until a confirmation. */
  holdout?: string[];
  /** Shell command run once in its own sandbox to prepare the environment; its result is cached. */
  setup?: string;
  /** Wall limit of the set-up command in milliseconds. Default: 15 minutes, which is also the most. */
  setupMs?: number;
  /** Told when the set-up command starts; not where its result is there already. */
  onSetUp?: (command: string) => void;
  strict?: boolean;
  /**
   * What `packProject` made of the project: taken in place of what `dir` holds now, which need not exist any more.
   * Environments (`.venv`, `node_modules`) are used where they were.
   */
  packed?: Uint8Array;
  signal?: AbortSignal;
  clock?: Clock;
};

/** A pristine copy of the user's project with everything a test run needs to know about it. */
export type Project = {
  readonly dir: string;
  readonly framework: FrameworkId;
  /** Every file of the snapshot that a proposer may see, project-relative, sorted (held-out tests are not in it). */
  readonly files: readonly string[];
  /** Pristine bytes; throws for a path not in `files`. */
  read(path: string): Uint8Array;
  mode(path: string): number;
  /** Why a patch may not touch `path` (a test, a configuration, an environment), or null. */
  protectedBecause(path: string): string | null;
  /** True where a new file at `path` would be loaded by the framework or the interpreter by itself. */
  autoLoaded(path: string): boolean;
  readonly heldOut: readonly string[];
  readonly warnings: readonly string[];
  /** sha256 of every file at the start, for `--write` and `apply`. */
  readonly hashes: ReadonlyMap<string, string>;
};

/**
 * A test file that was not collected. `ids` are names read from its text: each must turn up as an id, or as the part
 * of ids before their parameters. Its tests may bring further ids.
 */
export type PartialFile = { file: string; ids: string[] };

/** Ids that must all be seen, and where they came from. */
export type Expected = {
  /**
   * `given`: the user's list, which may be a part of the suite · `collected`: the original project, collected ·
   * `static`: read from the text of the test files · `trusted`: what the run itself collects is taken as true ·
   * `unknown`: never `passed`.
   */
  source: 'given' | 'collected' | 'static' | 'trusted' | 'unknown';
  ids: string[];
  /** Ids that the original project itself skips. A skip that is not here is a failure of a patch. */
  skipped: string[];
  /** Ids that the original project itself expects to fail. */
  xfailed?: string[];
  /** Test files that cannot be collected yet (an import error in the code under test). */
  partial?: PartialFile[];
  /** What kept files from being collected, as the framework tells it. */
  problems?: (Failure & { file: string })[];
};

export type LabJob = {
  project: Project;
  /** The patch, relative to the pristine project. Empty: the project as it is. */
  changes: readonly FileChange[];
  expected: Expected;
  /** `all` adds the held-out tests. Default `visible`. */
  tests?: 'visible' | 'all' | 'held_out';
  limits?: LabLimits;
  /** Ids left out of the verdict (flaky ones), still run and reported. */
  ignore?: readonly string[];
  signal?: AbortSignal;
  clock?: Clock;
  onProgress?: (seen: number, total: number) => void;
};

/** A warm evaluator: a fork server in one sandbox. Never the source of a verdict. */
export type Evaluator = {
  readonly evaluate: Evaluate;
  coverage(signal?: AbortSignal): Promise<Coverage>;
  /** Restarts so far: after a hang, a crash or a poisoned state. */
  readonly restarts: number;
  close(): Promise<void>;
};

export type OpenEvaluatorOptions = {
  project: Project;
  /** The patch that candidates and coverage are laid on. Default: none. */
  changes?: readonly FileChange[];
  /** A red run of the project with `changes`: which tests fail, and how long each takes. */
  baseline: Report;
  limits?: LabLimits;
  /** Ids left out (flaky ones). */
  ignore?: readonly string[];
  /** Fork servers side by side. Default: one per core, 8 at most. */
  workers?: number;
  signal?: AbortSignal;
  onResult?: (result: CandidateResult) => void;
};
