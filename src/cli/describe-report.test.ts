import { describe, expect, it } from 'vitest';
import type { Report } from '../core/index.ts';
import { madeReport } from '../loop/index.ts';
import { describeRed, describeReport } from './describe-report.ts';

const absent = (options: Partial<Report['integrity']>, report: Partial<Report> = {}) => {
  const made = madeReport({ verdict: 'failed', reason: 'why', ...report });
  return { ...made, integrity: { ...made.integrity, ...options } };
};

describe('describeReport', () => {
  it('counts what passes and what fails', () => {
    expect(describeReport(madeReport({ passing: ['a', 'b'] }))).toBe('2 of 2 pass');
    expect(describeReport(madeReport({ passing: ['a'], failing: { b: 'is 3' } }))).toBe('1 of 2 fail');
  });

  it('names tests that did not run in place of a 0', () => {
    expect(describeReport(absent({ missing: ['a'] }))).toBe('1 expected test missing');
    expect(describeReport(absent({ missing: ['a', 'b'], newlySkipped: ['c'] }))).toBe(
      '2 expected tests missing, 1 newly skipped',
    );
    expect(describeReport(absent({}))).toBe('why');
  });

  it('tells how many passed in a run that was cut', () => {
    const { tests, summary } = madeReport({ passing: ['a', 'b'] });
    const cut = absent({}, { verdict: 'timeout', reason: 'it ran over the time limit', tests, summary });
    expect(describeReport(cut)).toBe('timeout: it ran over the time limit; 2 of 2 passed');
    expect(describeRed(cut, [])).toBe('ended by the time limit');
  });
});

describe('describeRed', () => {
  it('leaves out what is left out of the verdict', () => {
    const red = madeReport({ failing: { a: 'is 3', b: 'is 4' } });
    expect(describeRed(red, [])).toBe('2 failed');
    expect(describeRed(red, ['b'])).toBe('1 failed');
    expect(describeRed(red, ['a', 'b'])).toBeNull();
    expect(describeRed(absent({ missing: ['a', 'b'] }), ['a'])).toBe('1 expected test missing');
  });
});
