/** What the suite tells the driver process that performs the attacks. Crosses as JSON in `ATTACK_CONTEXT`. */
export type Context = {
  mode: Mode;
  /** A host folder the driver may write, gone when the suite ends. */
  scratch: string;
  /** Word that only the host knows: in a file, a descriptor and the environment of the driver. */
  secret: string;
  /** Descriptor left open on the secret file, without close-on-exec. */
  plantedFd: number;
  /** Folder with a setuid-root copy of `sleep` and one with file capabilities; null where the suite is not root. */
  planted: string | null;
};

/**
 * `root`: the runner is root and drops to the slot's uid · `delegated`: an ordinary uid in a cgroup it owns ·
 * `rlimit`: no cgroups, as root or (`rlimit-user`) as an ordinary uid.
 */
export type ModeName = 'root' | 'delegated' | 'rlimit' | 'rlimit-user';

export type Mode = {
  name: ModeName;
  runner: 'root' | 'ordinary';
  limits: 'cgroup' | 'rlimit';
};

export const modes: Record<ModeName, Mode> = {
  root: { name: 'root', runner: 'root', limits: 'cgroup' },
  delegated: { name: 'delegated', runner: 'ordinary', limits: 'cgroup' },
  rlimit: { name: 'rlimit', runner: 'root', limits: 'rlimit' },
  'rlimit-user': { name: 'rlimit-user', runner: 'ordinary', limits: 'rlimit' },
};

/** One attack. `perform` runs in the driver process and throws when the sandbox did not hold. */
export type Attack<B> = {
  /** The row of the table of attacks this proves. */
  number: number;
  title: string;
  /** Default: every mode. */
  modes?: ModeName[];
  perform: (bench: B) => Promise<void>;
};

/** `module` is relative to this folder. */
export type DriverRequest = { module: string; title: string };
export type DriverReply = { title: string; ok: true } | { title: string; ok: false; error: string };
