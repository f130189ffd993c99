import type { RepairSpec, Report } from '../core/index.ts';

/** Wall limit of a baseline run where none is given; never more than half of the wall budget. */
const baselineMs = 300_000;
/** Silence that a suite is allowed before its first test ends, and any test of the unpatched project. */
const silenceMs = 60_000;

/** How long one test run may take, in milliseconds. */
export type TestTime = {
  wallMs: number;
  /** Until the first test ends. */
  firstMs: number;
  /** From the end of a test to the end of the next. */
  betweenMs: number;
};

/** For a run of the unpatched project. A limit that the user gives is the only one. */
export function baselineTime(spec: RepairSpec): TestTime {
  const given = spec.testTimeoutMs;
  if (given !== null) return { wallMs: given, firstMs: given, betweenMs: given };
  return {
    wallMs: Math.min(baselineMs, spec.limits.wallMs / 2),
    firstMs: silenceMs,
    betweenMs: silenceMs,
  };
}

/**
 * For a patched project: four times what the unpatched tests took and room to start, but no more than those were
 * given, and in the same way for the silence between two tests.
 */
export function patchedTime(spec: RepairSpec, baseline: Report): TestTime {
  const most = baselineTime(spec);
  if (spec.testTimeoutMs !== null) return most;
  const slowest = Math.max(0, ...baseline.tests.map(({ durationMs }) => durationMs));
  const wanted = Math.max(4 * baseline.usage.wallMs + 5_000, 10_000);
  return {
    wallMs: Math.min(wanted, Math.max(most.wallMs, 10_000)),
    firstMs: most.firstMs,
    betweenMs: Math.min(4 * slowest + 15_000, most.betweenMs),
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
