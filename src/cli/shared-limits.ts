import type { ErrorResult, RepairResult, RepairSpec } from '../core/index.ts';

/** What a command line, or else the user's configuration, lets all folders of one command use together. */
export type SharedLimits = { maxTokens?: number | undefined; maxCost?: number | undefined };

export type Spent = { tokens: number; costUsd: number | null };

/**
 * The limits of the next folder: its own, or what those before it have left, whichever is less. Null where nothing is
 * left; a cost that is not known leaves nothing.
 */
export function limitsAfter(
  own: RepairSpec['limits'],
  shared: SharedLimits,
  spent: Spent,
): RepairSpec['limits'] | null {
  const tokens = less(own.tokens, shared.maxTokens, spent.tokens);
  const costUsd = less(own.costUsd, shared.maxCost, spent.costUsd);
  return (tokens ?? 1) > 0 && (costUsd ?? 1) > 0 ? { ...own, tokens, costUsd } : null;
}

function less(own: number | null, shared: number | undefined, spent: number | null): number | null {
  if (shared === undefined) return own;
  const left = spent === null ? 0 : shared - spent;
  return own === null ? left : Math.min(own, left);
}

/** With what a further folder came to. An end without a result does not say what it used. */
export function spentAfter(before: Spent, result: RepairResult | ErrorResult): Spent {
  if ('error' in result) return before;
  const { tokens, costUsd } = result.usage;
  return {
    tokens: before.tokens + tokens,
    costUsd: before.costUsd === null || costUsd === null ? null : before.costUsd + costUsd,
  };
}
