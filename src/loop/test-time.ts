import type { RepairSpec, Report } from '../core/index.ts';
import { defaultTestMs, isHung } from '../lab/index.ts';

/** Wall limit of a baseline run where none is given; never more than half of the wall budget. */
const baselineMs = 300_000;
/** Silence that a suite is allowed before its first test ends, and any test of the unpatched project. */
const silenceMs = 60_000;
/** What the lab needs to end a test that is over its limit; only what it cannot end is left to the silence. */
const endingMs = 15_000;

/** How long one test run may take, in milliseconds. */
export type TestTime = {
  wallMs: number;
  /** One test, which then fails alone. */
  testMs: number;
  /** Until the first test ends. */
  firstMs: number;
  /** From the end of a test to the end of the next. */
  betweenMs: number;
};

/** For a run of the unpatched project. Limits that the user gives are kept as they are. */
export function baselineTime(spec: RepairSpec): TestTime {
  const testMs = spec.perTestMs ?? defaultTestMs;
  const given = spec.testTimeoutMs;
  if (given !== null) return { wallMs: given, testMs, firstMs: given, betweenMs: given };
  const silence = Math.max(silenceMs, testMs + endingMs);
  return {
    wallMs: Math.min(baselineMs, spec.limits.wallMs / 2),
    testMs,
    firstMs: silence,
    betweenMs: silence,
  };
}

/** To collect the tests of the unpatched project: no longer than a run may take to its first test. */
export function collectTime(spec: RepairSpec): { wallMs: number } {
  return { wallMs: baselineTime(spec).firstMs };
}

/**
 * For a patched project: four times what the unpatched tests took and room to start, ten times the slowest test that
 * ended by itself, and in the same way for the silence between two tests; but never more than the unpatched project
 * was given.
 */
export function patchedTime(spec: RepairSpec, baseline: Report): TestTime {
  const most = baselineTime(spec);
  const ended = baseline.tests.filter((test) => !isHung(test));
  const slowest = Math.max(0, ...ended.map(({ durationMs }) => durationMs));
  const testMs = Math.min(spec.perTestMs ?? Math.max(10 * slowest, 5_000), most.testMs);
  if (spec.testTimeoutMs !== null) return { ...most, testMs };
  const wanted = Math.max(4 * baseline.usage.wallMs + 5_000, 10_000);
  return {
    wallMs: Math.min(wanted, Math.max(most.wallMs, 10_000)),
    testMs,
    firstMs: most.firstMs,
    betweenMs: Math.min(Math.max(4 * slowest, testMs) + endingMs, most.betweenMs),
  };
}

/** What an aborted report is when it was the silence that aborted it. */
export function hungReport(report: Report, silentMs: number): Report {
  const left = report.integrity.missing.length;
  const missing = left === 0 ? '' : `; ${left} ${left === 1 ? 'test' : 'tests'} had not finished`;
  return {
    ...report,
    verdict: 'timeout',
    reason: `no test finished for ${Math.round(silentMs / 1000)} s${missing}`,
    exit: { ...report.exit, reason: 'timeout' },
  };
}
