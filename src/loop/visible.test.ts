import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Report } from '../core/index.ts';
import { madeReport, madeTest } from './made.ts';
import { failingIds } from './standing.ts';
import { partReport } from './visible.ts';

const heldOut = ['hidden/test_h.py'];
const visibleIds = ['tests/a.py::one', 'tests/a.py::two'];
const hiddenIds = ['hidden/test_h.py::three', 'hidden/test_h.py::four'];
const expected = (ids: string[]) => ({ source: 'collected' as const, ids, skipped: [] });
const parts = {
  files: heldOut,
  all: expected([...visibleIds, ...hiddenIds]),
  visible: expected(visibleIds),
};
const part = (report: Report) => partReport(report, parts);

const report = fc
  .record({
    failing: fc.subarray([...visibleIds, ...hiddenIds]),
    missing: fc.subarray([...visibleIds, ...hiddenIds]),
    verdict: fc.constantFrom('failed', 'timeout', 'tampered', 'error'),
    said: fc.constantFrom('', 'hidden/test_h.py::three did not run'),
  })
  .map(({ failing, missing, verdict, said }): Report => {
    const tests = [...visibleIds, ...hiddenIds]
      .filter((id) => !missing.includes(id))
      .map((id) => (failing.includes(id) ? madeTest(id, `failed ${id}`) : madeTest(id)));
    const red = failing.length + missing.length > 0;
    const made = madeReport();
    return {
      ...made,
      verdict: red ? (verdict as Report['verdict']) : 'passed',
      reason: said || made.reason,
      tests,
      problems: red ? [{ type: 'E', message: said, trace: said, frames: [], file: 'hidden/test_h.py' }] : [],
      integrity: { ...made.integrity, missing, extra: missing, duplicates: failing, newlySkipped: missing },
      output: { stdout: `${said} hidden`, stderr: said, truncated: false },
      warnings: [`${said} has a plugin`],
    };
  });

describe('partReport', () => {
  it('leaves nothing of a held-out test in the visible part', () => {
    fc.assert(
      fc.property(report, (whole) => {
        expect(JSON.stringify(part(whole).visible)).not.toContain('hidden');
      }),
    );
  });

  it('keeps all there is of the visible tests, and counts the others', () => {
    fc.assert(
      fc.property(report, (whole) => {
        const { visible, heldOut: counts } = part(whole);
        expect(failingIds(visible)).toEqual(failingIds(whole).filter((id) => visibleIds.includes(id)));
        expect(counts?.total).toBe(2);
        expect(counts?.passed).toBe(hiddenIds.filter((id) => !failingIds(whole).includes(id)).length);
        if (failingIds(visible).length > 0) expect(visible.verdict).not.toBe('passed');
      }),
    );
  });

  it('lets no visible test say what was read of the held-out ones', () => {
    const made = madeReport({ passing: hiddenIds, failing: { 'tests/a.py::one': 'x' } });
    const read = 'assert f(12) == 99';
    const whole: Report = {
      ...made,
      tests: made.tests.map((test) => ({
        ...test,
        stdout: read,
        stderr: read,
        skipReason: read,
        failure: test.failure && { ...test.failure, type: read, message: read, trace: read },
      })),
      problems: [{ type: read, message: read, trace: read, frames: [], file: 'tests/a.py' }],
    };
    expect(JSON.stringify(part(whole).visible)).not.toContain(read);
    expect(failingIds(part(whole).visible)).toEqual(['tests/a.py::one']);
  });

  it('is the whole report where nothing is held out', () => {
    const whole = madeReport({ failing: { a: 'x' } });
    expect(partReport(whole, { ...parts, files: [] })).toEqual({ visible: whole, heldOut: null });
  });
});
