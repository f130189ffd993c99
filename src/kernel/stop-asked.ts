import type { Clock } from '../core/index.ts';
import { startDeadline } from '../sandbox/index.ts';

/** Why a cell is to be stopped; null where it ended by itself. */
export type Stopped = { why: 'deadline'; deadlineMs: number } | { why: 'aborted' } | null;

/** Resolves with null once a cell has ended, or with the reason to stop it. */
export function stopAsked(options: {
  ended: Promise<unknown>;
  clock: Clock;
  deadlineMs: number;
  signal?: AbortSignal;
}): Promise<Stopped> {
  const { ended, clock, deadlineMs, signal } = options;
  return new Promise((resolve) => {
    const onAbort = () => finish({ why: 'aborted' });
    const stopClock = startDeadline({
      clock,
      afterMs: deadlineMs,
      onPassed: () => finish({ why: 'deadline', deadlineMs }),
    });
    const finish = (stopped: Stopped) => {
      stopClock();
      signal?.removeEventListener('abort', onAbort);
      resolve(stopped);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    void ended.then(() => finish(null));
  });
}
