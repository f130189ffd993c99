import type { Clock } from '../core/index.ts';

/** The longest delay that setTimeout keeps. */
const maxDelayMs = 0x7fffffff;

/**
 * Calls `onPassed` once the clock has gone on by `afterMs`. Asks the clock again when the timer fires, so a timer that
 * fires early or a date set forwards or back changes nothing. Returns what cancels it.
 */
export function startDeadline(options: { clock: Clock; afterMs: number; onPassed: () => void }): () => void {
  const { clock, afterMs, onPassed } = options;
  const end = clock.monotonicMs() + afterMs;
  let timer: NodeJS.Timeout;
  const arm = () => {
    const left = end - clock.monotonicMs();
    if (left <= 0) onPassed();
    else timer = setTimeout(arm, Math.min(Math.max(1, Math.ceil(left)), maxDelayMs));
  };
  timer = setTimeout(arm, Math.min(Math.max(1, Math.ceil(afterMs)), maxDelayMs));
  return () => clearTimeout(timer);
}

export const systemClock: Clock = { monotonicMs: () => performance.now(), now: () => new Date() };
