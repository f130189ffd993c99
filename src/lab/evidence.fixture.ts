import type { TestResult, TestStatus } from '../core/index.ts';
import type { Received } from './channel/read-records.ts';
import type { Canary } from './frameworks/framework.ts';
import type { Evidence } from './verdict.ts';

export const twoCanaries: Canary[] = [
  { id: 'must-fail', expect: 'failed', optional: false },
  { id: 'must-pass', expect: 'passed', optional: false },
  { id: 'maybe', expect: 'failed', optional: true },
];

/** A test that ran, with a failure where its status asks for one. */
export function result(id: string, status: TestStatus = 'passed'): TestResult {
  const failing = status === 'failed' || status === 'error';
  return {
    id,
    file: id.split('::')[0] ?? id,
    line: 1,
    status,
    durationMs: 1,
    failure: failing ? { type: 'AssertionError', message: 'no', trace: 'no', frames: [] } : null,
    skipReason: status === 'skipped' ? 'why' : null,
    stdout: '',
    stderr: '',
  };
}

/** What a run of these tests reports where nothing went wrong, but for `change`. */
export function received(tests: TestResult[], change: Partial<Received> = {}): Received {
  return {
    started: { framework: 'pytest', version: '9', runtime: 'Python 3.11' },
    collected: { ids: tests.map((test) => test.id), skipped: [], xfailed: [], partial: [] },
    tests,
    duplicates: [],
    canaries: [
      { id: 'must-fail', outcome: 'failed', detail: '' },
      { id: 'must-pass', outcome: 'passed', detail: '' },
      { id: 'maybe', outcome: 'not_needed', detail: '' },
    ],
    problems: [],
    notes: [],
    byteCode: [],
    unable: null,
    completed: true,
    announcedExit: 0,
    irregularities: [],
    ...change,
  };
}

/** Evidence of a green run of `ids`; each change makes it worse. */
export function green(ids: readonly string[], change: Partial<Evidence> = {}): Evidence {
  return {
    outcome: { reason: 'exited', exitCode: 0, signal: null, unavailable: null },
    received: received(ids.map((id) => result(id))),
    expected: { source: 'collected', ids: [...ids], skipped: [], xfailed: [] },
    canaries: twoCanaries,
    patched: true,
    ignore: [],
    changedFiles: [],
    explainExit: (code) => (code === 4 ? 'pytest refused its arguments' : null),
    ...change,
  };
}
