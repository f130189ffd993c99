import { execFile } from 'node:child_process';
import { chownSync, existsSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { openCgroups } from './controller.ts';
import { groupName, runnerIdentity } from './name.ts';
import type { Cgroup } from './types.ts';
import { runnersLeaf } from './unified.ts';

// What an ordinary user gets whose group was handed over: as root, made here and entered by a child with a uid of its
// own; as an ordinary user, whatever the machine gave that user.

const uid = 54_321;
const isRoot = process.getuid?.() === 0;
const controller = openCgroups();
const made: Cgroup[] = [];
afterEach(async () => {
  for (const group of made.splice(0)) {
    // Where the user had to make room in v2.
    for (const dir of group.dirs) if (existsSync(`${dir}/${runnersLeaf}`)) rmdirSync(`${dir}/${runnersLeaf}`);
    await group.remove();
  }
});

/** A group of the user's in each hierarchy, or only in those whose path has `part` in it; the others stay root's. */
function handOver(part = ''): readonly string[] {
  const name = groupName({ ...runnerIdentity(), serial: `handedover${made.length}` });
  const group = controller.create({ name, limits: { memoryBytes: 2 ** 30, pids: 500, cpus: 2 } });
  made.push(group);
  for (const dir of group.dirs.filter((path) => path.includes(part))) {
    for (const path of [dir, `${dir}/cgroup.procs`, `${dir}/cgroup.subtree_control`]) {
      if (existsSync(path)) chownSync(path, uid, uid);
    }
  }
  return group.dirs;
}

/** Runs an ES module as the ordinary user, a member of `groups`. It has `cgroup` as this room's door. */
async function asUser(groups: readonly string[], code: string): Promise<unknown> {
  const module = [
    `import * as cgroup from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};`,
    code,
  ].join('\n');
  const node = [process.execPath, '--input-type=module', '--no-warnings', '-e', module];
  const drop = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  // Only so that the user can read this checkout wherever it lies; it gives no right to write.
  const read = ['--inh-caps=-all,+dac_read_search', '--ambient-caps=-all,+dac_read_search'];
  const enter = groups.map((dir) => `echo $$ > ${dir}/cgroup.procs`).join('\n');
  const argv = isRoot ? ['/bin/sh', '-ec', `${enter}\nexec "$@"`, 'sh', ...drop, ...read, ...node] : node;
  const [file = '', ...args] = argv;
  const { stdout } = await promisify(execFile)(file, args, { cwd: '/' });
  return JSON.parse(stdout);
}

const tryOut = `
  import { spawn } from 'node:child_process';
  import { once } from 'node:events';
  const controller = cgroup.openCgroups();
  const name = cgroup.groupName({ ...cgroup.runnerIdentity(), serial: 'u1' });
  const group = controller.create({ name, limits: { memoryBytes: 24 << 20, pids: 8, cpus: 1 } });
  const script = \`
    read -r word
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 20 & done
    head -c 80000000 /dev/zero | tail -c 64000000 >/dev/null
    echo done\`;
  const child = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  await group.addSoon([child.pid]);
  const exited = once(child, 'exit');
  child.stdin.end('go\\n');
  const grown = () => {
    const { oomKills, pidsRefused } = group.counters();
    return oomKills > 0 || pidsRefused > 0 || child.exitCode !== null;
  };
  while (!grown()) await new Promise((resolve) => setTimeout(resolve, 5));
  const counters = group.counters();
  await group.remove();
  if (group.dirs.length === 0) process.kill(-child.pid, 'SIGKILL');
  await exited;
  console.log(JSON.stringify({ uid: process.getuid(), support: controller.support, counters, dirs: group.dirs }));
`;

type TriedOut = {
  uid: number;
  support: { memory: string; pids: string; cpu: string; killAll: string; notes: string[] };
  counters: { oomKills: number; pidsRefused: number };
  dirs: string[];
};

describe('an ordinary user', () => {
  it('limits, counts and kills in groups that were handed over', async ({ task }) => {
    const groups = isRoot ? handOver() : [];
    const { uid: ran, support, counters, dirs } = (await asUser(groups, tryOut)) as TriedOut;
    expect(ran).toBe(isRoot ? uid : process.getuid?.());
    if (isRoot) {
      const { memory, pids, cpu } = controller.support;
      expect(support).toMatchObject({ memory, pids, cpu });
      expect(dirs.map((dir) => dirname(dir))).toEqual(groups);
    }
    const isHeld = support.memory !== 'none' || support.pids !== 'none';
    expect(counters.oomKills + counters.pidsRefused > 0).toBe(isHeld);
    if (!isHeld) {
      task.meta.notTried = 'control groups that were handed over';
      expect(support.notes).not.toEqual([]);
    }
    expect(dirs.filter((dir) => existsSync(dir))).toEqual([]);
  });

  it('is told which limits are missing where only the hierarchy of processes was handed over', async () => {
    const groups = isRoot ? handOver('/pids/') : [];
    const { support } = (await asUser(groups, tryOut)) as TriedOut;
    if (isRoot) expect(support.memory).toBe('none');
    if (isRoot && controller.support.pids === 'cgroup1') {
      expect(support).toMatchObject({ pids: 'cgroup1', killAll: 'cgroup-signal' });
      expect(support.notes.join('\n')).toMatch(/no group can be made below .*\/memory\/.*EACCES/);
    }
    if (support.memory === 'none') expect(support.notes.join()).toContain('memory');
  });
});
