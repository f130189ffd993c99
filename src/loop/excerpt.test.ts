import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportSchema } from '../core/index.ts';
import { excerptOf, headAndTail } from './excerpt.ts';
import { madeReport, madeTest } from './made.ts';

describe('headAndTail', () => {
  it('keeps short texts, and the two ends of long ones', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.integer({ min: 2, max: 100 }),
        (text, max) => {
          const cut = headAndTail(text, max);
          if (text.length <= max) expect(cut).toBe(text);
          else {
            expect(cut.length).toBeLessThanOrEqual(max + 60);
            expect(cut.isWellFormed()).toBe(true);
            expect(cut).toContain('characters left out');
          }
        },
      ),
    );
    expect(headAndTail('abcdefgh', 4)).toBe('ab\n[... 4 characters left out ...]\ngh');
  });
});

describe('excerptOf', () => {
  it('keeps what a proposer needs of a failing test, and nothing of what a passing one printed', () => {
    const long = `start${'x'.repeat(1e6)}end`;
    const passing = { ...madeTest('a'), stdout: long, stderr: 'noise' };
    const failing = { ...madeTest('b', long), stdout: 'printed' };
    const report = {
      ...madeReport(),
      tests: [passing, failing],
      output: { stdout: long, stderr: '', truncated: false },
    };
    const excerpt = excerptOf(report);
    expect(reportSchema.safeParse(excerpt).success).toBe(true);
    expect(excerpt.tests[0]).toMatchObject({ id: 'a', stdout: '', stderr: '' });
    expect(excerpt.tests[1]).toMatchObject({ id: 'b', stdout: 'printed' });
    expect(excerpt.tests[1]?.failure?.message).toMatch(/^start[\s\S]*left out[\s\S]*end$/);
    expect(JSON.stringify(excerpt).length).toBeLessThan(80_000);
  });

  it('keeps a report of thousands of failing tests within bounds', () => {
    const tests = Array.from({ length: 4_000 }, (_, n) => madeTest(`t${n}`, 'x'.repeat(20_000)));
    const excerpt = excerptOf({ ...madeReport(), tests });
    expect(excerpt.tests).toHaveLength(4_000);
    expect(JSON.stringify(excerpt).length).toBeLessThan(8_000_000);
    expect(excerpt.tests[0]?.failure?.trace.length).toBeGreaterThan(15_000);
    expect(excerpt.tests.at(-1)?.failure?.trace).toContain('left out');
  });
});
