import type { Failure, Report, TestResult } from '../core/index.ts';
import { withoutNoise } from '../propose/index.ts';

/** A message without what changes from run to run though nothing changed, in one line. */
export function normaliseMessage(message: string): string {
  return withoutNoise(message).replace(/\s+/g, ' ').trim();
}

const kindOf = (failure: Failure): string =>
  JSON.stringify([failure.type, normaliseMessage(failure.message)]);

/**
 * What a report says apart from noise: equal for two runs in which the same tests fail in the same way, in
 * whatever order. Readable text rather than a hash, so that the machines need no crypto.
 * @param ignore ids left out (flaky ones)
 */
export function fingerprint(report: Report, ignore: readonly string[] = []): string {
  const out = new Set(ignore);
  const tests = report.tests
    .filter((test) => !out.has(test.id) && isFailing(test))
    .map((test) => [test.id, test.status, test.failure === null ? '' : kindOf(test.failure)]);
  const absent = report.integrity.missing.filter((id) => !out.has(id)).map((id) => [id, 'missing', '']);
  const skipped = report.integrity.newlySkipped
    .filter((id) => !out.has(id))
    .map((id) => [id, 'newly skipped', '']);
  const problems = report.problems.map((problem) => [problem.file, 'problem', kindOf(problem)]);
  const lines = [...tests, ...absent, ...skipped, ...problems].map((line) => JSON.stringify(line));
  return [report.verdict, ...[...new Set(lines)].sort()].join('\n');
}

export const isFailing = (test: TestResult): boolean => test.status === 'failed' || test.status === 'error';

/** Tests that fail alike: same exception, same message but for noise, same place in the project. Largest group first. */
export function groupFailures(tests: readonly TestResult[]): TestResult[][] {
  const groups = new Map<string, TestResult[]>();
  for (const test of tests) {
    if (test.failure === null) continue;
    const at = test.failure.frames.findLast((frame) => frame.inProject)?.function ?? '';
    const key = JSON.stringify([kindOf(test.failure), at]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [test]);
    else group.push(test);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}
