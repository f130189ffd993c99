import fc from 'fast-check';
import type { Report, TestResult } from '../../core/index.ts';

/** Reports for the tests of this folder: one plain, and any that the schema allows. */
export function testResult(id: string, over: Partial<TestResult> = {}): TestResult {
  return {
    id,
    file: 'tests/test_a.py',
    line: 3,
    status: 'passed',
    durationMs: 1.25,
    failure: null,
    skipReason: null,
    stdout: '',
    stderr: '',
    ...over,
  };
}

/** A report that passed, but for `over`. */
export function sampleReport(over: Partial<Report> = {}): Report {
  const tests = over.tests ?? [testResult('tests/test_a.py::test_one')];
  return {
    schema: 'assay-report/1',
    verdict: 'passed',
    reason: 'every expected test passed',
    framework: 'pytest',
    judge: 'hardened',
    command: ['python', '-m', 'pytest'],
    summary: {
      total: tests.length,
      passed: tests.filter(({ status }) => status === 'passed').length,
      failed: tests.filter(({ status }) => status === 'failed' || status === 'error').length,
      skipped: tests.filter(({ status }) => status === 'skipped').length,
    },
    tests,
    problems: [],
    integrity: {
      expected: 'collected',
      missing: [],
      extra: [],
      duplicates: [],
      newlySkipped: [],
      completed: true,
      canaries: true,
      changedFiles: [],
      irregularities: [],
      forgeable: true,
    },
    exit: { reason: 'exited', code: 0, signal: null },
    output: { stdout: '', stderr: '', truncated: false },
    startedAt: '2026-11-30T18:00:00.000Z',
    usage: { wallMs: 412.4, cpuMs: 380, memoryPeakBytes: 31_000_000, pidsPeak: 3 },
    enforcement: {
      isolation: 'host-uid',
      hostUid: 60001,
      network: 'none',
      nestedNamespaces: 'seccomp',
      seccomp: true,
      memory: 'cgroup1',
      oomCounter: true,
      pids: 'cgroup1',
      cpu: 'cgroup1',
      disk: 'tmpfs',
      killAll: 'cgroup-signal',
      notes: [],
    },
    warnings: [],
    ...over,
  };
}

/** Text as a hostile test names itself: any UTF-16 at all, escapes, line ends, markup, very long. */
export const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    '\u001b]52;c;aGk=\u0007',
    '\u001b[2J\u009b31m',
    'a\r\nb\tc\u0085d\u2028e',
    ']]>&lt;<x y="\'">',
    '\ud800',
    '\ufffe\uffff\u0000',
    '\u202egnp.exe',
    'x'.repeat(4096),
    '__proto__',
    '  ',
  ),
);

const failure = fc.record({
  type: hostileText,
  message: hostileText,
  trace: hostileText,
  frames: fc.array(
    fc.record({
      file: hostileText,
      line: fc.nat(),
      function: hostileText,
      inProject: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
});

const anyTest: fc.Arbitrary<TestResult> = fc.record({
  id: hostileText,
  file: hostileText,
  line: fc.option(fc.nat({ max: 99_999_999 })),
  status: fc.constantFrom('passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed'),
  durationMs: fc.double({ min: 0, max: 1e7, noNaN: true }),
  failure: fc.option(failure),
  skipReason: fc.option(hostileText),
  stdout: hostileText,
  stderr: hostileText,
});

export const anyReport: fc.Arbitrary<Report> = fc
  .record({
    verdict: fc.constantFrom(
      'passed',
      'failed',
      'no_tests',
      'timeout',
      'oom',
      'pids',
      'output_limit',
      'tampered',
      'error',
      'unavailable',
      'aborted',
    ),
    reason: hostileText,
    framework: hostileText,
    tests: fc.array(anyTest, { maxLength: 6 }),
    problems: fc.array(
      fc.tuple(failure, hostileText).map(([inner, file]) => ({ ...inner, file })),
      { maxLength: 2 },
    ),
    warnings: fc.array(hostileText, { maxLength: 2 }),
    output: fc.record({ stdout: hostileText, stderr: hostileText, truncated: fc.boolean() }),
    missing: fc.array(hostileText, { maxLength: 2 }),
    changedFiles: fc.array(hostileText, { maxLength: 2 }),
  })
  .map(({ missing, changedFiles, ...rest }) => {
    const plain = sampleReport(rest as Partial<Report>);
    return { ...plain, integrity: { ...plain.integrity, missing, changedFiles } };
  });
