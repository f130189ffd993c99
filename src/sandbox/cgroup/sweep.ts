import type { ControlFiles } from './control-files.ts';
import { removeMembers } from './group.ts';
import { killGroup } from './kill.ts';
import { parseGroupName } from './name.ts';
import type { Member, Place } from './place.ts';

/** How long one sweep waits for the killed to be gone, in all. */
const sweepDeadlineMs = 1_000;
const pollMs = 2;

/** Kills and removes the groups whose runner no longer lives. Returns the names of those that are gone. */
export function sweepGroups(options: {
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
      pause(pollMs);
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
