import type { Failure, Report, TestResult } from '../core/index.ts';

/**
 * Texts that change from run to run though nothing changed, each with the word that stands for it. In this order:
 * an earlier rule must not leave half of a later one's text behind.
 */
const noises: readonly (readonly [RegExp, string])[] = [
  [/\u001b\[[0-9;?]*[ -/]*[@-~]/g, ''],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [
    /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?(?:Z|[+-]\d{2}:?\d{2})\b)?)?/g,
    '<time>',
  ],
  [/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g, '<time>'],
  [/\b1[5-9]\d{8}(?:\.\d+|\d{3}|\d{6}|\d{9})?\b/g, '<time>'],
  [/\b0x[0-9a-f]+\b/gi, '<address>'],
  [
    /(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm|run\/user)\/[^\s'"`)\]}>,;]*|\b[A-Z]:\\[^\s'"`]*\\Temp\\[^\s'"`]*/g,
    '<temp>',
  ],
  [/\bpytest-of-[^\s'"/]+\/pytest-\d+/g, '<temp>'],
  [/\b(pid|process|ppid|tid|thread)([ =:#-]{1,3})\d+/gi, '$1$2<pid>'],
  [/\b(\w*seed)(["']?[ =:]{1,3})-?\d+/gi, '$1$2<seed>'],
  [/\b(lines?)([ =:]{1,2})\d+(?:\s?-\s?\d+)?/gi, '$1$2<line>'],
  [/(\.[a-z]{1,4}):\d+(?::\d+)?/gi, '$1:<line>'],
  [
    /\b\d+(?:\.\d+)?(?:e-?\d+)?\s?(?:ns|us|µs|ms|msecs?|s|secs?|seconds?|milliseconds?|minutes?|mins?)\b/g,
    '<duration>',
  ],
  [/\s+/g, ' '],
];

/** A message without durations, addresses, temporary paths, pids, line numbers, seeds, timestamps and uuids. */
export function normaliseMessage(message: string): string {
  return noises.reduce((text, [pattern, word]) => text.replace(pattern, word), message).trim();
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
