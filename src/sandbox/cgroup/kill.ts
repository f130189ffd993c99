import { type ControlFiles, readPids } from './control-files.ts';
import type { Member } from './place.ts';

/** Rounds of reading and signalling without a freezer: each catches what the killed had forked meanwhile. */
const maxRounds = 100;

/** Sends SIGKILL to everything in a group. Returns before the processes are gone. */
export function killGroup(options: { files: ControlFiles; members: readonly Member[] }): void {
  const { files, members } = options;
  const killer = members.find(({ place }) => place.kill !== null);
  switch (killer?.place.kill) {
    case 'cgroup.kill':
      ignoreMissing(() => files.write(`${killer.dir}/cgroup.kill`, '1'));
      return;
    case 'freezer':
      // Frozen, nothing forks while the list is read; the signal takes effect when they thaw.
      ignoreMissing(() => files.write(`${killer.dir}/freezer.state`, 'FROZEN'));
      try {
        signalMembers({ files, members });
      } finally {
        ignoreMissing(() => files.write(`${killer.dir}/freezer.state`, 'THAWED'));
      }
      return;
    default:
      signalMembers({ files, members });
  }
}

function signalMembers(options: { files: ControlFiles; members: readonly Member[] }): void {
  const signalled = new Set<number>();
  for (let round = 0; round < maxRounds; round++) {
    const fresh = options.members
      .flatMap(({ dir }) => readPids(options.files, dir))
      // 0 would mean "my own process group" to kill(2).
      .filter((pid) => pid > 0 && !signalled.has(pid));
    if (fresh.length === 0) return;
    for (const pid of fresh) {
      signalled.add(pid);
      kill(pid);
    }
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone; what may not be signalled shows when the group does not become empty.
  }
}

function ignoreMissing(action: () => void): void {
  try {
    action();
  } catch {
    // The group is gone, so there is nothing to kill; anything else shows when it does not become empty.
  }
}
