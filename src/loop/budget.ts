import type { BudgetLimits, Projection, Usage } from '../core/index.ts';

/** What a run has spent. `costUsd` null: some of it was spent at an unknown price. */
export type Spent = Usage & { rounds: number };

/** What is left of each limit, never below 0; null: no limit of that kind. */
export type Left = {
  rounds: number;
  tokens: number | null;
  costUsd: number | null;
  wallMs: number;
  candidates: number | null;
};

export type Resource = keyof BudgetLimits;

/** A limit that does not allow what is asked of it, or that was overshot. */
export type Excess = { which: Resource; used: number; limit: number };

export const noUsage: Readonly<Usage> = { tokens: 0, costUsd: 0, candidates: 0, wallMs: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    tokens: a.tokens + b.tokens,
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
    candidates: a.candidates + b.candidates,
    wallMs: a.wallMs + b.wallMs,
  };
}

/** What of `total` is not yet in `part`, never below 0: batches are charged as they come, the reply charges the rest. */
export function restOf(total: Usage, part: Usage): Usage {
  return {
    tokens: Math.max(0, total.tokens - part.tokens),
    costUsd: total.costUsd === null ? null : Math.max(0, total.costUsd - (part.costUsd ?? 0)),
    candidates: Math.max(0, total.candidates - part.candidates),
    wallMs: Math.max(0, total.wallMs - part.wallMs),
  };
}

export function leftOf(limits: BudgetLimits, spent: Spent): Left {
  const rest = (limit: number | null, used: number) => (limit === null ? null : Math.max(0, limit - used));
  return {
    rounds: Math.max(0, limits.rounds - spent.rounds),
    tokens: rest(limits.tokens, spent.tokens),
    // A price that is not known cannot be held against a limit: nothing is left then, rather than everything.
    costUsd: rest(limits.costUsd, spent.costUsd ?? Number.POSITIVE_INFINITY),
    wallMs: Math.max(0, limits.wallMs - spent.wallMs),
    candidates: rest(limits.candidates, spent.candidates),
  };
}

const projected = ['tokens', 'costUsd', 'wallMs', 'candidates'] as const;

/**
 * The first limit that does not leave room for `projection`, or null. What it names at all it takes some of, so a
 * limit that is used up refuses even a projected 0; a projected cost of null is an unknown price.
 */
export function refusalOf(options: {
  limits: BudgetLimits;
  spent: Spent;
  projection: Projection;
}): Excess | null {
  const { limits, spent, projection } = options;
  const left = leftOf(limits, spent);
  for (const which of projected) {
    const limit = limits[which];
    const room = left[which];
    const wanted = projection[which];
    if (limit === null || room === null || wanted === undefined) continue;
    if (room === 0 || (wanted ?? Number.POSITIVE_INFINITY) > room)
      return { which, used: spent[which] ?? limit, limit };
  }
  return null;
}

/** The limits that the last call of its kind went over. A limit is checked before a call, so it is one call at most. */
export function overshoots(limits: BudgetLimits, spent: Spent): Excess[] {
  return (['rounds', ...projected] as const).flatMap((which) => {
    const limit = limits[which];
    const used = spent[which];
    return limit !== null && used !== null && used > limit ? [{ which, used, limit }] : [];
  });
}
