import type { Clock, Enforcement, Outcome } from '../core/index.ts';

/** One program to run. Nothing of the runner's own environment is passed on. */
export type Command = {
  /** The program, absolute or looked up in the sandbox's PATH, and its arguments. */
  argv: [string, ...string[]];
  /** Absolute path inside the sandbox. */
  cwd: string;
  /** Added to HOME=/tmp, LANG=C.UTF-8, a PATH of the toolchains and the system, and what the toolchains need. */
  env: Record<string, string>;
  /** Default: nothing, end of file at once. */
  stdin?: Uint8Array;
};

/** What the sandboxed code may see and write. Everything not named here does not exist for it. */
export type Policy = {
  /**
   * Laid in this order over the built root (`/usr`, made-up `/etc`, sized `/tmp` and `/dev/shm`), fills last.
   * Targets are absolute; missing parents are made (0755, not the code's, read-only unless inside another mount).
   */
  mounts: Mount[];
  /** Commands whose toolchain prefixes are resolved and mounted read-only at their own paths (see `resolveToolchain`). */
  toolchains: Toolchain[];
  /** Refuse to run where a limit cannot be enforced. Default true. */
  strict?: boolean;
  /**
   * Gives the code one extra descriptor, number in `ASSAY_CHANNEL_FD`: a duplex stream no other process has. Its
   * incoming side is capped: past `maxBytes` the command is killed with `output_limit`.
   */
  channel?: { maxBytes: number };
};

export type Mount =
  | { kind: 'ro'; source: string; target: string }
  /**
   * A host folder written through: disk use is then held per file only (RLIMIT_FSIZE). Under `host-uid` the code
   * writes as another uid than the runner's, so the folder must be writable by all (0777), best inside a `stage()`,
   * which nobody else can enter.
   */
  | { kind: 'rw'; source: string; target: string }
  /** Memory-backed (it counts as memory too), dies with the sandbox, belongs to the code, sized: `disk: 'tmpfs'`. */
  | { kind: 'tmpfs'; target: string; sizeBytes: number }
  /**
   * Copies the content of the host folder `source` into `target` (an earlier `tmpfs` mount, or an existing folder
   * below one) before the command starts, inside the sandbox, owned by the sandboxed uid. Links are copied as links.
   * Later fills win over earlier ones; what a `ro` or `rw` mount covers is left out.
   */
  | { kind: 'fill'; source: string; target: string };

/** A resolved toolchain: prefixes to mount and what to put into the environment. Made by `resolveToolchain`. */
export type Toolchain = {
  /** The program as it must be called inside the sandbox, absolute. */
  program: string;
  /** Real host folders mounted read-only at their own absolute path. */
  prefixes: string[];
  /** Folders to put first on PATH inside. */
  path: string[];
  env: Record<string, string>;
};

/** All positive. */
export type Limits = {
  /** From the start of the command; building the sandbox and copying the fills has a limit of its own. */
  wallMs: number;
  /** Of all processes together, tmpfs content included. */
  memoryBytes: number;
  /** Processes and threads at any one time. bwrap's own two count, and copying the fills needs five more for a moment. */
  pids: number;
  /** Cores, e.g. 1.5. */
  cpus: number;
  /** Per stream. `onExcess: 'kill'` ends the run as `output_limit`, `'truncate'` keeps draining and keeps head and tail. */
  output: { maxBytes: number; onExcess: 'kill' | 'truncate' };
  /** Size of /tmp and of /dev/shm each. */
  tmpBytes: number;
  /** Largest single file. */
  fileBytes: number;
  openFiles: number;
};

export type RunOptions = {
  command: Command;
  policy: Policy;
  limits: Limits;
  signal?: AbortSignal;
  clock?: Clock;
  /** Called with raw bytes as they stream, before capping; for live progress only. What it throws is thrown on. */
  onOutput?: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;
};

/** The outcome, and what came over the private channel (empty without one). */
export type RunResult = { outcome: Outcome; channel: Uint8Array };

/** A long-lived sandboxed process. `wallMs` bounds its whole life. */
export type SandboxProcess = {
  /** Resolves when everything in the sandbox is dead. Never rejects. */
  readonly exited: Promise<Outcome>;
  /** What the machine enforces for it; the outcome says so as well. */
  readonly enforcement: Enforcement;
  /** The host's end of the private channel (present when the policy asks for one) and of stdin/stdout. */
  readonly channel: import('node:stream').Duplex | undefined;
  readonly stdin: import('node:stream').Writable;
  /** Sends a signal to the sandbox's first program (not to bwrap), e.g. SIGINT to interrupt a kernel. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** Kills everything; `exited` then resolves with `aborted`. */
  kill(): Promise<Outcome>;
};
