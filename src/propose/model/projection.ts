import type { Price, Projection } from '../../core/index.ts';
import { costOf } from './prices/index.ts';
import { estimateTokens } from './prompt/index.ts';
import type { ModelRequest } from './types.ts';
import { requestCharacters } from './usage.ts';

/** At most what a request costs: its estimated length and the longest reply, nothing of it from a cache. */
export function projectionOf(request: ModelRequest, price: Price | null): Projection {
  return projectionFor({
    inputTokens: estimateTokens(requestCharacters(request)),
    outputTokens: request.maxOutputTokens,
    price,
  });
}

export function projectionFor(options: {
  inputTokens: number;
  outputTokens: number;
  price: Price | null;
}): Projection {
  const { inputTokens, outputTokens, price } = options;
  const dearest = price && { ...price, input: Math.max(price.input, price.cacheWrite ?? 0) };
  const used = { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: true };
  return { tokens: inputTokens + outputTokens, costUsd: costOf(used, dearest) };
}
