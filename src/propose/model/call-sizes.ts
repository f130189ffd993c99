import type { ModelSettings, Price } from '../../core/index.ts';
import type { CallBudget } from '../types.ts';
import { contextTokensOf } from './prices/index.ts';

/** Where nobody says how much context a model takes: what local servers are often started with. */
const cautiousContext = 32_000;
/** More than this is not packed, however much context there is: what matters comes first, and every round is paid. */
const mostPacked = 48_000;
/** Share of the context that is packed at first; the rest is for what the model asks to read. */
const packedShare = 0.65;
/** Kept free of the context: tokens are estimated. */
const margin = 0.03;

export type CallSizes = {
  contextTokens: number;
  /** The most that is asked of one reply: never more than half of the context. */
  maxOutputTokens: number;
};

/** What one call to a model may hold. */
export function callSizes(id: string, settings: ModelSettings): CallSizes {
  const contextTokens = settings.contextTokens ?? contextTokensOf({ id }) ?? cautiousContext;
  const maxOutputTokens = Math.max(1, Math.min(settings.maxOutputTokens, Math.floor(contextTokens / 2)));
  return { contextTokens, maxOutputTokens };
}

/** Tokens for the first message, besides the `fixedTokens` of the system prompt and the tools. */
export type PackRoom = {
  /** What it gets at first. */
  usual: number;
  /** What it gets where it must: the names of thousands of tests, say. */
  most: number;
};

/** `reads`: the model may ask to see more afterwards. */
export function packRoom(
  { contextTokens, maxOutputTokens }: CallSizes,
  { fixedTokens, reads }: { fixedTokens: number; reads: boolean },
): PackRoom {
  const most = Math.max(0, Math.floor(contextTokens * (1 - margin)) - maxOutputTokens - fixedTokens);
  return { usual: Math.min(mostPacked, reads ? Math.floor(most * packedShare) : most), most };
}

export type Affordable = { tokens: number; which: 'tokens' | 'cost' };

/** The longest first message that what is left of the budgets pays for, and the budget that decides. */
export function affordable(options: {
  sizes: CallSizes;
  fixedTokens: number;
  left: CallBudget;
  price: Price | null;
}): Affordable {
  const { sizes, fixedTokens, left, price } = options;
  const byTokens = (left.tokens ?? Number.POSITIVE_INFINITY) - sizes.maxOutputTokens - fixedTokens;
  const byCost = costTokens(left.costUsd, price, sizes) - fixedTokens;
  return byTokens <= byCost ? { tokens: byTokens, which: 'tokens' } : { tokens: byCost, which: 'cost' };
}

function costTokens(costUsd: number | null, price: Price | null, { maxOutputTokens }: CallSizes): number {
  // Without a price the call itself is refused.
  if (costUsd === null || price === null) return Number.POSITIVE_INFINITY;
  const input = Math.max(price.input, price.cacheWrite ?? 0);
  // Sums of prices in another order differ in their last digits, which must not decide.
  const rest = Math.round((costUsd * 1_000_000 - maxOutputTokens * price.output) * 1000) / 1000;
  if (input === 0) return rest >= 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  return Math.floor(rest / input);
}
