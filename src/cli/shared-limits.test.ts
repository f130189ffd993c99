import { describe, expect, it } from 'vitest';
import { limitsAfter } from './shared-limits.ts';

const own = { rounds: 5, wallMs: 1_000, candidates: null, tokens: 100, costUsd: 2 };

describe('limitsAfter', () => {
  it('leaves a folder what those before it did not use', () => {
    const shared = { maxTokens: 100, maxCost: 2 };
    expect(limitsAfter(own, shared, { tokens: 30, costUsd: 0.5 })).toEqual({
      ...own,
      tokens: 70,
      costUsd: 1.5,
    });
    expect(limitsAfter(own, shared, { tokens: 100, costUsd: 0.5 })).toBeNull();
    expect(limitsAfter(own, shared, { tokens: 0, costUsd: 2.5 })).toBeNull();
    expect(limitsAfter(own, shared, { tokens: 0, costUsd: null })).toBeNull();
  });

  it('leaves the limits of a project of its own as they are', () => {
    expect(limitsAfter(own, {}, { tokens: 1_000, costUsd: null })).toEqual(own);
    expect(limitsAfter(own, { maxTokens: 1_000 }, { tokens: 500, costUsd: null })).toEqual(own);
  });
});
