import type { Report } from '../core/index.ts';
import { isFailing } from './stagnation.ts';

/** A report of all tests, taken apart: what a proposer may know of, and counts of the rest. */
export type Parted = { visible: Report; heldOut: { total: number; passed: number } | null };

/**
 * Parts a report of all tests. The visible part holds no id, message or output of a held-out test, and no sentence
 * that may name one; its verdict is `passed` where only held-out tests kept the whole from it.
 * @param options.heldOut files of the held-out tests, project-relative
 * @param options.expected ids of the visible tests
 */
export function partReport(
  report: Report,
  options: { heldOut: readonly string[]; expected: readonly string[] },
): Parted {
  if (options.heldOut.length === 0) return { visible: report, heldOut: null };
  const hidden = new Set(options.heldOut);
  const expected = new Set(options.expected);
  const hiddenTests = report.tests.filter((test) => hidden.has(test.file) && !expected.has(test.id));
  const tests = report.tests.filter((test) => !hiddenTests.includes(test));
  const shown = (ids: readonly string[]) => ids.filter((id) => expected.has(id));
  const { integrity } = report;
  const problems = report.problems.filter(({ file }) => !hidden.has(file));
  const missing = shown(integrity.missing);
  const visible: Report = {
    ...report,
    tests,
    problems,
    summary: {
      total: tests.length,
      passed: tests.filter(({ status }) => status === 'passed').length,
      failed: tests.filter(isFailing).length,
      skipped: tests.filter(({ status }) => status === 'skipped').length,
    },
    integrity: {
      ...integrity,
      missing,
      extra: [],
      duplicates: shown(integrity.duplicates),
      newlySkipped: shown(integrity.newlySkipped),
      irregularities: [],
    },
    output: { stdout: '', stderr: '', truncated: true },
    warnings: report.warnings.filter((warning) => !options.heldOut.some((file) => warning.includes(file))),
    ...verdictOf(report, tests, problems.length + missing.length + shown(integrity.newlySkipped).length),
  };
  const passed = hiddenTests.filter(({ status }) => status === 'passed').length;
  const absent = integrity.missing.length - missing.length;
  return { visible, heldOut: { total: hiddenTests.length + absent, passed } };
}

function verdictOf(
  report: Report,
  tests: Report['tests'],
  otherTrouble: number,
): Pick<Report, 'verdict' | 'reason'> {
  if (report.verdict === 'passed') return { verdict: 'passed', reason: 'every test passed' };
  const failing = tests.filter(isFailing).length;
  if (report.verdict === 'failed' && failing === 0 && otherTrouble === 0)
    return { verdict: 'passed', reason: 'every visible test passed' };
  const reason =
    report.verdict === 'failed'
      ? `${failing} of ${tests.length} visible tests fail`
      : `the run ended as ${report.verdict}`;
  return { verdict: report.verdict, reason };
}
