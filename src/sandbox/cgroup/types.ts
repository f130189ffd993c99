import type { Enforcement, Enforcer } from '../../core/index.ts';

/** What the control groups of this machine can hold and tell, as far as the runner may use them. */
export type CgroupSupport = {
  memory: Enforcer;
  pids: Enforcer;
  cpu: Enforcer;
  /** `CgroupCounters.oomKills` tells an OOM kill for certain. */
  oomCounter: boolean;
  /** `pid-namespace`: no group can be made, so killing the sandbox's pid 1 is what remains. */
  killAll: Enforcement['killAll'];
  /** Why something is missing, and whether the filesystem is a fake. */
  notes: string[];
};

export type CgroupLimits = {
  memoryBytes: number;
  /** Tasks (processes and threads) at any one time. */
  pids: number;
  /** Cores, e.g. 1.5. */
  cpus: number;
};

export type CgroupCounters = {
  /** Processes the kernel's OOM killer ended. 0 where `support.oomCounter` is false. */
  oomKills: number;
  /** Forks and thread creations refused by the limit. */
  pidsRefused: number;
  memoryPeakBytes: number | null;
  pidsPeak: number | null;
  cpuMs: number | null;
};

/** One group per sandbox: a folder of the same name in every hierarchy that is used. */
export type Cgroup = {
  readonly support: CgroupSupport;
  /** The group's folder in each hierarchy. Empty where the machine offers none: every method is then a no-op. */
  readonly dirs: readonly string[];
  /**
   * Files of which a process with one thread may write `0` into a descriptor that root opened, to enter at once with all
   * that it starts later. null where the kernel would hold it up (v2): `addSoon` is then better. Empty without groups.
   */
  readonly selfEntry: readonly string[] | null;
  /**
   * Moves processes in, with all their threads; children forked later are born inside. A process that has already
   * ended is passed over. The first move after a quiet spell blocks for an RCU grace period (about 10 ms on
   * Linux 6): prefer `addSoon` for the first one. @throws AssayError `environment` where the kernel refuses.
   */
  add(pids: readonly number[]): void;
  /**
   * The same, with the grace period waited out off the main thread. Called right after spawning bwrap it costs
   * nothing, as bwrap needs longer to build the sandbox; `add` of bwrap's child afterwards takes microseconds.
   */
  addSoon(pids: readonly number[]): Promise<void>;
  counters(): CgroupCounters;
  isEmpty(): boolean;
  /** Sends SIGKILL to everything inside. Asynchronous in the kernel: poll `isEmpty`, or await `remove`. */
  killAll(): void;
  /**
   * Kills what is left, waits until the group is empty (at most 2 s) and removes it.
   * @throws AssayError `environment` where something cannot be killed; the folders then stay for `sweep`.
   */
  remove(): Promise<void>;
};

export type CgroupOptions = { name: string; limits: CgroupLimits };

export type CgroupController = {
  readonly support: CgroupSupport;
  /**
   * Makes the group with its limits set, so that a process is limited from the moment it enters.
   * @throws AssayError `environment` where the kernel refuses; nothing is then left behind.
   */
  create(options: CgroupOptions): Cgroup;
  /**
   * Kills and removes groups of this program for whose name `isAlive` answers no (see `isRunnerAlive`).
   * Returns the names removed. Never throws: what cannot be removed now is left for the next sweep.
   */
  sweep(isAlive: (name: string) => boolean): string[];
};
