import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCtrf } from './ctrf.ts';
import { ctrfSchema } from './ctrf-schema.ts';
import { anyReport, sampleReport, testResult } from './reports.fixture.ts';

describe('toCtrf', () => {
  it('is valid by the format for any report, and stays so through JSON', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const written = JSON.stringify(toCtrf(report));
        expect(() => ctrfSchema.parse(JSON.parse(written))).not.toThrow();
        expect(written.isWellFormed()).toBe(true);
        expect(written).not.toMatch(/\\ud[89a-f]/i);
      }),
    );
  });

  it('counts what it lists, and is red exactly when it should be', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const { summary, tests } = toCtrf(report).results;
        const { passed, failed, skipped, pending, other } = summary;
        expect(passed + failed + skipped + pending + other).toBe(summary.tests);
        expect(tests).toHaveLength(summary.tests);
        if (report.verdict !== 'passed') expect(failed).toBeGreaterThan(0);
      }),
    );
  });

  it('gives a test the same UUID in every run and different ones to different tests', () => {
    const tests = [testResult('tests/test_a.py::test_one'), testResult('tests/test_a.py::test_two')];
    const [first, second] = toCtrf(sampleReport({ tests })).results.tests;
    expect(toCtrf(sampleReport()).results.tests[0]?.id).toBe(first?.id);
    expect(second?.id).not.toBe(first?.id);
  });

  it('keeps what the format has no word for under extra', () => {
    const { extra, tests } = toCtrf(sampleReport()).results;
    expect(extra).toMatchObject({ assay: { verdict: 'passed', integrity: { forgeable: true } } });
    expect(tests[0]).toMatchObject({
      name: 'test_one',
      suite: ['tests/test_a.py'],
      filePath: 'tests/test_a.py',
      line: 3,
      duration: 1,
      extra: { id: 'tests/test_a.py::test_one' },
    });
  });

  it('shows a missing test, a problem and a bare verdict as failures', () => {
    const sample = sampleReport();
    const missing = toCtrf({
      ...sample,
      verdict: 'error',
      integrity: { ...sample.integrity, missing: ['tests/test_a.py::test_gone'] },
    });
    expect(missing.results.tests.at(-1)).toMatchObject({
      name: 'tests/test_a.py::test_gone',
      status: 'failed',
      rawStatus: 'missing',
    });
    const tampered = toCtrf({ ...sample, verdict: 'tampered', reason: 'tests/test_a.py was changed' });
    expect(tampered.results.tests.at(-1)).toMatchObject({
      status: 'failed',
      message: 'tests/test_a.py was changed',
    });
  });
});

describe('ctrfSchema', () => {
  it('refuses keys the format does not know, except under extra', () => {
    const ctrf = toCtrf(sampleReport());
    expect(ctrfSchema.safeParse({ ...ctrf, verdict: 'passed' }).success).toBe(false);
    expect(ctrfSchema.safeParse({ ...ctrf, extra: { verdict: 'passed' } }).success).toBe(true);
  });
});
