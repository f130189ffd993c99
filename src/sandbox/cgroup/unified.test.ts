import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { arrange } from './arrange.ts';
import type { ControlFiles } from './control-files.ts';
import { openCgroups } from './controller.ts';
import { fakeUnified } from './fake-unified.ts';
import type { Hierarchy } from './layout.ts';
import { groupName, runnerIdentity } from './name.ts';
import { readStat } from './process-stat.ts';

const limits = { memoryBytes: 64_000_000, pids: 12, cpus: 1.5 };
const name = (serial: string) => groupName({ ...runnerIdentity(), serial });

let root: string;
let files: ControlFiles;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-cgroup-'));
  files = fakeUnified(root);
});
afterEach(() => rmSync(root, { recursive: true }));

/** A group that holds the runner, in which the given controllers may be used. */
function runnersGroup(path: string, ...controllers: string[]): string {
  for (const controller of controllers) files.write(`${root}/cgroup.subtree_control`, `+${controller}`);
  const dir = join(root, path);
  files.makeGroup(dir);
  files.write(`${dir}/cgroup.procs`, String(process.pid));
  return dir;
}

const open = (ownDir: string, enterScope = () => false, hasSwap = false) => {
  const hierarchy = (dir: string): Hierarchy => ({
    version: 2,
    controllers: [],
    mountPoint: root,
    ownDir: dir,
  });
  let dir = ownDir;
  return arrange({
    files,
    hierarchies: () => [hierarchy(dir)],
    hasSwap,
    enterScope: () => {
      const entered = enterScope();
      if (entered) dir = join(root, 'assay.scope');
      return entered;
    },
  });
};

const pidsIn = (dir: string) =>
  readFileSync(`${dir}/cgroup.procs`, 'utf8').split('\n').filter(Boolean).map(Number);

