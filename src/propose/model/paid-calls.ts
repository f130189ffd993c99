import type {
  CallNeed,
  Clock,
  ModelFailure,
  ModelReply,
  ModelResult,
  ModelUsage,
  Price,
  Projection,
  Usage,
} from '../../core/index.ts';
import type { CallBudget, ProposerTools } from '../types.ts';
import { needOf } from './call-need.ts';
import { costOf } from './prices/index.ts';
import { projectionOf } from './projection.ts';
import { estimateTokens } from './prompt/index.ts';
import { callHash, requestHash } from './request-hash.ts';
import type { Model, ModelRequest, TryLog } from './types.ts';
import { addUsage, charactersOf, noUsage, requestCharacters, usageWithout } from './usage.ts';

export type CallOutcome =
  | { kind: 'reply'; reply: ModelReply }
  | { kind: 'failure'; failure: ModelFailure }
  /**
   * What is left of a budget does not cover what the call may cost (`need`); nothing was asked. Or the time was over
   * during the call: `because` says what it went by with.
   */
  | { kind: 'exhausted'; which: 'tokens' | 'cost'; need: CallNeed }
  | { kind: 'exhausted'; which: 'wall'; because?: string };

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
  /** What a message is to be made for: what was left when it was first made, where its call is given again. */
  leftToPack(): CallBudget;
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

/**
 * The calls of one proposal: each journaled, and checked against what is left before it is made. So is each further try
 * of a call that is tried again, where the model tells of its tries.
 */
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

  /** Charges and journals one try. */
  async function charge({ hash, result, used, startedMs }: Tried): Promise<void> {
    const cost = costOf(used, price);
    tokens += tokensOf(used);
    costUsd = cost === null || costUsd === null ? null : costUsd + cost;
    const wallMs = Math.max(0, elapsedMs() - startedMs);
    const usage = { tokens: tokensOf(used), costUsd: cost, candidates: 0, wallMs };
    await calls.called({ model: model.id, request: hash, result: withUsage(result, used), usage });
  }

  /** What is left once `used` is charged too. */
  const leftAfter = (used: ModelUsage) => {
    const rest = left();
    const cost = costOf(used, price) ?? Number.POSITIVE_INFINITY;
    return {
      ...rest,
      tokens: rest.tokens === null ? null : rest.tokens - tokensOf(used),
      costUsd: rest.costUsd === null ? null : rest.costUsd - cost,
    };
  };

  function exhausted(which: 'tokens' | 'cost' | 'wall', request: ModelRequest): CallOutcome {
    if (which === 'wall') return { kind: 'exhausted', which };
    const inputTokens = estimateTokens(requestCharacters(request));
    const need = needOf({ inputTokens, outputTokens: request.maxOutputTokens, left: left(), price });
    return { kind: 'exhausted', which, need };
  }

  async function ask(request: ModelRequest, hash: string, projection: Projection): Promise<CallOutcome> {
    let startedMs = elapsedMs();
    let charged = noUsage;
    let trying = true;
    let lacks: ReturnType<typeof lacking> = null;
    let failed: ModelFailure['kind'] | null = null;
    let writes = false;
    const wall = AbortSignal.timeout(Math.min(longestTimer, Math.ceil(left().wallMs)));
    const longest = () => ({ maxOutputChars: mostOutputChars({ request, left: left(), price }) });
    const tries: TryLog = {
      async failed(failure) {
        failed = failure.kind;
        lacks = lacking(projection, leftAfter(failure.usage));
        // What ends the call is charged as its result.
        if (lacks !== null) return false;
        await charge({ hash, result: { ok: false, failure }, used: failure.usage, startedMs });
        charged = addUsage(charged, failure.usage);
        trying = false;
        return true;
      },
      async again() {
        startedMs = elapsedMs();
        trying = true;
        await calls.calling({ model: model.id, projection });
        return longest();
      },
    };
    const result = await model.call(request, {
      signal: AbortSignal.any([signal, wall]),
      onProgress: (progress) => {
        writes ||= progress.at === 'streaming';
        onProgress?.({ kind: 'model', model: model.id, ...progress });
      },
      ...longest(),
      tries,
    });
    const used = usageWithout(usageIn(result), charged);
    // A stop between two tries costs nothing that is not charged.
    if (trying) await charge({ hash, result, used, startedMs });
    if (result.ok) return outcomeOf(result);
    signal.throwIfAborted();
    if (lacks !== null) return exhausted(lacks, request);
    if (!wall.aborted) return outcomeOf(result);
    const because = wentBy({ model, failed, writes, silentMs: elapsedMs() - startedMs });
    return { kind: 'exhausted', which: 'wall', because };
  }

  return {
    async call(request) {
      signal.throwIfAborted();
      const hash = callHash(model.id, requestHash(request));
      const known = past(hash);
      if (known !== null) return outcomeOf(known);
      const projection = projectionOf(request, price);
      const which = lacking(projection, left());
      if (which !== null) return exhausted(which, request);
      await calls.calling({ model: model.id, projection });
      return ask(request, hash, projection);
    },
    usage: () => ({ tokens, costUsd, candidates: 0, wallMs: elapsedMs() }),
    left,
    leftToPack: () => calls.leftThen?.() ?? left(),
  };
}

