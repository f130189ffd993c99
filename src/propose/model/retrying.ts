import { setTimeout as timer } from 'node:timers/promises';
import type { ModelFailure, ModelResult, ModelUsage } from '../../core/index.ts';
import { mayPass } from './failure-kind.ts';
import type { Model, ModelCallOptions, ModelRequest } from './types.ts';
import { addUsage, noUsage } from './usage.ts';

export type RetryOptions = {
  /** Resolves after so many milliseconds, rejects when the signal is aborted. Default: a timer. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** In [0, 1). Default: Math.random. */
  random?: () => number;
  /** Calls in all. Default 5. */
  maxTries?: number;
};

const firstWaitMs = 1000;
const maxBackoffMs = 30_000;
/** A provider that asks for more than that is given up: the run ends, and can be resumed then. */
const maxAskedMs = 120_000;

/**
 * Calls again where that helps (rate limit, overload, network, timeout), after exponentially longer waits with
 * equal jitter (Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog 2015), or as long as the provider asks,
 * up to two minutes. The result's usage is that of all tries. An abort ends a wait at once. `tries` of the call's options
 * hears of each try that failed before the next one, and can end it there.
 */
export function retryingModel(inner: Model, options: RetryOptions = {}): Model {
  const { sleep = sleepReal, random = Math.random, maxTries = 5 } = options;
  return {
    id: inner.id,
    receiver: inner.receiver,
    prepare: () => inner.prepare?.(),
    call: async (request: ModelRequest, callOptions: ModelCallOptions): Promise<ModelResult> => {
      const { signal, onProgress, tries: log } = callOptions;
      let spent = noUsage;
      let tryOptions = callOptions;
      for (let tries = 1; ; tries += 1) {
        const tried = await inner.call(request, tryOptions);
        const result = withSpent(tried, spent);
        if (result.ok || !mayPass(result.failure.kind)) return result;
        if (signal.aborted) return aborted(result.failure);
        const inMs = waitMs(result.failure, tries, random);
        if (inMs === null) return givenUp(result.failure, askedFor(result.failure));
        if (tries >= maxTries) return givenUp(result.failure, `given up after ${tries} tries`);
        if (!tried.ok && (await log?.failed(tried.failure)) === false)
          return givenUp(result.failure, 'what is left of a budget does not cover another try');
        onProgress?.({ at: 'retrying', inMs, because: result.failure.message });
        spent = result.failure.usage;
        try {
          await sleep(inMs, signal);
        } catch (error) {
          if (!signal.aborted) throw error;
        }
        if (signal.aborted) return aborted(result.failure);
        tryOptions = { ...callOptions, ...(await log?.again()) };
      }
    },
  };
}

async function sleepReal(ms: number, signal: AbortSignal): Promise<void> {
  await timer(ms, undefined, { signal });
}

/** How long to wait, or null where the provider asks for too much. */
function waitMs({ retryAfterMs }: ModelFailure, tries: number, random: () => number): number | null {
  const backoff = Math.min(maxBackoffMs, firstWaitMs * 2 ** (tries - 1));
  if (retryAfterMs === null) return Math.round(backoff * (0.5 + random() / 2));
  if (retryAfterMs > maxAskedMs) return null;
  // Those who were told the same instant come spread out over a tenth more.
  return Math.round(Math.max(retryAfterMs, 100) * (1 + random() / 10));
}

function withSpent(result: ModelResult, spent: ModelUsage): ModelResult {
  if (result.ok) return { ok: true, reply: { ...result.reply, usage: addUsage(spent, result.reply.usage) } };
  return { ok: false, failure: { ...result.failure, usage: addUsage(spent, result.failure.usage) } };
}

function askedFor({ retryAfterMs }: ModelFailure): string {
  return `it asks to wait ${Math.ceil((retryAfterMs ?? 0) / 60_000)} minutes`;
}

function givenUp(failure: ModelFailure, why: string): ModelResult {
  return { ok: false, failure: { ...failure, message: `${failure.message.slice(0, 450)} (${why})` } };
}

function aborted({ usage, message }: ModelFailure): ModelResult {
  return {
    ok: false,
    failure: {
      kind: 'aborted',
      message: `Stopped between two tries. ${message}`.slice(0, 500),
      fix: 'Resume the run to ask again.',
      retryAfterMs: null,
      usage,
    },
  };
}
