import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addUsage, leftOf, noUsage, overshoots, refusalOf, restOf } from './budget.ts';
import { madeSpec } from './made.ts';

const amount = fc.nat({ max: 1000 });
const usage = fc.record({
  tokens: amount,
  costUsd: fc.option(amount),
  candidates: amount,
  wallMs: amount,
});
const limit = fc.option(fc.integer({ min: 1, max: 1000 }));
const limits = fc.record({
  rounds: fc.integer({ min: 1, max: 9 }),
  tokens: limit,
  costUsd: limit,
  candidates: limit,
  wallMs: fc.integer({ min: 1, max: 1000 }),
});
const spent = fc.tuple(usage, amount).map(([used, rounds]) => ({ ...used, rounds }));

describe('refusalOf', () => {
  it('admits exactly what fits into what is left', () => {
    const projection = fc.record(
      { tokens: amount, costUsd: amount, candidates: amount, wallMs: amount },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(limits, spent, projection, (allowed, used, wanted) => {
        const left = leftOf(allowed, used);
        const fits = (['tokens', 'costUsd', 'candidates', 'wallMs'] as const).every((which) => {
          const room = left[which];
          const cost = wanted[which];
          if (room === null || cost === undefined) return true;
          return cost <= room && room > 0;
        });
        expect(refusalOf({ limits: allowed, spent: used, projection: wanted }) === null).toBe(fits);
      }),
    );
  });

  it('holds an unknown price against a cost limit', () => {
    const allowed = { ...madeSpec().limits, costUsd: 1 };
    const nothing = { ...noUsage, rounds: 0 };
    const cost = (projection: { costUsd: number | null }, used = nothing) =>
      refusalOf({ limits: allowed, spent: used, projection })?.which;
    expect(cost({ costUsd: null })).toBe('costUsd');
    expect(cost({ costUsd: 0.1 }, { ...nothing, costUsd: null })).toBe('costUsd');
    expect(cost({ costUsd: 0.9 })).toBe(undefined);
  });
});

describe('accounting', () => {
  it('charges a total once, whatever part was charged before', () => {
    fc.assert(
      fc.property(usage, usage, (total, part) => {
        const { costUsd: _, ...sum } = addUsage(part, restOf(total, part));
        expect(sum).toEqual({
          tokens: Math.max(total.tokens, part.tokens),
          candidates: Math.max(total.candidates, part.candidates),
          wallMs: Math.max(total.wallMs, part.wallMs),
        });
      }),
    );
  });

  it('never makes up a price', () => {
    const unknown = { ...noUsage, costUsd: null };
    expect(addUsage(unknown, { ...noUsage, costUsd: 1 }).costUsd).toBe(null);
    expect(restOf(unknown, noUsage).costUsd).toBe(null);
  });

  it('reports each limit that was gone over', () => {
    fc.assert(
      fc.property(limits, spent, (allowed, used) => {
        for (const { which, used: much, limit: most } of overshoots(allowed, used)) {
          expect(much).toBeGreaterThan(most);
          expect(leftOf(allowed, used)[which]).toBe(0);
        }
      }),
    );
  });
});
