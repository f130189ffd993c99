import type { Usage } from '../core/index.ts';

/** What models have used: `12,345 tokens, $0.0120`, or `cost unknown` for the latter. */
export function describeSpent({ tokens, costUsd }: Pick<Usage, 'tokens' | 'costUsd'>): string {
  const cost = costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`;
  return `${tokens.toLocaleString('en-US')} ${tokens === 1 ? 'token' : 'tokens'}, ${cost}`;
}
