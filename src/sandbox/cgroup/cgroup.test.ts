import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCgroups } from './controller.ts';
import { groupName, isRunnerAlive, runnerIdentity } from './name.ts';
import { readStat } from './process-stat.ts';
import type { Cgroup, CgroupController, CgroupLimits } from './types.ts';

// Real groups of the machine's kernel. Where it offers none, each test asserts that this is said.

const roomy: CgroupLimits = { memoryBytes: 256 * 1024 * 1024, pids: 64, cpus: 2 };
const controllers: [string, CgroupController][] = [
  ['as the machine is', openCgroups()],
  ['with v1 hierarchies alone', openCgroups({ mountinfo: withoutUnified() })],
  ['where no hierarchy is mounted', openCgroups({ mountinfo: '' })],
];

function withoutUnified(): string {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.filter((line) => !line.includes(' - cgroup2 ')).join('\n');
}

let serial = 0;
const newName = () => groupName({ ...runnerIdentity(), serial: `t${serial++}` });

const groups: Cgroup[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const { pid } of children.splice(0)) {
    // What it started too: where there is no group, nothing else would end that.
    if (pid !== undefined) killAll(pid);
  }
  for (const group of groups.splice(0)) await group.remove();
});

function killAll(processGroup: number): void {
  try {
    process.kill(-processGroup, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

function create(controller: CgroupController, change: Partial<CgroupLimits> = {}): Cgroup {
  const group = controller.create({ name: newName(), limits: { ...roomy, ...change } });
  groups.push(group);
  return group;
}

/** A shell that waits for a line before it runs `script`, so that it is in its group by then. */
function waiting(script: string): { child: ChildProcess; pid: number; go: () => Promise<string> } {
  const child = spawn('/bin/sh', ['-c', `read -r word; ${script}`], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  children.push(child);
  let output = '';
  child.stdout?.on('data', (data) => {
    output += String(data);
  });
  const closed = once(child, 'close');
  const go = async () => {
    child.stdin?.end('go\n');
    await closed;
    return output;
  };
  return { child, pid: child.pid ?? 0, go };
}

describe.each(controllers)('groups %s', (where, controller) => {
  const { support } = controller;
  beforeEach(({ task }) => {
    if (support.memory === 'none' && where === 'as the machine is')
      task.meta.notTried = 'control groups of this kernel';
  });

  it('are said to exist or not, with the reason', () => {
    for (const held of [support.memory, support.pids, support.cpu])
      expect(['cgroup1', 'cgroup2', 'none']).toContain(held);
    expect(support.killAll === 'pid-namespace').toBe(create(controller).dirs.length === 0);
    if (support.memory === 'none') expect(support.notes.join()).toContain('memory');
  });

  it("lie below the runner's own group in each hierarchy", () => {
    const own = readFileSync('/proc/self/cgroup', 'utf8')
      .split('\n')
      .map((line) => line.split(':')[2] ?? '');
    for (const dir of create(controller).dirs) {
      expect(own.some((path) => dir.includes(`${path === '/' ? '' : path}/assay-${process.pid}-`))).toBe(
        true,
      );
    }
  });

  it('count an OOM kill though the parent of the killed exits 0', async () => {
    const group = create(controller, { memoryBytes: 24 * 1024 * 1024 });
    const { pid, go } = waiting(
      'head -c 80000000 /dev/zero | tail -c 64000000 >/dev/null; echo "parent goes on"; exit 0',
    );
    await group.addSoon([pid]);
    const output = await go();
    const { oomKills, memoryPeakBytes } = group.counters();
    expect(oomKills > 0).toBe(support.oomCounter);
    if (support.memory !== 'none') expect(memoryPeakBytes).toBeLessThanOrEqual(24 * 1024 * 1024);
    // v1 kills one process, v2 the whole group.
    expect(output.includes('parent goes on')).toBe(support.memory !== 'cgroup2');
  });

  it('refuse and count processes over the limit', async () => {
    const group = create(controller, { pids: 8 });
    const { child, pid } = waiting(
      'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 30 & echo born; done; wait',
    );
    await group.addSoon([pid]);
    child.stdin?.end('go\n');
    const isHeld = support.pids !== 'none';
    if (!isHeld) return expect(support.notes).not.toEqual([]);
    await until(() => group.counters().pidsRefused > 0);
    expect(group.counters().pidsPeak ?? 8).toBeLessThanOrEqual(8);
  });

  it('count CPU time, and hold it to the quota', async () => {
    const group = create(controller, { cpus: 0.2 });
    const { pid, go } = waiting('timeout 1 sh -c "while :; do :; done"');
    group.add([pid]);
    const started = performance.now();
    await go();
    const wallMs = performance.now() - started;
    const { cpuMs } = group.counters();
    if (support.cpu === 'none') return expect(group.dirs.length === 0 || support.notes.length > 0).toBe(true);
    expect(cpuMs).toBeGreaterThan(50);
    expect(cpuMs).toBeLessThan(wallMs * 0.6);
  });

  it('kill everything inside, what left its session and ignores SIGTERM included', async () => {
    const group = create(controller);
    const { child, pid } = waiting(
      `trap '' TERM; setsid sh -c 'trap "" TERM; (setsid sleep 20 &) ; echo $$; sleep 20' & sleep 20`,
    );
    await group.addSoon([pid]);
    const said = once(child.stdout ?? child, 'data');
    child.stdin?.end('go\n');
    const daemon = Number(String((await said)[0]));
    expect(readStat(daemon)).not.toBeNull();
    if (group.dirs.length === 0) return void process.kill(daemon, 'SIGKILL');
    expect(group.isEmpty()).toBe(false);
    await group.remove();
    expect(readStat(daemon)).toBeNull();
    expect(group.dirs.filter((dir) => existsSync(dir))).toEqual([]);
  });

  it('kill a fork bomb', async () => {
    if (support.pids === 'none') return expect(support.notes).not.toEqual([]);
    const group = create(controller, { pids: 40 });
    const { child, pid } = waiting('b() { b | b & }; while :; do b; sleep 0.01; done');
    await group.addSoon([pid]);
    child.stdin?.end('go\n');
    await until(() => group.counters().pidsRefused > 20);
    await group.remove();
    expect(group.dirs.filter((dir) => existsSync(dir))).toEqual([]);
  });

  it('pass over a process that has ended', async () => {
    const group = create(controller);
    const { pid, go } = waiting('exit 0');
    await go();
    group.add([pid]);
    await group.addSoon([pid]);
    expect(group.isEmpty()).toBe(true);
  });

  it('refuse a second group of the same name, and leave the first alone', () => {
    const group = create(controller);
    const name = group.dirs[0]?.split('/').at(-1) ?? newName();
    const again = () => controller.create({ name, limits: roomy });
    if (group.dirs.length === 0) return expect(again().dirs).toEqual([]);
    expect(again).toThrow(`control group ${name} cannot be made`);
    expect(group.dirs.every((dir) => existsSync(dir))).toBe(true);
  });

  it('are swept with what still runs in them once their runner is dead', async () => {
    const dead = groupName({ ...runnerIdentity(), startTime: 1, serial: `t${serial++}` });
    const left = controller.create({ name: dead, limits: roomy });
    const kept = create(controller);
    const { child, pid } = waiting('sleep 300');
    left.add([pid]);
    child.stdin?.end('go\n');
    const swept = controller.sweep(isRunnerAlive);
    if (left.dirs.length === 0) return expect(swept).toEqual([]);
    expect(swept).toContain(dead);
    expect(left.dirs.filter((dir) => existsSync(dir))).toEqual([]);
    expect(kept.dirs.every((dir) => existsSync(dir))).toBe(true);
  });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
