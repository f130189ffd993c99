import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { planRlimits, prlimitArguments, type Rlimit, type RlimitOptions, ulimitScript } from './rlimits.ts';
import type { CgroupSupport } from './types.ts';

const held: CgroupSupport = {
  memory: 'cgroup2',
  pids: 'cgroup2',
  cpu: 'cgroup1',
  oomCounter: true,
  killAll: 'cgroup.kill',
  notes: [],
};
const nothing: CgroupSupport = {
  memory: 'none',
  pids: 'none',
  cpu: 'none',
  oomCounter: false,
  killAll: 'pid-namespace',
  notes: [],
};
const limits = {
  wallMs: 10_000,
  memoryBytes: 512 * 1024 * 1024,
  pids: 32,
  cpus: 1.5,
  fileBytes: 1024 * 1024,
  openFiles: 100,
};
const plan = (change: Partial<RlimitOptions> = {}) =>
  planRlimits({
    limits,
    support: nothing,
    hostUid: 1000,
    isolation: 'user-namespace',
    kernel: '6.1.0-28-amd64',
    corePattern: 'core',
    ...change,
  });
const value = (rlimits: readonly Rlimit[], resource: Rlimit['resource']) =>
  rlimits.find((rlimit) => rlimit.resource === resource)?.value;

describe('planRlimits', () => {
  it('adds to groups only what they do not know', () => {
    const { rlimits, gaps, notes, ...enforcers } = plan({ support: held });
    expect(rlimits).toEqual([
      { resource: 'fsize', value: 1_048_576 },
      { resource: 'nofile', value: 100 },
      { resource: 'core', value: 0 },
    ]);
    expect(enforcers).toEqual({ memory: 'cgroup2', pids: 'cgroup2', cpu: 'cgroup1' });
    expect([...gaps, ...notes]).toEqual([]);
  });

  it('stands in for groups, and says what it cannot hold', () => {
    const { rlimits, gaps, notes, ...enforcers } = plan();
    expect(enforcers).toEqual({ memory: 'rlimit', pids: 'rlimit', cpu: 'rlimit' });
    expect(value(rlimits, 'data')).toBe(512 * 1024 * 1024);
    expect(value(rlimits, 'nproc')).toBe(32);
    expect(value(rlimits, 'cpu')).toBe(16);
    expect(gaps.join('\n')).toMatch(/memory of all processes together.*\n.*out-of-memory kill/);
    expect(notes).toHaveLength(3);
  });

  it.each([
    ['root', { hostUid: 0 }],
    ['a user namespace before Linux 5.14', { kernel: '5.10.0' }],
  ])('does not claim to hold the number of processes of %s', (_, change) => {
    const { rlimits, pids, gaps } = plan(change);
    expect(pids).toBe('none');
    expect(value(rlimits, 'nproc')).toBeUndefined();
    expect(gaps.join()).toContain('the number of processes is not limited');
  });

  it('holds the number of processes of a uid that no one else has on any kernel', () => {
    expect(plan({ isolation: 'host-uid', hostUid: 70_000, kernel: '4.19.0' }).pids).toBe('rlimit');
  });

  it('counts a missing OOM counter as a gap though memory is held', () => {
    const { gaps, memory } = plan({ support: { ...held, memory: 'cgroup1', oomCounter: false } });
    expect(memory).toBe('cgroup1');
    expect(gaps).toHaveLength(1);
  });

  it('keeps the kernel from starting a core handler on the host', () => {
    expect(value(plan({ corePattern: '|/usr/lib/systemd/systemd-coredump %P' }).rlimits, 'core')).toBe(1);
  });
});

/** What the kernel says of a process for which the limits were set. */
function limitsAfter(argv: [string, ...string[]]): Record<string, string> {
  const [file, ...args] = argv;
  const lines = execFileSync(file, args, { encoding: 'utf8' }).split('\n');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, 26).trim(), line.slice(26, 68).trim().replace(/\s+/, ':')]),
  );
}

const all = plan({ corePattern: '|handler' }).rlimits;
const expected = {
  'Max cpu time': '16:16',
  'Max file size': '1048576:1048576',
  'Max data size': '536870912:536870912',
  'Max core file size': '1:1',
  'Max processes': '32:32',
  'Max open files': '100:100',
};

describe('ulimitScript', () => {
  it('sets every limit, soft and hard, in the shell', () => {
    const script = `${ulimitScript(all)}exec cat /proc/self/limits`;
    expect(limitsAfter(['/bin/sh', '-c', script])).toMatchObject(expected);
  });

  it('leaves a tighter limit alone, in silence', () => {
    const script = `ulimit -n 50; ${ulimitScript(all)}exec cat /proc/self/limits`;
    const { 'Max open files': openFiles, ...others } = limitsAfter(['/bin/sh', '-c', `{ ${script}; } 2>&1`]);
    // Only a root with CAP_SYS_RESOURCE may widen it again.
    expect(['50:50', '100:100']).toContain(openFiles);
    expect(Object.keys(others).filter((line) => !/^(Max|Limit)/.test(line))).toEqual(['']);
  });
});

describe('prlimitArguments', () => {
  it('sets every limit, soft and hard, by prlimit', () => {
    const argv = ['prlimit', ...prlimitArguments(all), 'cat', '/proc/self/limits'] as [string, ...string[]];
    expect(limitsAfter(argv)).toMatchObject(expected);
  });
});

const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? ['setpriv', '--reuid=54322', '--regid=54322', '--clear-groups'] : [];
const sandbox =
  'bwrap --unshare-all --unshare-user --die-with-parent --ro-bind / / --dev /dev --proc /proc'.split(' ');

/** How many children a shell got before the kernel refused one, under `rlimits` set inside a new user namespace. */
function childrenUnder(rlimits: readonly Rlimit[], outside: readonly string[] = []): number | 'no namespace' {
  const script = `${ulimitScript(rlimits)}i=0; while [ $i -lt 60 ]; do sleep 20 & i=$((i+1)); echo $i; done`;
  const [file = '', ...args] = [...asUser, ...outside, ...sandbox, '/bin/sh', '-c', script];
  // The shell exits when it cannot fork.
  const { stdout, stderr } = spawnSync(file, args, { encoding: 'utf8' });
  return stderr.startsWith('bwrap:') ? 'no namespace' : Number(stdout.trim().split('\n').at(-1));
}

describe('the limit on processes, set inside a user namespace', () => {
  it("counts the sandbox's own processes only", () => {
    const nproc: Rlimit[] = [{ resource: 'nproc', value: 20 }];
    const free = childrenUnder([]);
    // Where the machine refuses user namespaces there is no sandbox of this kind, limited or not.
    if (free === 'no namespace') return expect(childrenUnder(nproc)).toBe('no namespace');
    expect(free).toBe(60);
    const alone = childrenUnder(nproc);
    expect(alone).toBeGreaterThan(10);
    expect(alone).toBeLessThan(20);
    // The children of the runs before are dead with their pid namespace; 15 processes outside are not.
    const script = 'for i in $(seq 15); do sleep 10 >/dev/null 2>&1 & all="$all $!"; done; "$@"; kill $all';
    const crowd = ['sh', '-c', script, 'sh'];
    expect(childrenUnder(nproc, crowd)).toBe(alone);
  });
});
