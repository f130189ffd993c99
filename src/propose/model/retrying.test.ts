import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ModelFailure } from '../../core/index.ts';
import { createModel } from './providers.ts';
import { type RetryOptions, retryingModel } from './retrying.ts';
import { type ScriptedModelReply, scriptedModel } from './scripted.ts';
import { errorAnswers, rateLimitAnswer } from './scripted-server/answers.fixture.ts';
import { env, failureIn, modelOverHttp, replyOf, request } from './scripted-server/ask.fixture.ts';
import type { ModelProgress } from './types.ts';

const usage = { inputTokens: 10, cacheReadTokens: 1, cacheWriteTokens: 2, outputTokens: 5, estimated: false };
const fail = (kind: ModelFailure['kind'], more: Partial<ModelFailure> = {}) => ({
  failure: { kind, usage, ...more },
});

async function run(replies: ScriptedModelReply[], options: RetryOptions = {}) {
  const inner = scriptedModel({ replies });
  const waits: number[] = [];
  const progress: ModelProgress[] = [];
  const sleep = async (ms: number) => {
    waits.push(ms);
  };
  const model = retryingModel(inner, { sleep, random: () => 0, ...options });
  const result = await model.call(request, {
    signal: new AbortController().signal,
    onProgress: (step) => progress.push(step),
  });
  return { result, waits, progress, calls: inner.requests.length };
}

describe('retryingModel', () => {
  it('is the model it wraps', () => {
    const inner = scriptedModel({ replies: [], id: 'openai/gpt', receiver: 'openai' });
    expect(retryingModel(inner)).toMatchObject({ id: 'openai/gpt', receiver: 'openai' });
  });

  it.each(['rate_limit', 'overloaded', 'network', 'timeout'] as const)(
    'calls again after %s',
    async (kind) => {
      const { result, calls, progress } = await run([fail(kind, { message: 'Busy.' }), 'Done.']);
      expect(replyOf({ result }).text).toBe('Done.');
      expect(calls).toBe(2);
      expect(progress).toContainEqual({ at: 'retrying', inMs: 500, because: 'Busy.' });
    },
  );

  it.each([
    'context_too_long',
    'key',
    'no_credit',
    'unknown_model',
    'refused',
    'bad_request',
    'garbage',
    'aborted',
  ] as const)('does not after %s', async (kind) => {
    const { result, calls, waits } = await run([fail(kind), 'Done.']);
    expect(failureIn({ result }).kind).toBe(kind);
    expect([calls, waits]).toEqual([1, []]);
  });

  it('waits longer each time, within half and the whole of the step, and gives up after five calls', async () => {
    const replies = Array.from({ length: 9 }, () => fail('overloaded', { message: 'Busy.' }));
    const least = await run(replies);
    expect(least.waits).toEqual([500, 1000, 2000, 4000]);
    expect(least.calls).toBe(5);
    expect(failureIn(least).message).toBe('Busy. (given up after 5 tries)');
    expect((await run(replies, { random: () => 0.999999 })).waits).toEqual([1000, 2000, 4000, 8000]);
    expect(Math.max(...(await run(replies, { maxTries: 9 })).waits)).toBe(15_000);
  });

  it('waits as long as the provider asks, and not at all beyond two minutes', async () => {
    expect((await run([fail('rate_limit', { retryAfterMs: 40_000 }), 'Done.'])).waits).toEqual([40_000]);
    expect((await run([fail('rate_limit', { retryAfterMs: 120_000 }), 'Done.'])).waits).toEqual([120_000]);
    expect((await run([fail('rate_limit', { retryAfterMs: 0 }), 'Done.'])).waits).toEqual([100]);
    const never = await run([
      fail('rate_limit', { retryAfterMs: 120_001, message: 'Come tomorrow.' }),
      'Done.',
    ]);
    expect([never.calls, never.waits]).toEqual([1, []]);
    expect(failureIn(never).message).toBe('Come tomorrow. (it asks to wait 3 minutes)');
  });

  it('adds up what all tries cost', async () => {
    const estimated = { ...usage, estimated: true };
    const { result } = await run([
      fail('network', { usage: estimated }),
      fail('timeout'),
      { text: 'Done.', usage },
    ]);
    expect(replyOf({ result }).usage).toEqual({
      inputTokens: 30,
      cacheReadTokens: 3,
      cacheWriteTokens: 6,
      outputTokens: 15,
      estimated: true,
    });
    const failed = await run([fail('network'), fail('key')]);
    expect(failureIn(failed)).toMatchObject({ kind: 'key', usage: { inputTokens: 20 } });
  });

  it('an abort ends a wait at once, and keeps what was spent', async () => {
    const controller = new AbortController();
    const inner = scriptedModel({ replies: [fail('rate_limit', { retryAfterMs: 100_000 }), 'Done.'] });
    const result = await retryingModel(inner).call(request, {
      signal: controller.signal,
      onProgress: (step) => {
        if (step.at === 'retrying') setTimeout(() => controller.abort(), 10);
      },
    });
    expect(failureIn({ result })).toMatchObject({ kind: 'aborted', usage });
    expect(inner.requests).toHaveLength(1);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('does not wait for one who has gone already', async () => {
    const controller = new AbortController();
    const inner = scriptedModel({
      replies: [
        () => {
          controller.abort();
          return {
            ok: false,
            failure: { kind: 'network', message: 'x', fix: 'y', retryAfterMs: null, usage },
          };
        },
      ],
    });
    const result = await retryingModel(inner).call(request, { signal: controller.signal });
    expect(failureIn({ result }).kind).toBe('aborted');
  });
});

describe('retries over HTTP', () => {
  const { serve } = modelOverHttp();

  it('comes through a server that is busy at first', async () => {
    const cut = { text: 'word '.repeat(30), stopAfter: { events: 6, how: 'cut' as const } };
    const server = await serve([rateLimitAnswer('1'), errorAnswers.unavailable, cut, { text: 'Done.' }]);
    const waits: number[] = [];
    const model = retryingModel(createModel({ id: 'openai-compatible/q', baseUrl: server.url, env }), {
      sleep: async (ms) => {
        waits.push(ms);
      },
      random: () => 0,
    });
    const reply = replyOf({ result: await model.call(request, { signal: new AbortController().signal }) });
    expect(reply.text).toBe('Done.');
    expect(waits).toEqual([1000, 1000, 2000]);
    // The stream that was cut was paid for; what was refused was not.
    expect(reply.usage.estimated).toBe(true);
    expect(reply.usage.inputTokens).toBeGreaterThan(100);
    expect(server.requests).toHaveLength(4);
  });
});
