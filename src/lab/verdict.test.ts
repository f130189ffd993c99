import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TestStatus } from '../core/index.ts';
import type { Received } from './channel/read-records.ts';
import { green, received, result } from './evidence.fixture.ts';
import type { Expected } from './types.ts';
import { type Evidence, judge } from './verdict.ts';

const ids = ['a.py::one', 'a.py::two', 'b.py::three[1]'];
const all = ids.map((id) => result(id));
const verdictOf = (change: Partial<Evidence>) => judge(green(ids, change)).verdict;
const withReceived = (change: Partial<Received>, tests = all) =>
  verdictOf({ received: received(tests, change) });
const expecting = (change: Partial<Expected>): Partial<Evidence> => ({
  expected: { source: 'collected', ids, skipped: [], xfailed: [], ...change },
});
const outcome = (change: Partial<Evidence['outcome']>): Evidence['outcome'] => ({
  reason: 'exited',
  exitCode: 0,
  signal: null,
  unavailable: null,
  ...change,
});

describe('a green run', () => {
  it('passes and says why', () => {
    const judged = judge(green(ids));
    expect(judged.verdict).toBe('passed');
    expect(judged.reason).toBe('all 3 expected tests ran and passed');
    expect(judged.integrity).toMatchObject({ completed: true, canaries: true, missing: [], forgeable: true });
  });

  it('may carry skips and expected failures that the original has', () => {
    const tests = [result('a.py::one', 'skipped'), result('a.py::two', 'xfailed'), result('b.py::three[1]')];
    const known = expecting({ skipped: ['a.py::one'], xfailed: ['a.py::two'] });
    expect(verdictOf({ ...known, received: received(tests) })).toBe('passed');
  });

  it('counts an unexpected pass that the framework accepts as a pass', () => {
    expect(withReceived({}, [result(ids[0] ?? '', 'xpassed'), ...all.slice(1)])).toBe('passed');
  });
});

describe('absence is failure', () => {
  it('a missing id fails', () => {
    const judged = judge(green(ids, { received: received(all.slice(1)) }));
    expect(judged).toMatchObject({ verdict: 'failed', integrity: { missing: ['a.py::one'] } });
    expect(judged.reason).toContain('a.py::one');
  });

  it('an id that this run collected and never finished fails, expected or not', () => {
    const collected = { ids: [...ids, 'b.py::three[2]'], skipped: [], xfailed: [], partial: [] };
    expect(withReceived({ collected })).toBe('failed');
  });

  it('no closing record is an error, whatever the exit code says', () => {
    const judged = judge(
      green(ids, { received: received([], { completed: false, announcedExit: null, canaries: [] }) }),
    );
    expect(judged).toMatchObject({ verdict: 'error', integrity: { completed: false, canaries: null } });
    expect(judged.reason).toContain('3 expected tests missing');
  });

  it('a runner that never started is an error', () => {
    expect(withReceived({ started: null, completed: false, canaries: [] }, [])).toBe('error');
  });

  it('a file that could not be collected must bring every test its text names, with any parameters', () => {
    const partial = [{ file: 'c.py', ids: ['c.py::four', 'c.py::five'] }];
    const four = [result('c.py::four[x]'), result('c.py::four[y]')];
    expect(verdictOf({ ...expecting({ partial }), received: received([...all, ...four]) })).toBe('failed');
    const more = [...four, result('c.py::five'), result('c.py::Inherited::six')];
    expect(verdictOf({ ...expecting({ partial }), received: received([...all, ...more]) })).toBe('passed');
  });

  it('nothing at all is no_tests, and an error where something stood in the way', () => {
    const nothing: Partial<Evidence> = { expected: { source: 'collected', ids: [], skipped: [] } };
    expect(verdictOf({ ...nothing, received: received([]) })).toBe('no_tests');
    const problem = { type: 'SyntaxError', message: 'bad', trace: '', frames: [], file: 'a.py' };
    expect(verdictOf({ ...nothing, received: received([], { problems: [problem] }) })).toBe('error');
  });

  it('only skipped tests prove nothing', () => {
    const skipped = ids.map((id) => result(id, 'skipped'));
    expect(verdictOf({ ...expecting({ skipped: ids }), received: received(skipped) })).toBe('no_tests');
  });
});

