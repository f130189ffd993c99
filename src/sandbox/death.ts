import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Cgroup } from './cgroup/index.ts';
import { isRunning, type ProcessId, runsNoMore } from './processes.ts';

/** How long the killed get to disappear. SIGKILL takes effect at once unless the kernel is stuck. */
export const dyingLimitMs = 5_000;

/** Turns of the event loop given to a sandbox that ended by itself: usually nothing is left a moment after bwrap. */
const quietTurns = 10;

/** Turns to look again without sleeping: the killed are gone within microseconds, unless the machine is busy. */
const eagerTurns = 60;
const maxSleepMs = 16;

/** Resolves when bwrap is gone, with the error that kept it from starting, if any. */
export function bwrapEnded(child: ChildProcess): Promise<Error | null> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve(null));
    child.on('error', (error) => {
      // Also emitted where a signal cannot be sent; then the exit is still to come.
      if (child.pid === undefined) resolve(error);
    });
  });
}

/**
 * Sees to it that nothing of a sandbox is left whose bwrap has ended: what goes on is killed. It is gone when the group
 * is empty, pid 1 (and with it its whole pid namespace) has ended and the output has been read to its end. Where there
 * is a group, pid 1 need not be awaited while the kernel takes down its namespaces, near a millisecond: the command is in
 * the group, and what has not entered it yet holds the setup stream open. False where that took longer than
 * `dyingLimitMs`.
 */
export async function everythingGone(options: {
  cgroup: Cgroup;
  first: ProcessId | null;
  streams: readonly Readable[];
  killAll: () => void;
}): Promise<boolean> {
  const { cgroup, first, streams, killAll } = options;
  const giveUp = AbortSignal.timeout(dyingLimitMs);
  const read = Promise.all(streams.map((stream) => closed(stream, giveUp)));
  const hasGroup = cgroup.dirs.length > 0;
  const firstIsGone = () => first === null || (hasGroup ? runsNoMore(first) : !isRunning(first));
  const isGone = () => firstIsGone() && cgroup.isEmpty();
  for (let turn = 0; !isGone(); turn++) {
    if (giveUp.aborted) return false;
    if (turn === quietTurns || turn >= eagerTurns) killAll();
    if (turn < eagerTurns) await nextTurn();
    else await sleep(Math.min(turn - eagerTurns + 1, maxSleepMs));
  }
  await read;
  return !giveUp.aborted;
}

function closed(stream: Readable, giveUp: AbortSignal): Promise<void> {
  if (stream.closed) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('close', resolve);
    giveUp.addEventListener('abort', () => resolve(), { once: true });
  });
}
