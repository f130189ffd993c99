import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ModelResult } from '../../core/index.ts';
import { createModel } from './providers.ts';
import {
  errorAnswers,
  rateLimitAnswer,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from './scripted-server/server.fixture.ts';
import type { CallLimits } from './sdk-model.ts';
import type { ModelProgress, ModelRequest } from './types.ts';

const open: ScriptedServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const request: ModelRequest = {
  system: 'You repair programs.',
  messages: [{ role: 'user', text: 'The test fails.' }],
  tools: [
    {
      name: 'propose_patch',
      description: 'Proposes a patch.',
      input: z.object({ motivation: z.string(), edits: z.array(z.object({ path: z.string() })) }),
    },
  ],
  toolChoice: { tool: 'propose_patch' },
  maxOutputTokens: 1000,
};

const env = {
  OPENAI_API_KEY: 'sk-test-openai-0123456789',
  ANTHROPIC_API_KEY: 'sk-ant-test-0123456789',
  GEMINI_API_KEY: 'gemini-test-0123456789',
};

async function serve(script: Script): Promise<ScriptedServer> {
  const server = await startScriptedServer({ script });
  open.push(server);
  return server;
}

type Asked = { result: ModelResult; progress: ModelProgress[]; server: ScriptedServer };

async function ask(options: {
  script: Script;
  id?: string;
  limits?: Partial<CallLimits>;
  signal?: AbortSignal;
  request?: ModelRequest;
}): Promise<Asked> {
  const server = await serve(options.script);
  const model = createModel({
    id: options.id ?? 'openai-compatible/qwen',
    baseUrl: server.url,
    env,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  const progress: ModelProgress[] = [];
  const result = await model.call(options.request ?? request, {
    signal: options.signal ?? new AbortController().signal,
    onProgress: (step) => progress.push(step),
  });
  return { result, progress, server };
}

const patch = JSON.stringify({ motivation: 'The sign was wrong: "-" for "+".', edits: [{ path: 'a.py' }] });
const patchCall = { toolCalls: [{ name: 'propose_patch', arguments: patch }] };
const ids = ['openai-compatible/qwen', 'openai/gpt', 'anthropic/claude', 'google/gemini'] as const;

describe.each(ids)('the real SDK for %s over HTTP', (id) => {
  it('collects a tool call that streams in pieces, with its tokens', async () => {
    const usage = { input: 1000, output: 50, cacheRead: 200 };
    const { result, progress } = await ask({ id, script: [{ text: 'I see.', ...patchCall, usage }] });
    if (!result.ok) throw new Error(JSON.stringify(result));
    const { reply } = result;
    expect(reply.text).toBe('I see.');
    expect(reply.toolCalls.map(({ name, input }) => ({ name, input: JSON.parse(input) }))).toEqual([
      { name: 'propose_patch', input: JSON.parse(patch) },
    ]);
    expect(reply.finish).toBe('tool_calls');
    // Anthropic counts what it read from its cache beside the input, the others within it.
    const inputTokens = id === 'anthropic/claude' ? 1200 : 1000;
    expect(reply.usage).toEqual({
      inputTokens,
      cacheReadTokens: 200,
      cacheWriteTokens: 0,
      outputTokens: 50,
      estimated: false,
    });
    expect(progress[0]).toEqual({ at: 'waiting' });
    const last = progress.at(-1);
    expect(last?.at === 'streaming' && last.outputChars).toBeGreaterThanOrEqual(patch.length);
  });
});

describe('failures over HTTP', () => {
  it.each([
    ['wrong key', errorAnswers.wrongKey, 'key'],
    ['unknown model', errorAnswers.unknownModel, 'unknown_model'],
    ['rate limit', rateLimitAnswer('7'), 'rate_limit'],
  ] as const)('%s', async (_, answer, kind) => {
    const { result } = await ask({ script: [answer] });
    expect(result.ok === false && result.failure.kind).toBe(kind);
  });
});
