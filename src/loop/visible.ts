import type { Failure, Report, TestResult } from '../core/index.ts';
import type { Expected } from '../lab/index.ts';
import { isFailing } from './stagnation.ts';

/** A report of all tests, taken apart: what a proposer may know of, and counts of the rest. */
export type Parted = { visible: Report; heldOut: { total: number; passed: number } | null };

export type PartOptions = {
  /** Files of the held-out tests, project-relative. */
  files: readonly string[];
  /** What was expected of the run, and what of it is visible. */
  all: Expected;
  visible: Expected;
};

/**
 * Parts a report of all tests. The visible part holds no id, message or output of a held-out test, and no sentence
 * that may name one; its verdict is `passed` where only held-out tests kept the whole from it. The texts of the
 * visible tests are left out too: a patch that reads the held-out files, which this run has, can say in them what it
 * read.
 */
export function partReport(report: Report, options: PartOptions): Parted {
  if (options.files.length === 0) return { visible: report, heldOut: null };
  const hidden = new Set(options.files);
  const shownIds = new Set(idsOf(options.visible));
  const hiddenIds = new Set(idsOf(options.all).filter((id) => !shownIds.has(id)));
  const hiddenTests = report.tests.filter(
    (test) => hiddenIds.has(test.id) || (hidden.has(test.file) && !shownIds.has(test.id)),
  );
  for (const { id } of hiddenTests) hiddenIds.add(id);
  const tests = report.tests.filter((test) => !hiddenIds.has(test.id)).map(withoutTexts);
  const shown = (ids: readonly string[]) => ids.filter((id) => !hiddenIds.has(id));
  const { integrity } = report;
  const problems = report.problems.filter(({ file }) => !hidden.has(file)).map(withoutText);
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
    warnings: report.warnings.filter((warning) => !options.files.some((file) => warning.includes(file))),
    ...verdictOf(report, tests, problems.length + missing.length + shown(integrity.newlySkipped).length),
  };
  const passed = hiddenTests.filter(({ status }) => status === 'passed').length;
  const absent = integrity.missing.length - missing.length;
  return { visible, heldOut: { total: hiddenTests.length + absent, passed } };
}

/** Even the name of an exception can be made of what was read. */
const withoutText = <F extends Failure>(failure: F): F => ({
  ...failure,
  type: '',
  message: unsaid,
  trace: '',
  frames: [],
});
const unsaid = 'not told: the held-out tests were there in this run';

const withoutTexts = (test: TestResult): TestResult => ({
  ...test,
  failure: test.failure === null ? null : withoutText(test.failure),
  skipReason: test.skipReason === null ? null : unsaid,
  stdout: '',
  stderr: '',
});

const idsOf = ({ ids, partial = [] }: Expected): string[] => [...ids, ...partial.flatMap((file) => file.ids)];

function verdictOf(
  report: Report,
  tests: Report['tests'],
  otherTrouble: number,
): Pick<Report, 'verdict' | 'reason'> {
  if (report.verdict === 'passed') return { verdict: 'passed', reason: 'every test passed' };
  const failing = tests.filter(isFailing).length;
  const judged = !['tampered', 'unavailable', 'aborted', 'no_tests'].includes(report.verdict);
  if (judged && tests.length > 0 && failing === 0 && otherTrouble === 0)
    return { verdict: 'passed', reason: 'every visible test passed' };
  const reason =
    report.verdict === 'failed'
      ? `${failing} of ${tests.length} visible tests fail`
      : `the run ended as ${report.verdict}`;
  return { verdict: report.verdict, reason };
}
