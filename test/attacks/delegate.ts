import * as fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLayout } from '../../src/sandbox/cgroup/layout.ts';

/** Control groups below this process's own, given to an ordinary uid, as a service manager would. */
export type Delegation = { groups: string[]; remove: () => Promise<void> };

const controllers = ['memory', 'pids', 'cpu'];

/** Makes one group in each hierarchy that limits memory, processes or CPU, or can kill. Needs root. */
export function delegate(uid: number): Delegation {
  const name = `attacks-${process.pid}-${Date.now().toString(36)}`;
  const groups = readLayout({
    mountinfo: fs.readFileSync('/proc/self/mountinfo', 'utf8'),
    selfCgroup: fs.readFileSync('/proc/self/cgroup', 'utf8'),
  })
    .filter(
      ({ version, controllers: bound }) => version === 2 || bound.some((one) => controllers.includes(one)),
    )
    .map(({ ownDir }) => path.join(ownDir, name));
  for (const group of groups) {
    fs.mkdirSync(group);
    fs.chownSync(group, uid, uid);
    // What the kernel's documentation lists as delegated: joining, and switching controllers on; never the limits.
    for (const file of ['cgroup.procs', 'tasks', 'cgroup.threads', 'cgroup.subtree_control']) {
      if (fs.existsSync(`${group}/${file}`)) fs.chownSync(`${group}/${file}`, uid, uid);
    }
  }
  return {
    groups,
    remove: async () => {
      for (const group of groups) await removeGroup(group);
    },
  };
}

/** What the driver leaves below its group is a failure of the sandbox: an unremovable group throws here. */
async function removeGroup(group: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return fs.rmdirSync(group);
    } catch (error) {
      if (attempt === 50) throw error;
      await sleep(20);
    }
  }
}
