import { describe, expect, it } from 'vitest';
import { type ErrorCode, type RepairStatus, type Verdict, verdictSchema } from '../core/index.ts';
import { exitCodeOfError, exitCodeOfRepair, exitCodeOfVerdict, exitCodes, worstOf } from './exit-codes.ts';

describe('the exit code', () => {
  const ofEnds: Record<RepairStatus, number> = {
    done: 0,
    already_green: 0,
    error: 1,
    stuck: 3,
    budget_exhausted: 4,
    unpatchable: 5,
    tampered: 6,
    environment_error: 7,
    aborted: 130,
  };
  it.each(Object.entries(ofEnds) as [RepairStatus, number][])('of a repair that is %s is %i', (end, code) => {
    expect(exitCodeOfRepair(end)).toBe(code);
  });

  const ofVerdicts: Record<Verdict, number> = {
    passed: 0,
    tampered: 6,
    no_tests: 7,
    error: 7,
    unavailable: 7,
    failed: 8,
    timeout: 8,
    oom: 8,
    pids: 8,
    output_limit: 8,
    aborted: 130,
  };
  it.each(Object.entries(ofVerdicts) as [Verdict, number][])('of the verdict %s is %i', (verdict, code) => {
    expect(exitCodeOfVerdict(verdict)).toBe(code);
  });

  const ofErrors: Record<ErrorCode, number> = {
    input: 1,
    locked: 1,
    changed: 1,
    internal: 1,
    usage: 2,
    environment: 7,
    provider: 7,
  };
  it.each(Object.entries(ofErrors) as [ErrorCode, number][])('of the error %s is %i', (error, code) => {
    expect(exitCodeOfError(error)).toBe(code);
  });

  it('is 0 for nothing but what is wanted', () => {
    expect(verdictSchema.options.filter((verdict) => exitCodeOfVerdict(verdict) === 0)).toEqual(['passed']);
  });

  it('of several runs is the worst of theirs, in whatever order', () => {
    const fromTheWorst = [130, 1, 2, 7, 6, 8, 5, 3, 4, 0];
    const codes = Object.values(exitCodes);
    expect(fromTheWorst.toSorted()).toEqual(codes.toSorted());
    for (const a of codes)
      for (const b of codes) {
        const worst = fromTheWorst.find((code) => code === a || code === b);
        expect(worstOf([a, b])).toBe(worst);
      }
    expect(worstOf([])).toBe(0);
  });
});
