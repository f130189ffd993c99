import { setTimeout as sleep } from 'node:timers/promises';
import { AssayError } from '../../core/index.ts';
import { type ControlFiles, errorCode, isGone, messageOf, readPids } from './control-files.ts';
import { readCounters } from './counters.ts';
import { killGroup } from './kill.ts';
import { type Member, type Place, setLimits } from './place.ts';
import type { Cgroup, CgroupOptions, CgroupSupport } from './types.ts';

const removeDeadlineMs = 2_000;
const maxDelayMs = 16;

/**
 * Makes the group in each hierarchy and sets its limits.
 * @throws AssayError `environment` where the kernel refuses one; what was made is then removed.
 */
export function createGroup(
  options: CgroupOptions & { files: ControlFiles; places: readonly Place[]; support: CgroupSupport },
): Cgroup {
  const { files, places, support } = options;
  const members = places.map((place) => ({ place, dir: `${place.base}/${options.name}` }));
  const dirs = members.map(({ dir }) => dir);
  makeMembers({ ...options, members });

  const isEmpty = () => dirs.every((dir) => readPids(files, dir).length === 0);
  const killAll = () => killGroup({ files, members });
  const add = (pids: readonly number[]) => {
    for (const dir of dirs) for (const pid of pids) enter({ dir, pid }, (f, v) => files.write(f, v));
  };
  return {
    support,
    dirs,
    // Moving nobody but itself, a thread needs no lock on the processes of the whole machine (kernel/cgroup/cgroup.c).
    selfEntry: places.every(({ version }) => version === 1) ? dirs.map((dir) => `${dir}/tasks`) : null,
    add,
    async addSoon(pids) {
      const [dir] = dirs;
      const [pid] = pids;
      if (dir === undefined || pid === undefined) return;
      try {
        await files.writeSoon(`${dir}/cgroup.procs`, String(pid));
      } catch (error) {
        refuseUnlessGone(error, { dir, pid });
      }
      // The kernel stays ready for a while after the first move: the others are quick.
      add(pids);
    },
    counters: () => readCounters({ files, members }),
    isEmpty,
    killAll,
    async remove() {
      const deadline = performance.now() + removeDeadlineMs;
      for (let delay = 1; !removeMembers(files, dirs); delay = Math.min(delay * 2, maxDelayMs)) {
        if (performance.now() > deadline) throw undying(dirs);
        killAll();
        await sleep(delay);
      }
    },
  };
}

function makeMembers(options: CgroupOptions & { files: ControlFiles; members: readonly Member[] }): void {
  const { files, members, limits } = options;
  const made: string[] = [];
  try {
    for (const { place, dir } of members) {
      files.makeGroup(dir);
      made.push(dir);
      setLimits({ files, place, dir, limits });
    }
  } catch (error) {
    removeMembers(files, made);
    throw new AssayError({
      code: 'environment',
      message: `The control group ${options.name} cannot be made`,
      because: messageOf(error),
      fix: 'Run `assay doctor` to see which control groups this machine lets you use',
      cause: error,
    });
  }
}

function enter(target: { dir: string; pid: number }, write: (file: string, value: string) => void): void {
  try {
    write(`${target.dir}/cgroup.procs`, String(target.pid));
  } catch (error) {
    refuseUnlessGone(error, target);
  }
}

function refuseUnlessGone(error: unknown, { dir, pid }: { dir: string; pid: number }): void {
  if (errorCode(error) === 'ESRCH') return;
  throw new AssayError({
    code: 'environment',
    message: `Process ${pid} cannot be moved into the control group ${dir}`,
    because: messageOf(error),
    fix: 'Run `assay doctor` to see which control groups this machine lets you use',
    cause: error,
  });
}

/** Removes the folders; false where one of them still holds a process. */
export function removeMembers(files: ControlFiles, dirs: readonly string[]): boolean {
  let all = true;
  for (const dir of dirs) {
    try {
      files.removeGroup(dir);
    } catch (error) {
      if (!isGone(error)) all = false;
    }
  }
  return all;
}

function undying(dirs: readonly string[]): AssayError {
  return new AssayError({
    code: 'environment',
    message: `Processes in the control group ${dirs[0]} did not die within ${removeDeadlineMs / 1000} s of SIGKILL`,
    because: 'they wait in the kernel for a device or a network file system',
    fix: 'Look for processes in state D with `ps -eo pid,stat,wchan,args`; the group goes at the next start once they end',
  });
}
