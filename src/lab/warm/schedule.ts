import type { Report } from '../../core/index.ts';

/** Milliseconds a fork needs beside its tests, generous for a loaded machine. */
const forkMs = 250;

/** Which tests a candidate must pass, in which order, and how long it may take. */
export type Schedule = {
  /** Failing tests first (the quickest ahead, the ones that hung last), then the passing ones, quickest first. */
  order: string[];
  failing: number;
  /** One candidate's time limit: four times what the tests took in the baseline, plus the cost of a fork. */
  limitMs: number;
};

/**
 * Derives the schedule from the red run without a patch. Tests of the baseline that never ended (missing because
 * the run was killed) count as failing; skipped and ignored ones are left out.
 */
export function scheduleOf(baseline: Report, ignore: readonly string[] = []): Schedule {
  const left = baseline.tests.filter((test) => !ignore.includes(test.id));
  const quickestFirst = (a: { durationMs: number }, b: { durationMs: number }) => a.durationMs - b.durationMs;
  const failing = left
    .filter((test) => test.status === 'failed' || test.status === 'error')
    .sort(quickestFirst);
  const passing = left
    .filter((test) => test.status === 'passed' || test.status === 'xfailed')
    .sort(quickestFirst);
  const missing = baseline.integrity.missing.filter((id) => !ignore.includes(id));
  // A failing test may have hung until its limit: what it took says nothing about a candidate that repairs it.
  const slowestPass = Math.max(50, ...passing.map((test) => test.durationMs));
  const total =
    passing.reduce((sum, test) => sum + test.durationMs, 0) +
    failing.reduce((sum, test) => sum + Math.min(test.durationMs, slowestPass), 0);
  const ids = (tests: { id: string }[]) => tests.map((test) => test.id);
  return {
    order: [...ids(failing), ...missing, ...ids(passing)],
    failing: failing.length + missing.length,
    limitMs: 4 * total + forkMs,
  };
}
