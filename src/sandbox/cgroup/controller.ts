import { readFileSync } from 'node:fs';
import { type ControlFiles, kernelControlFiles } from './control-files.ts';
import { detect } from './detect.ts';
import { createGroup, type Member, removeMembers } from './group.ts';
import { killGroup } from './kill.ts';
import { readLayout } from './layout.ts';
import { parseGroupName } from './name.ts';
import type { Place } from './place.ts';
import type { CgroupController } from './types.ts';

/** How long one sweep waits for the killed to be gone, in all. */
const sweepDeadlineMs = 250;

/**
 * Finds out what the control groups of this machine can enforce below the runner's own group: v2, v1, or limits
 * from v1 and the kill switch from v2 (hybrid). Tries it for real, in a few milliseconds, so open once per process.
 * Never throws: what cannot be had is `none` in `support`, with the reason among its notes.
 *
 * `mountinfo`, `selfCgroup`: the texts of the files in /proc/self, for tests.
 */
export function openCgroups(options: { mountinfo?: string; selfCgroup?: string } = {}): CgroupController {
  const files = kernelControlFiles;
  const hierarchies = readLayout({
    mountinfo: options.mountinfo ?? textOf('/proc/self/mountinfo'),
    selfCgroup: options.selfCgroup ?? textOf('/proc/self/cgroup'),
  });
  const { places, support } = detect({ files, hierarchies });
  return {
    support,
    create: (group) => createGroup({ ...group, files, places, support }),
    sweep: (isAlive) => sweep({ files, places, isAlive }),
  };
}

function sweep(options: {
  files: ControlFiles;
  places: readonly Place[];
  isAlive: (name: string) => boolean;
}): string[] {
  const { files, places, isAlive } = options;
  const names = new Set(places.flatMap(({ base }) => groupsBelow(files, base)));
  const dead = [...names].filter((name) => parseGroupName(name) !== null && !isAlive(name));
  const deadline = performance.now() + sweepDeadlineMs;
  return dead.filter((name) => {
    const members = places.map((place): Member => ({ place, dir: `${place.base}/${name}` }));
    const dirs = members.map(({ dir }) => dir);
    while (!removeMembers(files, dirs)) {
      if (performance.now() > deadline) return false;
      killGroup({ files, members });
      pause(2);
    }
    return true;
  });
}

function groupsBelow(files: ControlFiles, base: string): string[] {
  try {
    return files.listGroups(base);
  } catch {
    return [];
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
