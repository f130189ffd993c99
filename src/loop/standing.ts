import type { RepairEnd, Report } from '../core/index.ts';
import { isHung, needsNetwork } from '../lab/index.ts';
import { isFailing } from './stagnation.ts';

/** Ids of the tests that keep a report from being green: failing, missing, newly skipped or seen twice. Sorted. */
export function failingIds(report: Report, ignore: readonly string[] = []): string[] {
  const { missing, newlySkipped, duplicates } = report.integrity;
  const ids = new Set([
    ...report.tests.filter(isFailing).map((test) => test.id),
    ...missing,
    ...newlySkipped,
    ...duplicates,
  ]);
  for (const id of ignore) ids.delete(id);
  return [...ids].sort();
}

/** How many tests keep a report from being green; 1 where the run as a whole does. */
export const failingCount = (report: Report, ignore: readonly string[]): number =>
  report.verdict === 'passed' ? 0 : Math.max(1, failingIds(report, ignore).length);

/** How a patched report stands to the one before the patch. */
export type Comparison = {
  /** Failing before, not any more. */
  fixed: string[];
  still: string[];
  /** Not failing before, or failing then and hanging now: every round on such a ground would wait for it. */
  fresh: string[];
  /** The run itself ended in another way than by failing tests (timeout, crash, no memory), and did not before. */
  broke: boolean;
};

export function compare(before: Report, after: Report, ignore: readonly string[]): Comparison {
  const was = failingIds(before, ignore);
  const is = failingIds(after, ignore);
  const plain = after.verdict === 'passed' || (after.verdict === 'failed' && is.length > 0);
  return {
    fixed: was.filter((id) => !is.includes(id)),
    still: is.filter((id) => was.includes(id)),
    fresh: is.filter((id) => !was.includes(id) || (hung(after, id) && !hung(before, id))),
    broke: !plain && (after.verdict !== before.verdict || is.length === 0),
  };
}

const hung = ({ tests }: Report, id: string) => tests.some((test) => test.id === id && isHung(test));

/** A patch may stay as the ground for the next one only if it breaks nothing that worked. */
export const keeps = (comparison: Comparison): boolean => comparison.fresh.length === 0 && !comparison.broke;

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** One line for the list of attempts, e.g. `2 of 5 failing tests now pass, 1 new failure: tests/a.py::b`. */
export function outcomeOf(comparison: Comparison, after: Report): string {
  const { fixed, still, fresh, broke } = comparison;
  const parts = [`${fixed.length} of ${plural(fixed.length + still.length, 'failing test')} now pass`];
  if (broke) parts.push(`the run ended as ${after.verdict}: ${after.reason}`);
  if (fresh.length > 0) {
    const named = fresh.slice(0, 3).map((id) => `${id}${causeOf(after, id)}`);
    const more = fresh.length > named.length ? ` and ${fresh.length - named.length} more` : '';
    parts.push(`${plural(fresh.length, 'new failure')}: ${named.join(', ')}${more}`);
  }
  return parts.join('; ');
}

function causeOf(report: Report, id: string): string {
  const failure = report.tests.find((test) => test.id === id)?.failure;
  if (failure == null) return '';
  const line = failure.message.split('\n', 1)[0]?.trim() ?? '';
  return ` (${[failure.type, line.slice(0, 120)].filter((part) => part !== '').join(': ')})`;
}

/**
 * Ids whose tests did not end alike in two runs of the same code: passed, failed, skipped, or absent from a run that
 * came to its own end. A run that was cut says nothing of the tests it did not come to.
 */
export function unsteadyIds(first: Report, second: Report): string[] {
  const ends = (report: Report) =>
    new Map(report.tests.map((test) => [test.id, isFailing(test) ? 'failing' : test.status]));
  const whole = ({ verdict }: Report) => verdict === 'passed' || verdict === 'failed';
  const [a, b] = [ends(first), ends(second)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter((id) => (a.has(id) || whole(first)) && (b.has(id) || whole(second)) && a.get(id) !== b.get(id))
    .sort();
}

/**
 * The end that a baseline decides by itself, or null where there is something to repair. A red suite is repairable
 * however its run ended, as long as it is known which tests should pass: an endless loop or an import error in the
 * project is a bug like another.
 */
export function endOfBaseline(report: Report, flaky: readonly string[]): RepairEnd | null {
  switch (report.verdict) {
    case 'passed':
      return { status: 'already_green' };
    case 'unavailable':
      return environment(report.reason, 'run `assay doctor`: it names the one thing that is missing');
    case 'no_tests':
      return environment(
        report.reason,
        'name the folder, the framework (--framework) or the command (--test) that has the tests',
      );
    case 'tampered':
      return environment(
        `the tests change protected files without any patch: ${report.reason}`,
        'let the tests write to a temporary folder',
      );
    case 'aborted':
      return environment(report.reason, 'start the run again');
    case 'failed':
    case 'timeout':
    case 'oom':
    case 'pids':
    case 'output_limit':
    case 'error':
      return endOfRed(report, flaky);
  }
}

function endOfRed(report: Report, flaky: readonly string[]): RepairEnd | null {
  // Such a report is never `passed`, whatever the patch: better told before anything is spent.
  if (report.integrity.expected === 'unknown')
    return environment(
      'which tests there should be is not known, so no run of them can prove a patch',
      'let the tests be collected, or trust what each run collects (--trust-collected)',
    );
  const offline = endOfOffline(report, flaky);
  if (offline !== null) return offline;
  if (report.verdict === 'failed' && report.problems.length === 0 && report.tests.length > 0) {
    if (failingIds(report, flaky).length > 0) return null;
    if (failingIds(report).length > 0) return { status: 'already_green' };
  }
  if (failingIds(report, flaky).length > 0 && reached(report)) return null;
  return environment(report.reason, fixOf(report));
}

/** Where nothing fails but for want of the network, a patch could only go around what the tests ask for. */
function endOfOffline(report: Report, flaky: readonly string[]): RepairEnd | null {
  const red = failingIds(report, flaky);
  const offline = report.tests.filter(
    ({ id, failure }) => red.includes(id) && failure !== null && needsNetwork(failure),
  );
  const [first] = offline;
  if (first === undefined || offline.length < red.length) return null;
  const who = red.length === 1 ? `the one failing test needs` : `all ${red.length} failing tests need`;
  return environment(
    `${who} the network, and the sandbox has none: ${first.id}`,
    'let the tests talk to a server of their own on localhost, which works in the sandbox, or leave them out with --test',
  );
}

/**
 * The framework came as far as the project's own code: a test ended, or an import of the project failed, or the tests
 * could be collected before but the first one brought the run down.
 */
const reached = ({ tests, problems, integrity, verdict, exit }: Report) =>
  tests.length > 0 ||
  problems.some(({ frames }) => frames.some((frame) => frame.inProject)) ||
  (integrity.expected === 'collected' && (verdict !== 'error' || exit.reason === 'signaled'));

function fixOf(report: Report): string {
  if (report.verdict === 'timeout') return 'give the tests more time (--timeout) or fix what hangs at import';
  const problem = report.problems[0];
  if (problem === undefined) return 'run the tests by hand once and make them start';
  return `make ${problem.file} importable first: ${problem.type} ${problem.message}`.trim();
}

export const environment = (
  detail: string,
  fix: string,
): Extract<RepairEnd, { status: 'environment_error' }> => ({
  status: 'environment_error',
  detail,
  fix,
});
