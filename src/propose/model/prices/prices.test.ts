import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelUsage } from '../../../core/index.ts';
import { contextTokensOf, costOf, priceOf, priceTable } from './index.ts';

const used = (usage: Partial<ModelUsage>): ModelUsage => ({
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  estimated: false,
  ...usage,
});

describe('the table', () => {
  it('says when it was made, and asks for the key of no provider assay does not know', () => {
    expect(priceTable.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(priceTable.source).toContain('standard rate');
    for (const id of Object.keys(priceTable.models))
      expect(id).toMatch(/^(anthropic|google|openai)\/[a-z0-9.-]+$/);
  });

  it('has output dearer than input, and the cache cheaper to read than fresh input', () => {
    for (const [id, { input, output, cacheRead = input, cacheWrite = input }] of Object.entries(
      priceTable.models,
    )) {
      expect(output, id).toBeGreaterThan(input);
      expect(cacheRead, id).toBeLessThanOrEqual(input);
      expect(cacheWrite, id).toBeGreaterThanOrEqual(input);
    }
  });
});

describe('priceOf', () => {
  it.each([
    ['anthropic/claude-sonnet-4-5-20250929', 'anthropic/claude-sonnet-4-5'],
    ['anthropic/claude-haiku-4-5@20251001', 'anthropic/claude-haiku-4-5'],
    ['anthropic/claude-sonnet-4-20250514', 'anthropic/claude-sonnet-4'],
    ['anthropic/claude-3-5-haiku-latest', 'anthropic/claude-3-5-haiku'],
    ['anthropic/claude-opus-5-5[1m]', 'anthropic/claude-opus-5-5'],
    ['openai/gpt-4o-mini-2024-07-18', 'openai/gpt-4o-mini'],
    ['openai/gpt-5.5-2026-04-23', 'openai/gpt-5.5'],
    ['google/gemini-3.1-pro-preview', 'google/gemini-3.1-pro'],
    ['google/gemini-2.5-flash-preview-09-2025', 'google/gemini-2.5-flash'],
  ])('gives %s the price of %s', (id, family) => {
    const { contextTokens, ...price } = priceTable.models[family] ?? { contextTokens: 0 };
    expect(priceOf({ id })).toEqual(price);
    expect(contextTokensOf({ id })).toBe(contextTokens);
  });

  it('takes a snapshot with a price of its own before its family', () => {
    expect(priceOf({ id: 'openai/gpt-4o-2024-05-13' })).toMatchObject({ input: 5, output: 15 });
    expect(priceOf({ id: 'openai/gpt-4o-2024-08-06' })).toMatchObject({ input: 2.5, output: 10 });
  });

  it.each([
    'openai/gpt-5-pro',
    'openai/gpt-4o-audio',
    'openai-compatible/gpt-5',
    'anthropic/claude-opus-99',
    'anthropic/constructor',
    '__proto__',
    '',
  ])('knows no price of %s', (id) => {
    expect(priceOf({ id })).toBeNull();
    expect(contextTokensOf({ id })).toBeNull();
  });

  it('takes the price of the user first, for a model nobody knows as well', () => {
    const overrides = {
      'openai-compatible/qwen': { input: 0, output: 0 },
      'anthropic/claude-sonnet-4-5': { input: 1, output: 2 },
    };
    expect(priceOf({ id: 'openai-compatible/qwen', overrides })).toEqual({ input: 0, output: 0 });
    expect(priceOf({ id: 'anthropic/claude-sonnet-4-5-20250929', overrides })).toEqual({
      input: 1,
      output: 2,
    });
  });
});

describe('costOf', () => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

  it('prices what came from the cache and went into it apart from the fresh input', () => {
    const usage = used({
      inputTokens: 1_000_000,
      cacheReadTokens: 500_000,
      cacheWriteTokens: 100_000,
      outputTokens: 10_000,
    });
    expect(costOf(usage, price)).toBeCloseTo(0.4 * 3 + 0.5 * 0.3 + 0.1 * 3.75 + 0.01 * 15, 10);
  });

  it('counts the cache as input where it has no price of its own', () => {
    const usage = used({ inputTokens: 2_000_000, cacheReadTokens: 1_000_000 });
    expect(costOf(usage, { input: 2, output: 8 })).toBe(4);
  });

  it('is null for an unknown price, and 0 for one of 0', () => {
    expect(costOf(used({ inputTokens: 10 }), null)).toBeNull();
    expect(costOf(used({ inputTokens: 10 }), { input: 0, output: 0 })).toBe(0);
  });

  it('is never negative, whatever a provider reports', () => {
    const tokens = fc.nat(10_000_000);
    fc.assert(
      fc.property(
        tokens,
        tokens,
        tokens,
        tokens,
        (inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens) => {
          const cost = costOf(used({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }), price);
          expect(cost).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
