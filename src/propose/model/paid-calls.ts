import { createHash } from 'node:crypto';
import type {
  Clock,
  ModelFailure,
  ModelReply,
  ModelResult,
  ModelUsage,
  Price,
  Projection,
  Usage,
} from '../../core/index.ts';
import type { ProposerTools } from '../types.ts';
import { costOf } from './prices/index.ts';
import { estimateTokens } from './prompt/index.ts';
import { requestHash } from './request-hash.ts';
import type { Model, ModelRequest } from './types.ts';
import { requestCharacters } from './usage.ts';

export type CallOutcome =
  | { kind: 'reply'; reply: ModelReply }
  | { kind: 'failure'; failure: ModelFailure }
  /** What is left of a budget does not cover what the call may cost; nothing was asked. */
  | { kind: 'exhausted'; which: 'tokens' | 'cost' | 'wall' };

export type PaidCalls = {
  /**
   * Asks the model, or gives again what was journaled for this very request.
   * @throws the reason of `tools.signal` when it aborts
   */
  call(request: ModelRequest): Promise<CallOutcome>;
  /** What was paid for by now; a reply that was given again cost nothing. */
  usage(): Usage;
  /** What is left of each budget. */
  left(): { tokens: number | null; costUsd: number | null; wallMs: number };
};

export type PaidCallsOptions = {
  model: Model;
  price: Price | null;
  tools: Pick<ProposerTools, 'budget' | 'calls' | 'signal' | 'onProgress'>;
  clock: Clock;
  /** True for a failure that the proposer goes on after; others that were journaled ended the run, and are asked again. */
  survives: (failure: ModelFailure) => boolean;
};

/** A timer above this fires at once. */
const longestTimer = 2 ** 31 - 1;

/** The calls of one proposal: each journaled, and checked against what is left before it is made. */
export function paidCalls({ model, price, tools, clock, survives }: PaidCallsOptions): PaidCalls {
  const { budget, calls, signal, onProgress } = tools;
  const startedMs = clock.monotonicMs();
  const elapsedMs = () => Math.max(0, clock.monotonicMs() - startedMs);
  let tokens = 0;
  let costUsd: number | null = 0;
  const left = () => ({
    tokens: budget.tokens === null ? null : budget.tokens - tokens,
    costUsd: budget.costUsd === null ? null : budget.costUsd - (costUsd ?? Number.POSITIVE_INFINITY),
    wallMs: budget.wallMs - elapsedMs(),
  });

  const past = (request: string): ModelResult | null => {
    for (let result = calls.past(request); result !== null; result = calls.past(request)) {
      if (result.ok || survives(result.failure)) return result;
    }
    return null;
  };

  async function ask(request: ModelRequest, hash: string): Promise<ModelResult | 'wall'> {
    const before = elapsedMs();
    const wall = AbortSignal.timeout(Math.min(longestTimer, Math.ceil(left().wallMs)));
    const result = await model.call(request, {
      signal: AbortSignal.any([signal, wall]),
      onProgress: (progress) => onProgress?.({ kind: 'model', model: model.id, ...progress }),
    });
    const used = result.ok ? result.reply.usage : result.failure.usage;
    const cost = costOf(used, price);
    tokens += tokensOf(used);
    costUsd = cost === null || costUsd === null ? null : costUsd + cost;
    const usage = { tokens: tokensOf(used), costUsd: cost, candidates: 0, wallMs: elapsedMs() - before };
    await calls.called({ model: model.id, request: hash, result, usage });
    if (result.ok) return result;
    signal.throwIfAborted();
    return wall.aborted ? 'wall' : result;
  }

  return {
    async call(request) {
      signal.throwIfAborted();
      const hash = hashOf(model, request);
      const known = past(hash);
      if (known !== null) return outcomeOf(known);
      const projection = projectionOf(request, price);
      const which = lacking(projection, left());
      if (which !== null) return { kind: 'exhausted', which };
      await calls.calling({ model: model.id, projection });
      const result = await ask(request, hash);
      return result === 'wall' ? { kind: 'exhausted', which: 'wall' } : outcomeOf(result);
    },
    usage: () => ({ tokens, costUsd, candidates: 0, wallMs: elapsedMs() }),
    left,
  };
}

function outcomeOf(result: ModelResult): CallOutcome {
  return result.ok ? { kind: 'reply', reply: result.reply } : { kind: 'failure', failure: result.failure };
}

const tokensOf = ({ inputTokens, outputTokens }: ModelUsage): number => inputTokens + outputTokens;

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

function lacking(
  projection: Projection,
  left: ReturnType<PaidCalls['left']>,
): 'tokens' | 'cost' | 'wall' | null {
  if (left.wallMs <= 0) return 'wall';
  if (left.tokens !== null && (projection.tokens ?? 0) > left.tokens) return 'tokens';
  if (left.costUsd !== null && (projection.costUsd ?? Number.POSITIVE_INFINITY) > left.costUsd) return 'cost';
  return null;
}

/** Another model's reply answers nothing. */
const hashOf = (model: Model, request: ModelRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([model.id, requestHash(request)]))
    .digest('hex');
