import fc from 'fast-check';
import { expect, it } from 'vitest';
import { modelResultSchema } from '../../core/index.ts';
import { createModel } from './providers.ts';
import { env, ids, modelOverHttp, request } from './scripted-server/ask.fixture.ts';
import { answerFor, fuzzedAnswer } from './scripted-server/fuzz.fixture.ts';

const { serve } = modelOverHttp();

it('1,000 random replies, bodies and cuts each end in a result, for all four providers', async () => {
  const seed = 20_261_130;
  const answers = fc.sample(fuzzedAnswer, { numRuns: 1000, seed });
  const loose: unknown[] = [];
  const onLoose = (error: unknown): void => {
    loose.push(error);
  };
  process.on('unhandledRejection', onLoose);
  const server = await serve(({ path }) => {
    const [, at = '0', rest = ''] = /^\/v1\/(\d+)(.*)$/.exec(path) ?? [];
    const fuzzed = answers[Number(at)];
    if (fuzzed === undefined) throw new Error(`no answer for ${path}`);
    return answerFor(fuzzed, rest);
  });
  const kinds = new Map<string, number>();
  const askOne = async (at: number): Promise<void> => {
    const id = ids[at % ids.length] ?? ids[0];
    const limits = { firstMs: 5000, silenceMs: 5000, totalMs: 10_000 };
    const model = createModel({ id, baseUrl: `${server.url}/${at}`, env, limits });
    const result = await model.call(request, { signal: new AbortController().signal });
    const parsed = modelResultSchema.safeParse(result);
    expect(parsed.error, JSON.stringify({ at, result, answer: answers[at] })).toBeUndefined();
    const kind = result.ok ? 'reply' : result.failure.kind;
    if (!result.ok) expect(result.failure.message.length).toBeLessThanOrEqual(500);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  };
  for (let at = 0; at < answers.length; at += 20) {
    await Promise.all(answers.slice(at, at + 20).map((_, offset) => askOne(at + offset)));
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  process.off('unhandledRejection', onLoose);
  expect(loose).toEqual([]);
  expect(server.requests).toHaveLength(1000);
  // The fuzz reached replies and failures of many kinds, and nothing hung until its limit.
  expect(kinds.get('timeout') ?? 0).toBeLessThanOrEqual(20);
  for (const kind of ['reply', 'network', 'garbage', 'rate_limit', 'overloaded', 'key', 'bad_request']) {
    expect(kinds.get(kind) ?? 0, kind).toBeGreaterThan(5);
  }
}, 120_000);
