import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { madeReport, madeTest } from './made.ts';
import { fingerprint, groupFailures, normaliseMessage } from './stagnation.ts';

const digits = fc.nat({ max: 999_999 });
const two = fc.integer({ min: 10, max: 59 });
const noise = fc.oneof(
  fc.double({ min: 0, max: 1e4, noNaN: true }).map((n) => `took ${n.toFixed(3)}s`),
  digits.map((n) => `waited ${n} ms`),
  digits.map((n) => `<Foo object at 0x${(n + 0x7f0000000000).toString(16)}>`),
  fc.stringMatching(/^[a-z0-9_]{1,12}$/).map((name) => `open /tmp/${name}/out.txt`),
  fc.stringMatching(/^[a-z0-9_]{1,12}$/).map((name) => `'/private/var/folders/x1/${name}'`),
  digits.map((n) => `pid ${n}`),
  digits.map((n) => `File "src/a.py", line ${n}`),
  digits.map((n) => `at src/a.ts:${n}:${n % 80}`),
  digits.map((n) => `--randomly-seed=${n}`),
  fc.tuple(two, two, two).map(([a, b, c]) => `2026-11-${(a % 28) | 10}T10:${a}:${b}.${c}Z`),
  fc.tuple(two, two).map(([a, b]) => `at 10:${a}:${b}`),
  fc.integer({ min: 1_600_000_000, max: 1_899_999_999 }).map((n) => `stamp ${n}.25`),
  fc.uuid().map((id) => `request ${id}`),
);
describe('normaliseMessage', () => {
  it('takes out every kind of noise and keeps the values', () => {
    const say = (n: number) =>
      `assert 3 == 4 in /tmp/pytest-${n}/x at 0x7f${n} line ${n} after 0.${n}s (pid ${n}) seed=${n} ` +
      `on 2026-11-30 10:10:${10 + (n % 40)} id 123e4567-e89b-12d3-a456-42661417${4000 + n}`;
    expect(normaliseMessage(say(12))).toBe(normaliseMessage(say(345)));
    expect(normaliseMessage(say(12))).toContain('assert 3 == 4');
    expect(normaliseMessage('assert 3 == 4')).not.toBe(normaliseMessage('assert 3 == 5'));
  });

  it('is stable: normalising twice changes nothing', () => {
    fc.assert(
      fc.property(fc.array(noise), (parts) => {
        const once = normaliseMessage(parts.join(' '));
        expect(normaliseMessage(once)).toBe(once);
      }),
    );
  });

  it('does not slow down on long hostile messages', () => {
    const hostile = [
      '1:'.repeat(50_000),
      '/tmp/'.repeat(20_000),
      '1'.repeat(100_000),
      'line '.repeat(20_000),
    ];
    for (const text of hostile) expect(normaliseMessage(text).length).toBeGreaterThan(0);
  });
});

describe('fingerprint', () => {
  const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1 });

  it('does not see noise or order', () => {
    const kinds = fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 5 });
    const say = (kind: number, n: number) =>
      [
        `took ${n}.5s`,
        `at 0x7fff${n}`,
        `in /tmp/x${n}/y`,
        `pid ${n}`,
        `line ${n}`,
        `seed: ${n}`,
        `at 10:1${n % 10}:00`,
        `x.py:${n}: boom`,
        `1700000${100 + (n % 800)}`,
      ][kind] ?? '';
    fc.assert(
      fc.property(kinds, ids, digits, digits, fc.infiniteStream(fc.boolean()), (shape, names, n, m, coin) => {
        const failing = (seed: number) =>
          Object.fromEntries(names.map((id) => [id, shape.map((kind) => say(kind, seed)).join(' and ')]));
        const one = madeReport({ failing: failing(n) });
        const other = madeReport({ failing: failing(m) });
        const shuffled = { ...other, tests: [...other.tests].sort(() => (coin.next().value ? 1 : -1)) };
        expect(fingerprint(shuffled)).toBe(fingerprint(one));
      }),
    );
  });

  it('differs when other tests fail', () => {
    fc.assert(
      fc.property(ids, ids, (some, others) => {
        const failing = (names: string[]) =>
          madeReport({ failing: Object.fromEntries(names.map((id) => [id, 'is 3'])) });
        const same = [...some].sort().join() === [...others].sort().join();
        expect(fingerprint(failing(some)) === fingerprint(failing(others))).toBe(same);
      }),
    );
  });

  it('sees another value, exception, verdict, missing test or problem', () => {
    const base = madeReport({ failing: { a: 'is 3' } });
    const others = [
      madeReport({ failing: { a: 'is 4' } }),
      { ...base, verdict: 'timeout' as const },
      { ...base, integrity: { ...base.integrity, missing: ['b'] } },
      { ...base, integrity: { ...base.integrity, newlySkipped: ['b'] } },
      { ...base, problems: [{ type: 'E', message: 'm', trace: '', frames: [], file: 'f' }] },
    ];
    const prints = [base, ...others].map((report) => fingerprint(report));
    expect(new Set(prints).size).toBe(prints.length);
  });

  it('leaves out what is to be ignored', () => {
    const report = (message: string) => madeReport({ failing: { a: 'is 3', b: message } });
    expect(fingerprint(report('x'), ['b'])).toBe(fingerprint(report('y'), ['b']));
  });
});

describe('groupFailures', () => {
  it('puts tests that fail alike together, the largest group first', () => {
    const tests = [madeTest('a', 'other'), madeTest('b', 'took 3s'), madeTest('c', 'took 4s'), madeTest('d')];
    expect(groupFailures(tests).map((group) => group.map(({ id }) => id))).toEqual([['b', 'c'], ['a']]);
  });
});
