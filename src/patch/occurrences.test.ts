import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { occurrencesOf } from './occurrences.ts';

describe('occurrencesOf', () => {
  it('finds what looking at every position finds, in texts and in lists', () => {
    const textArb = fc.array(fc.constantFrom('a', 'b'), { maxLength: 30 });
    const wantArb = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(textArb, wantArb, (have, want) => {
        const naive = have
          .map((_, at) => at)
          .filter(
            (at) => at + want.length <= have.length && want.every((one, index) => have[at + index] === one),
          );
        expect(occurrencesOf(have, want)).toEqual(naive);
        expect(occurrencesOf(have.join(''), want.join(''))).toEqual(naive);
      }),
      { numRuns: 2000 },
    );
  });

  it('finds an empty text nowhere', () => {
    expect(occurrencesOf('abc', '')).toEqual([]);
  });
});
