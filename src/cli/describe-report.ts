import type { Report } from '../core/index.ts';

/** A test run in a few words: `3 of 17 fail`, `1 expected test missing`, `timeout: ...; 6 of 8 passed`. */
export function describeReport(report: Report): string {
  const { verdict, summary, reason } = report;
  const { passed, total } = summary;
  if (verdict === 'passed') return `${passed} of ${total} pass`;
  if (verdict !== 'failed') {
    const ran = total === 0 ? '' : `; ${passed} of ${total} passed`;
    return `${verdict.replace('_', ' ')}: ${reason}${ran}`;
  }
  const failing = failingIn(report, []);
  const others = absences(report, []);
  const parts = [...(failing > 0 ? [`${failing} of ${total} fail`] : []), ...others];
  return parts.length === 0 ? reason : parts.join(', ');
}

/**
 * What kept a run from being green, for a row with the numbers of another: `3 failed`, `1 expected test missing`.
 * Null where nothing did that can be counted.
 * @param ignore ids left out of the verdict
 */
export function describeRed(report: Report, ignore: readonly string[]): string | null {
  const failing = failingIn(report, ignore);
  const parts = [...(failing > 0 ? [`${failing} failed`] : []), ...absences(report, ignore)];
  if (!['passed', 'failed', 'no_tests'].includes(report.verdict))
    parts.push(`ended by ${wordOf(report.verdict)}`);
  return parts.length === 0 ? null : parts.join(', ');
}

function failingIn({ tests }: Report, ignore: readonly string[]): number {
  return tests.filter(({ id, status }) => (status === 'failed' || status === 'error') && !ignore.includes(id))
    .length;
}

/** Tests that did not run, as far as they are no flaky ones. */
export function absences({ integrity }: Report, ignore: readonly string[]): string[] {
  const kept = (ids: readonly string[]) => ids.filter((id) => !ignore.includes(id)).length;
  const [missing, skipped] = [kept(integrity.missing), kept(integrity.newlySkipped)];
  return [
    ...(missing > 0 ? [`${missing} expected ${missing === 1 ? 'test' : 'tests'} missing`] : []),
    ...(skipped > 0 ? [`${skipped} newly skipped`] : []),
  ];
}

function wordOf(verdict: Report['verdict']): string {
  switch (verdict) {
    case 'timeout':
      return 'the time limit';
    case 'oom':
      return 'the memory limit';
    case 'pids':
      return 'the process limit';
    case 'output_limit':
      return 'the output limit';
    default:
      return `the verdict ${verdict.replace('_', ' ')}`;
  }
}