/** What the time of a call that was cut went by with. */
function wentBy(call: {
  model: Model;
  failed: ModelFailure['kind'] | null;
  writes: boolean;
  silentMs: number;
}): string {
  const { model, failed, writes, silentMs } = call;
  switch (failed) {
    case null:
      break;
    case 'rate_limit':
      return `${model.id} was rate-limited`;
    case 'overloaded':
      return `${model.id} was overloaded`;
    case 'network':
      return `${model.id} could not be reached`;
    case 'timeout':
      return `${model.id} did not answer in time`;
    default:
      return `${model.id} could not be had (${failed})`;
  }
  return writes
    ? `${model.id} was still writing`
    : `${model.id} was silent for ${(silentMs / 1000).toFixed(1)} s`;
}

type Tried = { hash: string; result: ModelResult; used: ModelUsage; startedMs: number };

const usageIn = (result: ModelResult): ModelUsage => (result.ok ? result.reply.usage : result.failure.usage);

function withUsage(result: ModelResult, usage: ModelUsage): ModelResult {
  return result.ok
    ? { ...result, reply: { ...result.reply, usage } }
    : { ok: false, failure: { ...result.failure, usage } };
}

/** A reply may have more characters to a token than the estimate takes, before it is held to be endless. */
const outputSlack = 1.25;

/** Characters after which a reply has gone beyond what was asked for, or what is left pays for. */
function mostOutputChars(options: {
  request: ModelRequest;
  left: Pick<ReturnType<PaidCalls['left']>, 'tokens' | 'costUsd'>;
  price: Price | null;
}): number {
  const { request, left, price } = options;
  const { tokens, costUsd } = projectionOf({ ...request, maxOutputTokens: 0 }, price);
  const byTokens = (left.tokens ?? Number.POSITIVE_INFINITY) - (tokens ?? 0);
  const perToken = price === null ? 0 : price.output / 1_000_000;
  const byCost =
    left.costUsd === null || perToken === 0
      ? Number.POSITIVE_INFINITY
      : (left.costUsd - (costUsd ?? 0)) / perToken;
  return Math.floor(charactersOf(Math.min(outputSlack * request.maxOutputTokens, byTokens, byCost)));
}

function outcomeOf(result: ModelResult): CallOutcome {
  return result.ok ? { kind: 'reply', reply: result.reply } : { kind: 'failure', failure: result.failure };
}

const tokensOf = ({ inputTokens, outputTokens }: ModelUsage): number => inputTokens + outputTokens;

function lacking(
  projection: Projection,
  left: ReturnType<PaidCalls['left']>,
): 'tokens' | 'cost' | 'wall' | null {
  if (left.wallMs <= 0) return 'wall';
  if (left.tokens !== null && (projection.tokens ?? 0) > left.tokens) return 'tokens';
  if (left.costUsd !== null && (projection.costUsd ?? Number.POSITIVE_INFINITY) > left.costUsd) return 'cost';
  return null;
}
