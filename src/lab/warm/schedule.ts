import type { Report } from '../../core/index.ts';
import { isHung } from '../run/limits.ts';

/** Milliseconds a fork may take beside its tests; generous, for a loaded machine. */
const forkMs = 250;
/** No test is expected to be quicker than this, in milliseconds: clocks and schedulers are not. */
const quickestMs = 10;
/** Milliseconds that imports and collection may take at the least. */
const startMs = 1_000;

/** How long a candidate may take, in milliseconds of its own CPU time. */
export type CandidateTime = {
  /** In all: four times what the tests took in the baseline, plus the cost of a fork. */
  limitMs: number;
  /** Until its tests are collected: twice what start and collection took in the baseline. */
  startMs: number;
  /**
   * From the end of one test to the end of the next: four times the slowest that passes, or twice the slowest that
   * failed by itself, whichever is longer.
   */
  idleMs: number;
};

/** Which tests a candidate must pass, in which order, and how long it may take. */
export type Schedule = CandidateTime & {
  /** Run first and alone: most candidates end here. In the order of the baseline, those it never reached last. */
  failing: string[];
  /** All of them, failing ones too, in the order of the baseline: tests may lean on what earlier ones left behind. */
  order: string[];
};

/**
 * Derives the schedule from the red run without a patch. Tests of the baseline that never ended (missing because
 * the run was killed) count as failing; skipped and ignored ones are left out.
 */
export function scheduleOf(baseline: Report, ignore: readonly string[] = []): Schedule {
  const left = baseline.tests.filter((test) => !ignore.includes(test.id) && test.status !== 'skipped');
  const failing = left.filter((test) => test.status !== 'passed' && test.status !== 'xfailed');
  const passing = left.filter((test) => !failing.includes(test));
  const missing = baseline.integrity.missing.filter((id) => !ignore.includes(id));
  const slowest = Math.max(quickestMs, ...passing.map((test) => test.durationMs));
  // A test that hung took its whole limit: that says nothing about a candidate that repairs it.
  const slowestFailing = Math.max(
    quickestMs,
    ...failing.filter((test) => !isHung(test)).map((test) => test.durationMs),
  );
  const spent = (test: Report['tests'][number]) => (isHung(test) ? slowest : test.durationMs);
  const tests = [...passing, ...failing].reduce((sum, test) => sum + Math.max(quickestMs, spent(test)), 0);
  const around = baseline.usage.wallMs - baseline.tests.reduce((sum, test) => sum + test.durationMs, 0);
  const ids = (some: { id: string }[]) => some.map((test) => test.id);
  const start = Math.max(startMs, 2 * around);
  // Nothing tells how long a test that hung takes once it is repaired: it gets twice the room.
  const room = missing.length > 0 || failing.some(isHung) ? 2 * forkMs : forkMs;
  return {
    failing: [...ids(failing), ...missing],
    order: [...ids(left), ...missing],
    limitMs: start + 4 * (tests + missing.length * slowest) + room,
    startMs: start,
    idleMs: Math.max(4 * slowest, 2 * slowestFailing) + room,
  };
}
