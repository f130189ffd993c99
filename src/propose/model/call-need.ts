import type { CallNeed, Price } from '../../core/index.ts';
import type { CallBudget } from '../types.ts';
import { projectionFor } from './projection.ts';

/** What a call takes at most, and how much of a reply the rest of the budgets would pay for. */
export function needOf(options: {
  inputTokens: number;
  /** The longest reply. */
  outputTokens: number;
  left: CallBudget;
  price: Price | null;
}): CallNeed {
  const { inputTokens, outputTokens, left, price } = options;
  const { tokens = 0, costUsd = null } = projectionFor(options);
  const rest =
    left.costUsd === null
      ? null
      : left.costUsd - (projectionFor({ ...options, outputTokens: 0 }).costUsd ?? 0);
  const byTokens = left.tokens === null ? outputTokens : left.tokens - inputTokens;
  const byCost =
    rest === null || price === null || price.output === 0 ? outputTokens : (rest * 1_000_000) / price.output;
  const payable = Math.floor(Math.min(outputTokens, byTokens, byCost));
  return { tokens, costUsd, replyTokens: outputTokens, payableReplyTokens: Math.max(0, payable) };
}
