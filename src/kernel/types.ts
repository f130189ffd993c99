import type { CellResult, Clock, Enforcement, KernelFile, Output } from '../core/index.ts';

/** A persistent interpreter: variables and files live on from cell to cell. One conformance suite runs against each. */
export type Kernel = {
  readonly info: KernelInfo;
  /**
   * Runs one cell; cells wait for one another. Never rejects for what the code or the kernel does: that is the end of
   * the result.
   */
  execute(code: string, options?: ExecuteOptions): Promise<CellResult>;
  /** Interrupts the cell that runs, if any, as a person would by Ctrl-C. */
  interrupt(): Promise<void>;
  /** Starts the interpreter anew: variables are gone, files stay. @throws AssayError `environment` where it cannot. */
  restart(): Promise<void>;
  readonly files: KernelFiles;
  /** Ends everything that belongs to it. Never rejects; twice is once. */
  close(): Promise<void>;
};

export type KernelInfo = {
  /** The kernel's name as asked for, e.g. `python3`, and its language, e.g. `python`. */
  name: string;
  language: string;
  languageVersion: string;
  /** As it calls itself, e.g. `ipython 9.18.1`. */
  implementation: string;
  runtime: 'jupyter' | 'e2b';
  /** What the machine enforces around it; null where the sandbox is another's. */
  enforcement: Enforcement | null;
};

export type ExecuteOptions = {
  /**
   * In milliseconds; default: the kernel's. After it: interrupt, a second interrupt, then kill and restart, with
   * `stateLost`.
   */
  deadlineMs?: number;
  /** Aborting interrupts the cell, in the same steps. */
  signal?: AbortSignal;
  /** Each output as it comes, before joining. */
  onOutput?: (output: Output) => void;
  /**
   * Default true: false keeps the cell out of the history and of the execution count (probes of assay itself). It is not
   * told what came late of earlier cells.
   */
  storeHistory?: boolean;
};

/** The working folder, as the code sees it. Paths are relative to it; nothing above it can be named. */
export type KernelFiles = {
  /** Every regular file, sorted by path, links not followed. */
  list(): Promise<KernelFile[]>;
  /** The same without reading a file; absent where the kernel cannot. */
  stat?(): Promise<FileStat[]>;
  /** Names that the last listing left out: links, what is no plain file, what cannot be shown safely. */
  readonly unseen?: number;
  /** The sha256 of one file; null where it is no longer there. Present where `stat` is. */
  hash?(path: string): Promise<string | null>;
  /** null where there is no such file. */
  read(path: string): Promise<Uint8Array | null>;
  write(path: string, bytes: Uint8Array): Promise<void>;
};

/** `stamp`: stays the same as long as nobody writes to the file. */
export type FileStat = { path: string; bytes: number; stamp: string };

/** What both runtimes are opened with. */
export type KernelLimits = {
  /** Of one cell, in milliseconds. */
  deadlineMs: number;
  memoryBytes: number;
  pids: number;
  /** Stream text kept of one cell, head and tail; more is counted and told, and all of it goes to `onSpill`. */
  outputBytes: number;
};

export type OpenKernelOptions = {
  limits?: Partial<KernelLimits>;
  /** Takes the whole of a stream that is over `outputBytes`, in pieces as they come. */
  onSpill?: (stream: 'stdout' | 'stderr', piece: Uint8Array) => void;
  signal?: AbortSignal;
  clock?: Clock;
};
