import { describe, expect, it, vi } from 'vitest';
import { errorAnswers, rateLimitAnswer } from './scripted-server/answers.fixture.ts';
import { env, failureIn, ids, modelOverHttp, replyOf, request } from './scripted-server/ask.fixture.ts';
import type { RawAnswer } from './scripted-server/server.fixture.ts';
import type { ModelRequest } from './types.ts';

const { ask } = modelOverHttp();

const patch = JSON.stringify({ motivation: 'The sign was wrong: "-" for "+".', edits: [{ path: 'ä/b.py' }] });
const patchCall = { toolCalls: [{ name: 'propose_patch', arguments: patch }] };
const raw = (status: number, body: unknown): RawAnswer => ({
  status,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

describe.each(ids)('the real SDK for %s over HTTP', (id) => {
  it('collects a tool call that streams in pieces, with its tokens', async () => {
    const usage = { input: 1000, output: 50, cacheRead: 200 };
    const asked = await ask({ id, script: [{ text: 'I see.', ...patchCall, usage }] });
    const reply = replyOf(asked);
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
    expect(asked.progress[0]).toEqual({ at: 'waiting' });
    const last = asked.progress.at(-1);
    expect(last?.at === 'streaming' && last.outputChars).toBeGreaterThanOrEqual(patch.length);
  });

  it('gives prose where a tool was required as it is', async () => {
    const reply = replyOf(await ask({ id, script: [{ text: 'I would rather talk about it.' }] }));
    expect(reply).toMatchObject({ text: 'I would rather talk about it.', toolCalls: [], finish: 'stop' });
  });

  it('keeps two calls of one reply apart and in order', async () => {
    const toolCalls = [
      { id: 'a', name: 'propose_patch', arguments: '{"n":1}' },
      { id: 'b', name: 'read_file', arguments: '{"n":2}' },
    ];
    const reply = replyOf(await ask({ id, script: [{ toolCalls }] }));
    expect(reply.toolCalls.map(({ name, input }) => [name, input])).toEqual([
      ['propose_patch', '{"n":1}'],
      ['read_file', '{"n":2}'],
    ]);
    expect(new Set(reply.toolCalls.map((call) => call.id)).size).toBe(2);
  });

  it('tells a reply that was too long from one that was whole, and a refusal from both', async () => {
    expect(replyOf(await ask({ id, script: [{ text: 'half of', finish: 'length' }] })).finish).toBe('length');
    expect(replyOf(await ask({ id, script: [{ text: 'No.', finish: 'refused' }] })).finish).toBe('refused');
  });

  it('sends the key to the address that was given, the instructions, the words and the tools', async () => {
    const { server } = await ask({ id, script: [patchCall] });
    const [sent] = server.requests;
    const key = {
      'openai-compatible/qwen': ['authorization', `Bearer ${env.ASSAY_API_KEY}`],
      'openai/gpt': ['authorization', `Bearer ${env.OPENAI_API_KEY}`],
      'anthropic/claude': ['x-api-key', env.ANTHROPIC_API_KEY],
      'google/gemini': ['x-goog-api-key', env.GEMINI_API_KEY],
    }[id];
    expect(sent?.headers[String(key[0])]).toBe(key[1]);
    const body = JSON.stringify(sent?.body);
    for (const word of [
      request.system,
      'The test fails.',
      'propose_patch',
      'Proposes a patch.',
      'motivation',
    ]) {
      expect(body).toContain(word);
    }
    expect(body).toContain('1000');
  });

  it('gives a conversation with tool results back to the model, broken arguments shown as they were', async () => {
    const { server, result } = await ask({
      id,
      script: [{ text: 'Thanks.' }],
      request: {
        ...request,
        toolChoice: 'auto',
        messages: [
          { role: 'user', text: 'Look.' },
          {
            role: 'assistant',
            text: '',
            toolCalls: [
              { id: 'call_1', name: 'read_file', input: '{"path":"a.py"}' },
              { id: 'call_2', name: 'read_file', input: '{"path": b.py' },
            ],
          },
          {
            role: 'tool',
            results: [
              { callId: 'call_1', tool: 'read_file', text: 'x = 1' },
              { callId: 'call_2', tool: 'read_file', text: 'Your arguments are no JSON.' },
            ],
          },
        ],
      },
    });
    expect(result.ok).toBe(true);
    const body = JSON.stringify(server.requests[0]?.body);
    for (const word of ['a.py', 'not_an_object', 'b.py', 'x = 1', 'Your arguments are no JSON.']) {
      expect(body).toContain(word);
    }
  });

  it('shows an image after the text of its message', async () => {
    const base64 = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
    const images = [{ mediaType: 'image/png', base64 }];
    const messages = [{ role: 'user' as const, text: 'What is drawn?', images }];
    const asked = await ask({ id, script: [{ text: 'A line.' }], request: { ...request, messages } });
    const sent = JSON.stringify(asked.server.requests[0]?.body);
    expect(sent).toContain(base64);
    expect(sent.indexOf('What is drawn?')).toBeLessThan(sent.indexOf(base64));
  });

  it('tells a wrong key by the variable to set, without the key', async () => {
    const failure = failureIn(
      await ask({
        id,
        script: [raw(401, { error: { message: `bad key ${Object.values(env).join(' ')}` } })],
      }),
    );
    expect(failure.kind).toBe('key');
    expect(failure.fix).toMatch(/OPENAI_API_KEY|ANTHROPIC_API_KEY|GEMINI_API_KEY|ASSAY_API_KEY/);
    for (const key of Object.values(env)) expect(JSON.stringify(failure)).not.toContain(key);
    expect(failure.usage.inputTokens).toBe(0);
  });

  it('asks once for each call, and hands on how long to wait', async () => {
    const { server, ...asked } = await ask({ id, script: [rateLimitAnswer('7')] });
    expect(failureIn(asked)).toMatchObject({ kind: 'rate_limit', retryAfterMs: 7000 });
    expect(server.requests).toHaveLength(1);
  });

  it('tells an overloaded provider', async () => {
    const body = {
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded', status: 'UNAVAILABLE' },
    };
    expect(failureIn(await ask({ id, script: [raw(529, body)] })).kind).toBe('overloaded');
    expect(failureIn(await ask({ id, script: [errorAnswers.unavailable] })).kind).toBe('overloaded');
  });

  it('takes a page of HTML, an empty body and noise for garbage', async () => {
    for (const answer of [errorAnswers.html, errorAnswers.empty, errorAnswers.noSse]) {
      expect(failureIn(await ask({ id, script: [answer] })).kind).toBe('garbage');
    }
  });

  it('takes a stream that was cut for a failure of the network that has been paid for', async () => {
    const long = { text: 'word '.repeat(100), stopAfter: { events: 8, how: 'cut' as const } };
    const failure = failureIn(await ask({ id, script: [long] }));
    expect(failure.kind).toBe('network');
    expect(failure.usage.estimated).toBe(true);
    expect(failure.usage.inputTokens).toBeGreaterThan(50);
    const ended = failureIn(await ask({ id, script: [{ ...long, stopAfter: { events: 8, how: 'end' } }] }));
    expect(ended.kind).toBe('network');
    expect(ended.usage.outputTokens).toBeGreaterThan(0);
  });

  it('says nothing on stdout, stderr or as a warning of the process', async () => {
    const said = [
      vi.spyOn(process.stdout, 'write'),
      vi.spyOn(process.stderr, 'write'),
      vi.spyOn(process, 'emitWarning'),
      vi.spyOn(console, 'warn'),
      vi.spyOn(console, 'error'),
    ];
    await ask({ id, script: [patchCall] });
    await ask({ id, script: [errorAnswers.badJson] });
    const counts = said.map((spy) => spy.mock.calls.length);
    vi.restoreAllMocks();
    expect(counts).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('what each provider is asked besides', () => {
  const turns: ModelRequest = {
    ...request,
    messages: [
      { role: 'user', text: 'Look.' },
      { role: 'assistant', text: 'Yes?', toolCalls: [] },
      { role: 'user', text: 'Again.' },
    ],
  };
  const bodyOf = async (id: string, asked: ModelRequest) =>
    (await ask({ id, script: [{ text: 'x' }], request: asked })).server.requests[0]?.body;

  it('anthropic: to keep the instructions, and a conversation as far as it went', async () => {
    const cache_control = { type: 'ephemeral' };
    expect(await bodyOf('anthropic/claude', turns)).toMatchObject({
      system: [{ text: request.system, cache_control }],
      messages: [{}, { content: [{ cache_control }] }, { content: [{ text: 'Again.', cache_control }] }],
    });
    const once = JSON.stringify(await bodyOf('anthropic/claude', request));
    expect(once.match(/cache_control/g)).toHaveLength(1);
  });

  it('openai: to keep nothing', async () => {
    expect(await bodyOf('openai/gpt', request)).toMatchObject({
      store: false,
      tool_choice: { name: 'propose_patch' },
    });
  });

  it('openai-compatible: one tool that is required, for servers that know none by its name', async () => {
    const [tool] = request.tools;
    if (tool === undefined) throw new Error('the request has no tool');
    const body = await bodyOf(ids[0], { ...request, tools: [{ ...tool, name: 'read_file' }, tool] });
    expect(body).toMatchObject({ tool_choice: 'required', tools: [{ function: { name: 'propose_patch' } }] });
    expect(await bodyOf(ids[0], { ...request, tools: [], toolChoice: 'none' })).not.toHaveProperty('tools');
  });
});
