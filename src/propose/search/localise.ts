import type { Coverage, TestResult } from '../../core/index.ts';

/** How much a piece of code is suspected. */
export type Suspicion = {
  /** Ochiai coefficient in [0, 1] from coverage alone. */
  readonly ochiai: number;
  /** What candidates are ordered by: the coefficient, raised where a stack trace points. */
  readonly weight: number;
  /** Failing tests that ran it. */
  readonly failing: number;
};

export type Localisation = {
  /** Files that failing tests ran or that their stack traces name, the most suspected first. */
  readonly files: readonly string[];
  /** Failing tests in all. */
  readonly failing: number;
  /** Passing tests in all. */
  readonly passing: number;
  /** The most suspected line of a range (1-based, both ends included). */
  of(path: string, from: number, to: number): Suspicion;
};

const innocent: Suspicion = { ochiai: 0, weight: 0, failing: 0 };
/** The line that raised, and the lines that called it. */
const raisedBoost = 1.5;
const calledBoost = 1.2;
/** Suspicion of a line that only a stack trace names: a test that hung or died leaves no coverage. */
const traceOnly = 0.5;
/** Suspicion of a line that was run when no failing test left coverage. */
const blind = 0.2;

export type LocaliseOptions = {
  coverage: Coverage;
  /** Failing tests with their stack traces. */
  failing: readonly TestResult[];
  /** Tests that differ by themselves: they count for nothing. */
  flaky: readonly string[];
  /** False for files a patch may not touch. */
  editable(path: string): boolean;
};

/**
 * Spectrum-based fault localisation with the Ochiai coefficient of Abreu, Zoeteweij and van Gemund, "On the
 * accuracy of spectrum-based fault localization", TAICPART 2007: ef / sqrt((ef + nf) * (ef + ep)), where ef and
 * ep count the failing and passing tests that ran a line. Lines that no failing test ran are not suspected.
 */
export function localise(options: LocaliseOptions): Localisation {
  const { coverage, failing, editable } = options;
  const flaky = new Set(options.flaky);
  const failingIds = new Set(failing.map((test) => test.id));
  const tests = coverage.tests.filter((test) => !flaky.has(test.id));
  const failed = tests.filter((test) => failingIds.has(test.id) || (failingIds.size === 0 && !test.passed));
  const passed = tests.filter((test) => !failed.includes(test) && test.passed);
  const total = Math.max(failingIds.size, failed.length);
  const lines = new Map<string, Map<number, Suspicion>>();
  const seen = failed.some((test) => Object.keys(test.lines).some(editable));
  const ef = count(failed, editable);
  const ep = count(passed, editable);
  for (const [path, counts] of seen ? ef : ep) {
    const found = new Map<number, Suspicion>();
    for (const [line, times] of counts) {
      const bad = seen ? times : 0;
      const good = ep.get(path)?.get(line) ?? 0;
      const ochiai = seen ? bad / Math.sqrt(total * (bad + good)) : 0;
      found.set(line, { ochiai, weight: seen ? ochiai : blind, failing: bad });
    }
    lines.set(path, found);
  }
  boost(lines, failing, editable);
  const peak = (path: string) => Math.max(0, ...[...(lines.get(path)?.values() ?? [])].map((s) => s.weight));
  const files = [...lines.keys()].sort((a, b) => peak(b) - peak(a) || (a < b ? -1 : 1));
  return {
    files,
    failing: total,
    passing: passed.length,
    of(path, from, to) {
      const found = lines.get(path);
      let best = innocent;
      if (found === undefined) return best;
      if (to - from < found.size) {
        for (let line = from; line <= to; line += 1) best = worse(best, found.get(line));
      } else {
        for (const [line, here] of found) if (line >= from && line <= to) best = worse(best, here);
      }
      return best;
    },
  };
}

const worse = (a: Suspicion, b: Suspicion | undefined) => (b !== undefined && b.weight > a.weight ? b : a);

function count(
  tests: Coverage['tests'],
  editable: (path: string) => boolean,
): Map<string, Map<number, number>> {
  const counts = new Map<string, Map<number, number>>();
  for (const test of tests) {
    for (const [path, lines] of Object.entries(test.lines)) {
      if (!editable(path)) continue;
      const found = counts.get(path) ?? new Map<number, number>();
      for (const line of new Set(lines)) found.set(line, (found.get(line) ?? 0) + 1);
      counts.set(path, found);
    }
  }
  return counts;
}

function boost(
  lines: Map<string, Map<number, Suspicion>>,
  failing: readonly TestResult[],
  editable: (path: string) => boolean,
): void {
  const boosts = new Map<string, Map<number, number>>();
  for (const { failure } of failing) {
    const frames = (failure?.frames ?? []).filter((frame) => frame.inProject && editable(frame.file));
    for (const [place, frame] of frames.entries()) {
      const found = boosts.get(frame.file) ?? new Map<number, number>();
      const here = place === frames.length - 1 ? raisedBoost : calledBoost;
      found.set(frame.line, Math.max(here, found.get(frame.line) ?? 0));
      boosts.set(frame.file, found);
    }
  }
  for (const [path, found] of boosts) {
    const known = lines.get(path) ?? new Map<number, Suspicion>();
    for (const [line, factor] of found) {
      const before = known.get(line) ?? { ochiai: 0, weight: traceOnly, failing: 0 };
      known.set(line, { ...before, weight: before.weight * factor });
    }
    lines.set(path, known);
  }
}