describe('failures', () => {
  it.each(['failed', 'error'] as const)('a test that is %s fails the run', (status) => {
    const tests = [result(ids[0] ?? '', status), ...all.slice(1)];
    expect(
      verdictOf({ outcome: outcome({ exitCode: 1 }), received: received(tests, { announcedExit: 1 }) }),
    ).toBe('failed');
    // An exit code of 0 beside a failing record does not make it pass.
    expect(withReceived({}, tests)).toBe('failed');
  });

  it.each(['skipped', 'xfailed'] as const)(
    'a test that is newly %s fails a patch, not the original',
    (status) => {
      const tests = [result(ids[0] ?? '', status), ...all.slice(1)];
      const judged = judge(green(ids, { received: received(tests) }));
      expect(judged).toMatchObject({ verdict: 'failed', integrity: { newlySkipped: ['a.py::one'] } });
      expect(verdictOf({ received: received(tests), patched: false })).toBe('passed');
    },
  );

  it('a problem outside any test, and an exit code that nothing explains', () => {
    const problem = { type: 'ImportError', message: 'no', trace: '', frames: [], file: 'c.py' };
    expect(withReceived({ problems: [problem] })).toBe('failed');
    expect(verdictOf({ outcome: outcome({ exitCode: 1 }) })).toBe('failed');
    expect(withReceived({ announcedExit: 1 })).toBe('failed');
    expect(verdictOf({ outcome: outcome({ exitCode: 4 }) })).toBe('error');
  });

  it('leaves ignored tests out, failing or missing', () => {
    const tests = [result(ids[0] ?? '', 'failed'), ...all.slice(1)];
    const flaky = { ignore: ['a.py::one'], outcome: outcome({ exitCode: 1 }) };
    expect(verdictOf({ ...flaky, received: received(tests, { announcedExit: 1 }) })).toBe('passed');
    expect(verdictOf({ ...flaky, received: received(all.slice(1)) })).toBe('failed');
    expect(verdictOf({ ignore: ['a.py::one'], received: received(all.slice(1)) })).toBe('passed');
  });

  it('judges a given list alone', () => {
    const given: Partial<Evidence> = { expected: { source: 'given', ids: ['a.py::one'], skipped: [] } };
    const tests = [result('a.py::one'), result('z.py::other', 'failed')];
    const exit = { outcome: outcome({ exitCode: 1 }), received: received(tests, { announcedExit: 1 }) };
    expect(verdictOf({ ...given, ...exit })).toBe('passed');
    expect(verdictOf({ expected: { source: 'given', ids: ['z.py::other'], skipped: [] }, ...exit })).toBe(
      'failed',
    );
  });
});

describe('tampering', () => {
  it('is a duplicate, an unknown id, an irregular record or a changed file', () => {
    expect(withReceived({ duplicates: ['a.py::one'] })).toBe('tampered');
    expect(withReceived({}, [...all, result('a.py::forged')])).toBe('tampered');
    expect(withReceived({ irregularities: ['a record without the nonce'] })).toBe('tampered');
    expect(verdictOf({ changedFiles: ['tests/test_a.py'] })).toBe('tampered');
  });

  it('is no further parameter set of a known test', () => {
    const judged = judge(green(ids, { received: received([...all, result('b.py::three[2]')]) }));
    expect(judged).toMatchObject({ verdict: 'passed', comparison: { grown: ['b.py::three[2]'] } });
  });

  it('is a canary that came out wrong, twice, unknown or not at all', () => {
    const canaries = received([]).canaries;
    const [fail, pass, maybe] = canaries;
    if (!fail || !pass || !maybe) throw new Error('the fixture has three');
    expect(withReceived({ canaries: [{ ...fail, outcome: 'passed' }, pass, maybe] })).toBe('tampered');
    expect(withReceived({ canaries: [fail, { ...pass, outcome: 'failed' }, maybe] })).toBe('tampered');
    expect(withReceived({ canaries: [...canaries, fail] })).toBe('tampered');
    expect(withReceived({ canaries: [...canaries, { id: 'new', outcome: 'passed', detail: '' }] })).toBe(
      'tampered',
    );
    expect(withReceived({ canaries: [pass, maybe] })).toBe('tampered');
    expect(withReceived({ canaries: [{ ...fail, outcome: 'not_needed' }, pass, maybe] })).toBe('tampered');
    expect(withReceived({ canaries: [{ ...fail, outcome: 'unbuilt' }] })).toBe('error');
  });

  it('comes before a timeout, but a run that was cut owes no canary', () => {
    const cut = { outcome: outcome({ reason: 'timeout', exitCode: null }) };
    const unfinished = { completed: false, canaries: [], announcedExit: null };
    expect(verdictOf({ ...cut, received: received(all.slice(1), unfinished) })).toBe('timeout');
    expect(verdictOf({ ...cut, received: received(all, { ...unfinished, duplicates: ['x'] }) })).toBe(
      'tampered',
    );
  });
});