describe('the v2 hierarchy', () => {
  it('moves the runner to a leaf, as a group that hands controllers down may hold no process', () => {
    const own = runnersGroup('own', 'memory', 'pids', 'cpu');
    const { support, places } = open(own);
    expect(support).toMatchObject({ memory: 'cgroup2', pids: 'cgroup2', cpu: 'cgroup2', notes: [] });
    expect(places[0]?.base).toBe(own);
    expect(pidsIn(own)).toEqual([]);
    expect(pidsIn(`${own}/assay-runners`)).toContain(process.pid);
  });

  it('finds the same groups again from the leaf, without moving anything', () => {
    const own = runnersGroup('own', 'memory', 'pids');
    open(own);
    const { support, places } = open(`${own}/assay-runners`);
    expect(support).toMatchObject({ memory: 'cgroup2', pids: 'cgroup2' });
    expect(places[0]?.base).toBe(own);
    expect(existsSync(`${own}/assay-runners/assay-runners`)).toBe(false);
  });

  it('prefers a scope of its own over moving processes about', () => {
    const own = runnersGroup('own', 'memory', 'pids');
    const { support, places } = open(own, () => {
      files.makeGroup(join(root, 'assay.scope'));
      files.write(join(root, 'assay.scope/cgroup.procs'), String(process.pid));
      return true;
    });
    expect(support).toMatchObject({ memory: 'cgroup2', pids: 'cgroup2' });
    expect(places[0]?.base).toBe(join(root, 'assay.scope'));
    expect(existsSync(`${own}/assay-runners`)).toBe(false);
  });

  it('moves what the runner was started with, but no process of others', async () => {
    const own = runnersGroup('own', 'memory', 'pids');
    const kin = spawn('sleep', ['60']);
    files.write(`${own}/cgroup.procs`, String(kin.pid));
    // An orphan, whose parent is none of the runner's ancestors in the group.
    const stranger = spawn('setsid', ['--fork', 'sh', '-c', 'echo $$; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [text] = await once(stranger.stdout, 'data');
    const strangerPid = Number(String(text));
    files.write(`${own}/cgroup.procs`, String(strangerPid));
    try {
      const refused = open(own);
      expect(refused.support.memory).toBe('none');
      expect(refused.support.notes.join()).toContain('processes that the runner was not started with');
      expect(pidsIn(own)).toEqual([process.pid, kin.pid, strangerPid]);
    } finally {
      process.kill(strangerPid);
    }
    expect(open(own).support.memory).toBe('cgroup2');
    expect(pidsIn(`${own}/assay-runners`)).toEqual([process.pid, kin.pid]);
    kin.kill();
  });

  it('names the controllers that are not delegated', () => {
    const { support } = open(runnersGroup('own', 'memory', 'pids'));
    expect(support).toMatchObject({ memory: 'cgroup2', pids: 'cgroup2', cpu: 'none', oomCounter: true });
  });

  it('has no use for a group that it may not write to', () => {
    const own = runnersGroup('own', 'memory', 'pids');
    files = { ...files, canWrite: (file) => file !== `${own}/cgroup.procs` };
    const { support, places } = open(own);
    expect(places).toEqual([]);
    expect(support).toMatchObject({
      memory: 'none',
      pids: 'none',
      oomCounter: false,
      killAll: 'pid-namespace',
    });
    expect(support.notes.join()).toContain(`${own}: its cgroup.procs is not writable`);
  });

  it('tells that swap is not limited, where there is any and the kernel does not count it', () => {
    const own = runnersGroup('own', 'memory', 'pids', 'cpu');
    expect(open(own, undefined, true).support.notes).toEqual([]);
    files = { ...files, has: (file) => !file.endsWith('/memory.swap.max') && existsSync(file) };
    expect(open(own).support.notes).toEqual([]);
    expect(open(own, undefined, true).support.notes.join()).toContain('not what is swapped out');
  });

  it('signals processes one by one where the kernel has no cgroup.kill', () => {
    const own = runnersGroup('own', 'memory', 'pids');
    files = { ...files, has: (file) => !file.endsWith('/cgroup.kill') && existsSync(file) };
    expect(open(own).support.killAll).toBe('cgroup-signal');
  });
});

describe('a group in the v2 hierarchy', () => {
  const read = (dir: string | undefined, file: string) => readFileSync(`${dir}/${file}`, 'utf8').trim();

  it('says that the filesystem is a fake', () => {
    expect(openCgroups({ root }).support.notes).toEqual([
      `${root} is a fake cgroup filesystem for tests: no limit is enforced`,
    ]);
  });

  it('has its limits set before a process enters', async () => {
    const group = openCgroups({ root }).create({ name: name('a'), limits });
    const [dir] = group.dirs;
    expect(dir).toBe(join(root, name('a')));
    expect(read(dir, 'memory.max')).toBe('64000000');
    expect(read(dir, 'memory.swap.max')).toBe('0');
    expect(read(dir, 'memory.oom.group')).toBe('1');
    expect(read(dir, 'pids.max')).toBe('12');
    expect(read(dir, 'cpu.max')).toBe('150000 100000');
    await group.remove();
    expect(existsSync(dir ?? '')).toBe(false);
  });

  it('reads what the kernel counted', async () => {
    const group = openCgroups({ root }).create({ name: name('b'), limits });
    const [dir] = group.dirs;
    writeFileSync(`${dir}/memory.events`, 'low 0\nhigh 0\nmax 9\noom 2\noom_kill 3\noom_group_kill 1\n');
    writeFileSync(`${dir}/memory.peak`, '63000000\n');
    writeFileSync(`${dir}/pids.events`, 'max 7\n');
    writeFileSync(`${dir}/pids.peak`, '12\n');
    writeFileSync(`${dir}/cpu.stat`, 'usage_usec 2500\nuser_usec 2000\nsystem_usec 500\n');
    expect(group.counters()).toEqual({
      oomKills: 3,
      pidsRefused: 7,
      memoryPeakBytes: 63_000_000,
      pidsPeak: 12,
      cpuMs: 2.5,
    });
    await group.remove();
  });

  it('knows no peak where the kernel has no such file', async () => {
    const group = openCgroups({ root }).create({ name: name('c'), limits });
    for (const file of ['memory.peak', 'pids.peak']) rmSync(`${group.dirs[0]}/${file}`);
    expect(group.counters()).toMatchObject({ memoryPeakBytes: null, pidsPeak: null });
    await group.remove();
  });

  it('kills what was born inside, and is then removed', async () => {
    const group = openCgroups({ root }).create({ name: name('d'), limits });
    const child = spawn('sh', ['-c', 'sleep 60 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(child, 'exit');
    group.add([child.pid ?? 0]);
    const [grandchild] = await once(child.stdout, 'data');
    expect(group.isEmpty()).toBe(false);
    await group.remove();
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(readStat(Number(String(grandchild)))).toBeNull();
  });

  it('leaves nothing behind where a limit is refused', () => {
    const controller = openCgroups({ root });
    const blocked = {
      ...limits,
      get pids(): number {
        throw new Error('EINVAL: invalid argument, write');
      },
    };
    expect(() => controller.create({ name: name('e'), limits: blocked })).toThrow('cannot be made');
    expect(existsSync(join(root, name('e')))).toBe(false);
  });

  it('is found and removed when its runner is dead', () => {
    const controller = openCgroups({ root });
    const dead = groupName({ ...runnerIdentity(), boot: '00000000', serial: 'z' });
    controller.create({ name: dead, limits });
    controller.create({ name: name('f'), limits });
    files.makeGroup(join(root, 'of-others'));
    expect(controller.sweep((found) => found === name('f'))).toEqual([dead]);
    expect(existsSync(join(root, dead))).toBe(false);
    expect(existsSync(join(root, name('f')))).toBe(true);
    expect(existsSync(join(root, 'of-others'))).toBe(true);
  });
});
