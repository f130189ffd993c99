import type { Toolchain } from '../../sandbox/index.ts';
import type { FrameworkId } from '../types.ts';

/** What detection may look at: the bytes of the snapshot. No process is started and nothing is written. */
export type SourceTree = {
  /** The user's project: an absolute path, the same on the host and inside the sandbox. */
  readonly dir: string;
  /** Every file of the snapshot, held-out tests included, project-relative, sorted. */
  readonly files: readonly string[];
  /** Top folders that hold an environment (`.venv`, `node_modules`): mounted, not copied; project-relative. */
  readonly environments: readonly string[];
  /** Top-level names of the modules the interpreter has of itself or installed; absent until a toolchain is known. */
  readonly installed?: ReadonlySet<string>;
  /** UTF-8 text of a file; null where it does not exist, is binary or is over 1 MiB. */
  text(path: string): string | null;
};

/** The user's own test command, understood: what to start and which arguments are the framework's. */
export type TestCommand = {
  /** The interpreter the user named (`python3.12`, `.venv/bin/python`, `node`), or null where the command leaves it open. */
  program: string | null;
  /** How the framework was named; a framework's own word, e.g. `module` for `python -m pytest`, `script` for `pytest`. */
  via: string;
  /** Arguments for the interpreter itself, e.g. `-W error` before `-m pytest`. */
  flags: string[];
  /** Arguments for the framework, as the user wrote them. */
  args: string[];
  /** `NAME=value` words before the command. */
  env: Record<string, string>;
};

/** Evidence that a project uses a framework. The highest score wins: 3 configured · 2 imported by tests · 1 file names only. */
export type Detection = { score: 1 | 2 | 3; because: string };

/** A glob (picomatch, `dot: true`, project-relative) and what its files are, for a refusal's sentence. */
export type ProtectedGlob = { glob: string; because: string };

/** Which tests a run takes. */
export type Selection =
  /** What the user's command selects, or the framework's default discovery. */
  | { kind: 'default' }
  /** Only the tests of these files (project-relative), e.g. the held-out ones. */
  | { kind: 'files'; files: readonly string[] };

/**
 * `run`: run the tests · `collect`: list the ids, import what must be imported, run nothing ·
 * `static`: list the ids from the text of `files` alone, importing nothing of the project.
 */
export type RunMode = 'run' | 'collect' | 'static';

export type PlanRequest = {
  mode: RunMode;
  tree: SourceTree;
  command: TestCommand | null;
  toolchain: Toolchain;
  selection: Selection;
  /** Absolute folder inside the sandbox where the framework's `inject` files are mounted read-only. */
  injected: string;
  /** Test files of the run, project-relative, where the framework wants to know them. */
  testFiles: readonly string[];
  /** Held-out files that are not laid in this run: arguments of the user's command that name them must be dropped. */
  absent: readonly string[];
};

/** One test process to start. The lab adds its own environment below `env` and the descriptor's number. */
export type Plan = {
  argv: [string, ...string[]];
  /** Absolute, inside the sandbox. */
  cwd: string;
  env: Record<string, string>;
  /**
   * Sent to the runner on standard input as one JSON object, `{ ...config, nonce, mode, root, testLimit }`, then end of file.
   * The nonce travels only there: never in the environment or in the arguments, which the code under test can read.
   */
  config: Record<string, unknown>;
};

export type Canary = { id: string; expect: 'passed' | 'failed'; optional: boolean };

/**
 * A test framework the lab can judge: one file in this folder, registered in `index.ts`.
 *
 * The runner side of a framework (the `inject` files) must: read the configuration from standard input before any
 * code of the project is loaded; read `ASSAY_CHANNEL_FD` and remove it from the environment; send the records of
 * `../channel/records.ts` over that descriptor; run the canaries after the project's tests; send `end` last.
 */
export type Framework = {
  readonly id: FrameworkId;
  /** Null: no sign of it. */
  detect(tree: SourceTree): Detection | null;
  /** Null where the command is not this framework's. */
  parseCommand(argv: readonly string[], tree: SourceTree): TestCommand | null;
  /** Globs a patch may not touch: tests, configuration, lock files. May read configuration for the project's own patterns. */
  protectedGlobs(tree: SourceTree, command: TestCommand | null): ProtectedGlob[];
  /** True where the framework or the interpreter would load a new file at `path` by itself, or in place of one of its own. */
  autoLoaded(path: string, tree: SourceTree): boolean;
  /** Files that hold tests, by name, for static parsing and messages. */
  testFiles(tree: SourceTree, command: TestCommand | null): string[];
  /** Finds the interpreter; throws AssayError `environment` with a fix where there is none. */
  toolchain(tree: SourceTree, command: TestCommand | null): Promise<Toolchain>;
  /** Names for `SourceTree.installed`, from files alone. */
  installed?(toolchain: Toolchain): ReadonlySet<string>;
  /** Absolute host paths of the runner's own files, mounted read-only under `PlanRequest.injected` by base name. */
  readonly inject: readonly string[];
  plan(request: PlanRequest): Plan;
  /** Canaries the runner must report in a `run`, and what each must come to. `optional`: may be `not_needed`. */
  readonly canaries: readonly Canary[];
  /** What an exit code of the runner means beyond 0 = all passed; null: nothing special. */
  explainExit(code: number): string | null;
};
