import { describe, expect, it } from 'vitest';
import type { ModelFailure, ModelResult, Projection, Usage } from '../../core/index.ts';
import type { CallLog, ProposerTools } from '../types.ts';
import { noCallLog } from './call-log.ts';
import { paidCalls } from './paid-calls.ts';
import { createModel } from './providers.ts';
import { retryingModel } from './retrying.ts';
import { type ScriptedModelReply, scriptedModel } from './scripted.ts';
import { env, modelOverHttp, request } from './scripted-server/ask.fixture.ts';
import type { Model } from './types.ts';

const price = { input: 1, output: 2 };
const clock = { monotonicMs: () => 0, now: () => new Date(0) };
const cut = (outputTokens: number): ScriptedModelReply => ({
  failure: {
    kind: 'network',
    message: 'The stream was cut.',
    usage: { inputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens, estimated: true },
  },
});

type Entry = ['calling', Projection] | ['called', ModelResult, Usage];

/** Calls of a model that is tried again without waiting, with everything that was journaled. */
function payFor(inner: Model, budget: Partial<ProposerTools['budget']> = {}, sleep = async () => {}) {
  const entries: Entry[] = [];
  const calls: CallLog = {
    ...noCallLog,
    calling: async ({ projection }) => void entries.push(['calling', projection]),
    called: async ({ result, usage }) => void entries.push(['called', result, usage]),
  };
  const signal = new AbortController().signal;
  const tools = {
    budget: { candidates: null, wallMs: 60_000, tokens: null, costUsd: null, ...budget },
    calls,
    signal,
  };
  const model = retryingModel(inner, { sleep });
  const paid = paidCalls({ model, price, tools, clock, survives: () => false });
  return { paid, entries, kinds: () => entries.map(([kind]) => kind) };
}

const failureOf = (entry: Entry | undefined): ModelFailure | null =>
  entry?.[0] === 'called' && !entry[1].ok ? entry[1].failure : null;
const tokensOf = (entries: readonly Entry[]) =>
  entries.map((entry) => (entry[0] === 'called' ? entry[2].tokens : 0)).filter((tokens) => tokens > 0);

describe('each try of a call', () => {
  it('is journaled by itself, before and after, with what it cost', async () => {
    const { paid, entries, kinds } = payFor(scriptedModel({ replies: [cut(50), cut(60), 'Done.'] }));
    expect(await paid.call(request)).toMatchObject({ kind: 'reply', reply: { text: 'Done.' } });
    expect(kinds()).toEqual(['calling', 'called', 'calling', 'called', 'calling', 'called']);
    expect(tokensOf(entries)).toEqual([150, 160, 110]);
    expect(failureOf(entries[1])).toMatchObject({ kind: 'network', usage: { outputTokens: 50 } });
    expect(entries[5]).toMatchObject([
      'called',
      { reply: { usage: { inputTokens: 100, outputTokens: 10 } } },
      {},
    ]);
    expect(paid.usage()).toMatchObject({ tokens: 420, costUsd: (300 + 2 * 120) / 1e6 });
  });

  it('is on disk before the next one is waited for', async () => {
    const seen: string[][] = [];
    const made = payFor(scriptedModel({ replies: [cut(50), 'Done.'] }), {}, async () => {
      seen.push(made.kinds());
    });
    await made.paid.call(request);
    expect(seen).toEqual([['calling', 'called']]);
  });

  it.each([
    ['tokens', { tokens: 2000 }],
    ['cost', { costUsd: 0.0032 }],
  ] as const)('is made only where what is left of %s covers it', async (which, budget) => {
    const inner = scriptedModel({ replies: [cut(1000)], repeatLast: true });
    const { paid, entries } = payFor(inner, budget);
    expect(await paid.call(request)).toMatchObject({ kind: 'exhausted', which, need: { replyTokens: 1000 } });
    expect(inner.requests).toHaveLength(1);
    expect(tokensOf(entries)).toEqual([1100]);
    expect(entries).toHaveLength(2);
  });

  it('is charged once where the tries are used up', async () => {
    const { paid, entries } = payFor(scriptedModel({ replies: [cut(1)], repeatLast: true }));
    expect(await paid.call(request)).toMatchObject({ kind: 'failure', failure: { kind: 'network' } });
    expect(tokensOf(entries)).toEqual([101, 101, 101, 101, 101]);
    expect(paid.usage().tokens).toBe(505);
  });
});

describe('a reply that is longer than what was asked for', () => {
  const { serve } = modelOverHttp();
  const endless = { text: 'word '.repeat(20_000) };
  const answer = async (budget: Partial<ProposerTools['budget']>) => {
    const server = await serve([endless]);
    const made = payFor(createModel({ id: 'openai-compatible/q', baseUrl: server.url, env }), budget);
    return { ...made, outcome: await made.paid.call(request), server };
  };

  it('is stopped, charged, and told as one that was cut', async () => {
    const { outcome, entries, server, paid } = await answer({});
    expect(outcome).toMatchObject({ kind: 'reply', reply: { finish: 'length' } });
    const [output = 0] = outcome.kind === 'reply' ? [outcome.reply.usage.outputTokens] : [];
    expect(output).toBeGreaterThan(request.maxOutputTokens);
    expect(output).toBeLessThan(1.5 * request.maxOutputTokens);
    expect(tokensOf(entries)).toEqual([paid.usage().tokens]);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['tokens', { tokens: 1200 }],
    ['cost', { costUsd: 0.0022 }],
  ] as const)('is stopped where what is left of %s ends', async (_, budget) => {
    const { outcome, paid } = await answer(budget);
    expect(outcome).toMatchObject({ kind: 'reply', reply: { finish: 'length' } });
    const left = paid.left();
    const over = Math.min(left.tokens ?? 0, (left.costUsd ?? 0) * 1e6);
    // No more than the last piece that came.
    expect(over).toBeGreaterThan(-100);
  });

  it('keeps --max-tokens and --max-cost against a server that cuts every stream', async () => {
    const text = 'x'.repeat(28_000);
    const server = await serve([{ text, stopAfter: { events: 2000, how: 'cut' } }]);
    const budget = { tokens: 12_000, costUsd: 0.012 };
    const made = payFor(createModel({ id: 'openai-compatible/q', baseUrl: server.url, env }), budget);
    for (let round = 0; round < 20; round += 1) await made.paid.call({ ...request, maxOutputTokens: 4000 });
    const { tokens, costUsd } = made.paid.usage();
    expect(tokens).toBeGreaterThan(1000);
    expect(tokens).toBeLessThanOrEqual(12_000);
    expect(costUsd).toBeLessThanOrEqual(0.012);
  });
});
