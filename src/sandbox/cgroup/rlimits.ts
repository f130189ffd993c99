import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import type { Enforcer } from '../../core/index.ts';
import type { CgroupSupport } from './types.ts';

/** setrlimit(2): `fsize` and `core` and `data` in bytes, `cpu` in seconds, `nofile` and `nproc` counts. Soft = hard. */
export type Rlimit = { resource: 'fsize' | 'nofile' | 'core' | 'data' | 'nproc' | 'cpu'; value: number };

export type RlimitPlan = {
  rlimits: Rlimit[];
  /** Who holds each limit once groups and rlimits are set together. */
  memory: Enforcer;
  pids: Enforcer;
  cpu: Enforcer;
  /** Limits that nothing holds here, one sentence each: a strict policy refuses to run. Empty: all is held. */
  gaps: string[];
  /** What holds less than a group would, and a reader must know. */
  notes: string[];
};

export type RlimitOptions = {
  limits: {
    wallMs: number;
    memoryBytes: number;
    pids: number;
    cpus: number;
    fileBytes: number;
    openFiles: number;
  };
  support: CgroupSupport;
  /** The uid the code runs under, as the host sees it. */
  hostUid: number;
  /** `user-namespace`: the limits are set inside the sandbox's own user namespace, after it was made. */
  isolation: 'user-namespace' | 'host-uid';
  /** As uname(2) gives it; default: of this machine. */
  kernel?: string;
  /** The text of /proc/sys/kernel/core_pattern; default: of this machine. */
  corePattern?: string;
};

/**
 * The rlimits of one sandbox: those that no group knows (file size, open files, core dumps), and stand-ins for limits
 * that no group holds here. They must be set inside the sandbox, below bwrap: a limit on processes set before the
 * user namespace is made counts all processes of the user on the host, and one set inside counts the sandbox's own.
 */
export function planRlimits(options: RlimitOptions): RlimitPlan {
  const { limits, support } = options;
  const memory = support.memory === 'none' ? memoryByRlimit(limits.memoryBytes) : null;
  const pids = support.pids === 'none' ? pidsByRlimit(options) : null;
  const cpu = support.cpu === 'none' ? cpuByRlimit(limits) : null;
  const parts = [memory, pids, cpu].filter((part) => part !== null);
  return {
    rlimits: [
      { resource: 'fsize', value: Math.floor(limits.fileBytes) },
      { resource: 'nofile', value: Math.max(minOpenFiles, Math.floor(limits.openFiles)) },
      { resource: 'core', value: coreBytes(options.corePattern ?? corePattern()) },
      ...parts.flatMap((part) => part.rlimits),
    ],
    memory: memory === null ? support.memory : memory.enforcer,
    pids: pids === null ? support.pids : pids.enforcer,
    cpu: cpu === null ? support.cpu : cpu.enforcer,
    gaps: [
      ...parts.flatMap((part) => part.gaps),
      ...(support.oomCounter
        ? []
        : ['an out-of-memory kill cannot be told from another kill: no group counts it']),
    ],
    notes: parts.flatMap((part) => part.notes),
  };
}

/**
 * Where a core dump is piped to a handler on the host, as by systemd-coredump and apport, a limit of 0 does not keep
 * the kernel from starting it, outside every limit of the sandbox; the value 1 does (Linux, fs/coredump.c).
 */
function coreBytes(pattern: string): number {
  return /^[|@]/.test(pattern) ? 1 : 0;
}

function corePattern(): string {
  try {
    return readFileSync('/proc/sys/kernel/core_pattern', 'utf8');
  } catch {
    return '|';
  }
}

type Part = { enforcer: Enforcer; rlimits: Rlimit[]; gaps: string[]; notes: string[] };

/**
 * RLIMIT_DATA and not RLIMIT_AS: Node, Go and Java reserve far more address space than they use and do not start
 * under the latter. Since Linux 4.7 it counts private writable memory, that of mmap included, and so the room that V8
 * reserves for code.
 */
function memoryByRlimit(bytes: number): Part {
  return {
    enforcer: 'rlimit',
    rlimits: [{ resource: 'data', value: Math.floor(bytes) }],
    gaps: ['the memory of all processes together is not limited: an rlimit holds for each process alone'],
    notes: [
      'the rlimit on memory counts what a program reserves too: Node needs 0.5 GiB, and as much again for each worker thread',
    ],
  };
}

function pidsByRlimit({ limits, hostUid, isolation, kernel }: RlimitOptions): Part {
  const unheld = (because: string): Part => ({
    enforcer: 'none',
    rlimits: [],
    gaps: [`the number of processes is not limited: ${because}`],
    notes: [],
  });
  if (hostUid === 0) return unheld('the kernel does not hold that rlimit for root');
  if (isolation === 'user-namespace' && !countsPerNamespace(kernel ?? release())) {
    return unheld('before Linux 5.14 the rlimit counts all processes of the user on the host');
  }
  return {
    enforcer: 'rlimit',
    rlimits: [{ resource: 'nproc', value: Math.floor(limits.pids) }],
    gaps: [],
    notes: ['the number of processes is held by an rlimit: refused forks are not counted'],
  };
}

/** "Reimplement RLIMIT_NPROC on top of ucounts", in Linux 5.14. */
function countsPerNamespace(kernel: string): boolean {
  const [, major = 0, minor = 0] = /^(\d+)\.(\d+)/.exec(kernel)?.map(Number) ?? [];
  return major > 5 || (major === 5 && minor >= 14);
}

function cpuByRlimit({ wallMs, cpus }: RlimitOptions['limits']): Part {
  const seconds = Math.ceil((wallMs / 1000) * cpus) + 1;
  return {
    enforcer: 'rlimit',
    rlimits: [{ resource: 'cpu', value: seconds }],
    gaps: [],
    notes: [
      `CPU is not shared out: each process may use ${seconds} s of CPU time in all, on any number of cores`,
    ],
  };
}

/** The shell that sets the limits and the loader of the command need a few. */
const minOpenFiles = 16;

/**
 * Lines for /bin/sh (dash, busybox, bash called as sh) that set the limits for the shell and what it starts. A limit
 * that is tighter already is left alone.
 */
export function ulimitScript(rlimits: readonly Rlimit[]): string {
  return rlimits.map((rlimit) => `${ulimitLine(rlimit)}\n`).join('');
}

function ulimitLine({ resource, value }: Rlimit): string {
  switch (resource) {
    case 'fsize':
      return `ulimit -f ${Math.ceil(value / blockBytes)} 2>/dev/null`;
    case 'core':
      // The shell counts in blocks, and cannot say one byte.
      return value === 0 ? 'ulimit -c 0' : `prlimit --pid $$ --core=${value}:${value} || ulimit -c 0`;
    case 'data':
      return `ulimit -d ${Math.ceil(value / 1024)} 2>/dev/null`;
    case 'nofile':
      return `ulimit -n ${value} 2>/dev/null`;
    case 'cpu':
      return `ulimit -t ${value} 2>/dev/null`;
    case 'nproc':
      // bash and busybox of today say -u, dash and older busybox -p (which in bash is the size of a pipe).
      return `ulimit -u ${value} 2>/dev/null || ulimit -p ${value} 2>/dev/null`;
  }
}

/** Units of `ulimit -f` in a POSIX shell. */
const blockBytes = 512;

/** The same limits for prlimit(1), put before the command or with `--pid`. */
export function prlimitArguments(rlimits: readonly Rlimit[]): string[] {
  return rlimits.map(({ resource, value }) => `--${resource}=${value}`);
}
