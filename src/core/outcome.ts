import { z } from 'zod';

/** Why a sandboxed command ended, decided by the runner and the kernel's counters, never by an exit code alone. */
export const outcomeReasonSchema = z.enum([
  'exited',
  'signaled',
  'timeout',
  'oom',
  'pids',
  'output_limit',
  'aborted',
  'unavailable',
]);
export type OutcomeReason = z.infer<typeof outcomeReasonSchema>;

/** What holds a limit: a cgroup controller, a per-process rlimit, a sized tmpfs, the runner's own clock, or nothing. */
const enforcerSchema = z.enum(['cgroup2', 'cgroup1', 'rlimit', 'tmpfs', 'runner', 'none']);
export type Enforcer = z.infer<typeof enforcerSchema>;

/** What the machine really enforced for one command. Part of every outcome. */
export const enforcementSchema = z.object({
  /** `user-namespace`: an ordinary user's unprivileged namespaces · `host-uid`: root dropped to `hostUid` · `none`: nothing ran. */
  isolation: z.enum(['user-namespace', 'host-uid', 'none']),
  /** The kernel uid the code ran under, as the host sees it. */
  hostUid: z.number().int().nullable(),
  network: z.enum(['none', 'unknown']),
  /** Nested user namespaces are refused by bwrap's --disable-userns, by the seccomp filter, or not at all. */
  nestedNamespaces: z.enum(['bwrap', 'seccomp', 'none']),
  seccomp: z.boolean(),
  memory: enforcerSchema,
  /** A kernel counter tells an OOM kill for certain. */
  oomCounter: z.boolean(),
  pids: enforcerSchema,
  cpu: enforcerSchema,
  /** Size of what can be written outside /tmp and /dev/shm (which are always sized): `tmpfs` total, `rlimit` per file only. */
  disk: enforcerSchema,
  /** How the process tree is killed at the end. */
  killAll: z.enum(['cgroup.kill', 'cgroup-signal', 'pid-namespace', 'none']),
  /** Anything a reader must know about the above, e.g. that the cgroup filesystem is a fake used in tests. */
  notes: z.array(z.string()),
});
export type Enforcement = z.infer<typeof enforcementSchema>;

/** One captured stream: the first and the last bytes, and how many there were in all. */
export const capturedSchema = z.object({
  head: z.string(),
  tail: z.string(),
  totalBytes: z.number().int().nonnegative(),
  truncated: z.boolean(),
});
export type Captured = z.infer<typeof capturedSchema>;

export const resourceUsageSchema = z.object({
  wallMs: z.number().nonnegative(),
  /** null where no cgroup counts it. */
  cpuMs: z.number().nonnegative().nullable(),
  memoryPeakBytes: z.number().nonnegative().nullable(),
  pidsPeak: z.number().int().nonnegative().nullable(),
});
export type ResourceUsage = z.infer<typeof resourceUsageSchema>;

/** One cause and one fix: why a sandbox cannot be had here. */
export const unavailableSchema = z.object({ cause: z.string(), fix: z.string() });
export type Unavailable = z.infer<typeof unavailableSchema>;

export const outcomeSchema = z.object({
  reason: outcomeReasonSchema,
  /** Forgeable by the code that ran (it can write to its own pid 1): never proof of success on its own. */
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
  stdout: capturedSchema,
  stderr: capturedSchema,
  usage: resourceUsageSchema,
  enforcement: enforcementSchema,
  unavailable: unavailableSchema.nullable(),
});
export type Outcome = z.infer<typeof outcomeSchema>;
