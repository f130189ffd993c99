import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutTo } from './cut-to.ts';

describe('cutTo', () => {
  it.each<[string, number, string]>([
    ['short', 10, 'short'],
    ['exactly ten', 11, 'exactly ten'],
    ['one too many', 11, 'one too ma…'],
    ['a line\nand  another\t', 40, 'a line and another '],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['e\u0301e\u0301', 2, 'e\u0301e\u0301'],
    ['👍👍', 3, '👍…'],
  ])('%j in %d columns', (text, columns, fitted) => {
    expect(cutTo(text, columns)).toBe(fitted);
  });

  it('never splits a character and never makes a second line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 60 }), (text, columns) => {
        const cut = cutTo(text, columns);
        expect(cut).not.toMatch(/[\n\r]/);
        expect([...cut].length).toBeLessThanOrEqual([...text].length);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });
});