describe('ends that are not the tests own', () => {
  it.each(['timeout', 'oom', 'pids', 'output_limit', 'aborted'] as const)(
    '%s is told by the runner',
    (reason) => {
      expect(verdictOf({ outcome: outcome({ reason }) })).toBe(reason);
    },
  );

  it('no sandbox is unavailable with its cause and fix', () => {
    const judged = judge(
      green(ids, {
        outcome: outcome({ reason: 'unavailable', unavailable: { cause: 'No bwrap', fix: 'Install it' } }),
      }),
    );
    expect(judged).toMatchObject({ verdict: 'unavailable', reason: 'No bwrap. Install it' });
  });

  it('a signal is an error, even after the last test', () => {
    expect(verdictOf({ outcome: outcome({ reason: 'signaled', exitCode: null, signal: 'SIGSEGV' }) })).toBe(
      'error',
    );
  });

  it('a framework that cannot run says what to do', () => {
    const unable = { detail: 'python3 has no module pytest', fix: 'install pytest' };
    const judged = judge(green([], { received: received([], { unable, canaries: [], announcedExit: 1 }) }));
    expect(judged).toMatchObject({
      verdict: 'error',
      reason: 'python3 has no module pytest: install pytest',
    });
  });

  it('unknown tests never pass, trusted ones do', () => {
    expect(verdictOf({ expected: { source: 'unknown', ids: [], skipped: [] } })).toBe('error');
    expect(verdictOf({ expected: { source: 'trusted', ids: [], skipped: [] } })).toBe('passed');
  });
});

const often = <T>(usual: T, ...others: T[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
const status = often<TestStatus>('passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed');
const letters = 'abcd'.split('').map((letter) => `t.py::${letter}`);
const name = fc.constantFrom(...letters);
const anyRun = fc.record({
  tests: fc.uniqueArray(fc.tuple(name, status), { selector: ([id]) => id, minLength: 1 }),
  lost: often<string | null>(null, ...letters),
  added: often<string | null>(null, 't.py::added'),
  skipped: fc.subarray(letters),
  completed: often(true, false),
  reason: often<Evidence['outcome']['reason']>('exited', 'signaled', 'timeout', 'oom', 'pids', 'aborted'),
  exitCode: often(0, 1, 2, 4),
  irregularities: often<string[]>([], ['x']),
});

describe('the rule, for any run', () => {
  it('passes only where every expected id passed exactly once and nothing was killed, forged or cut', () => {
    let passes = 0;
    fc.assert(
      fc.property(anyRun, ({ tests, lost, added, skipped, completed, reason, exitCode, irregularities }) => {
        const wanted = tests.map(([id]) => id);
        const shown = tests.filter(([id]) => id !== lost).map(([id, each]) => result(id, each));
        const all = added === null ? shown : [...shown, result(added)];
        const announcedExit = completed ? exitCode : null;
        const judged = judge(
          green(wanted, {
            outcome: outcome({ reason, exitCode }),
            expected: { source: 'collected', ids: wanted, skipped, xfailed: [] },
            received: received(all, { completed, announcedExit, irregularities }),
          }),
        );
        if (judged.verdict !== 'passed') return;
        passes += 1;
        expect([completed, reason, exitCode, irregularities]).toEqual([true, 'exited', 0, []]);
        expect(all.map((test) => test.id)).toEqual(wanted);
        for (const test of all) {
          const fine = test.status === 'passed' || test.status === 'xpassed';
          expect(fine || (test.status === 'skipped' && skipped.includes(test.id))).toBe(true);
        }
        expect(all.some((test) => test.status !== 'skipped')).toBe(true);
      }),
      { numRuns: 3000 },
    );
    expect(passes).toBeGreaterThan(100);
  });

  it('never gets better when a test is lost, fails or is reported twice', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1 }), fc.nat(), (wanted, pick) => {
        const target = wanted[pick % wanted.length] ?? '';
        const tests = wanted.map((id) => result(id));
        expect(judge(green(wanted)).verdict).toBe('passed');
        const worse = [
          received(tests.filter((test) => test.id !== target)),
          received(tests.map((test) => (test.id === target ? result(target, 'failed') : test))),
          received(tests, { duplicates: [target] }),
        ];
        for (const each of worse) expect(judge(green(wanted, { received: each })).verdict).not.toBe('passed');
      }),
    );
  });
});
