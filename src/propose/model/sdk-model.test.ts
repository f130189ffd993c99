import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createModel } from './providers.ts';
import { errorAnswers } from './scripted-server/answers.fixture.ts';
import { env, failureIn, modelOverHttp, replyOf, request } from './scripted-server/ask.fixture.ts';

const { ask, serve } = modelOverHttp();
const tools = (text: string) => [{ name: 'propose_patch', arguments: text }];

describe('a reply', () => {
  it.each(['{"motivation": "half', '', 'not JSON', '[1]', '{"a":1}{"b":2}'])(
    'keeps arguments %j as the model wrote them',
    async (text) => {
      const reply = replyOf(await ask({ script: [{ toolCalls: tools(text) }] }));
      expect(reply.toolCalls.map((call) => call.input)).toEqual([text]);
    },
  );

  it('keeps a call to a tool that does not exist', async () => {
    const reply = replyOf(
      await ask({ script: [{ toolCalls: [{ name: 'delete_tests', arguments: '{}' }] }] }),
    );
    expect(reply.toolCalls).toMatchObject([{ name: 'delete_tests', input: '{}' }]);
  });

  it('leaves reasoning out of the text', async () => {
    const reply = replyOf(await ask({ script: [{ reasoning: 'Hm, let me think.', text: 'Done.' }] }));
    expect(reply.text).toBe('Done.');
  });

  it('may be empty', async () => {
    expect(replyOf(await ask({ script: [{}] }))).toMatchObject({ text: '', toolCalls: [], finish: 'stop' });
  });

  it('of a server that does not count is estimated from its characters', async () => {
    const { usage } = replyOf(await ask({ script: [{ text: 'x'.repeat(400), usage: null }] }));
    expect(usage.estimated).toBe(true);
    expect(usage.outputTokens).toBe(100);
    expect(usage.inputTokens).toBeGreaterThan(50);
    expect(usage.inputTokens).toBeLessThan(200);
    const zeros = replyOf(
      await ask({ script: [{ text: 'x'.repeat(400), usage: { input: 0, output: 0 } }] }),
    ).usage;
    expect(zeros).toEqual(usage);
  });

  it('of a server that gives no reason but ends its stream is whole', async () => {
    expect(replyOf(await ask({ script: [{ text: 'Done.', finish: null }] })).finish).toBe('stop');
    expect(replyOf(await ask({ script: [{ toolCalls: tools('{}'), finish: null }] })).finish).toBe(
      'tool_calls',
    );
  });

  it('of a server that does not stream is taken whole', async () => {
    const { result, server } = await ask({
      script: [{ whole: true, text: 'Here.', toolCalls: tools('{"a":1}') }],
    });
    expect(server.requests[0]?.body).toMatchObject({ stream: true });
    expect(replyOf({ result })).toMatchObject({
      text: 'Here.',
      toolCalls: [{ name: 'propose_patch', input: '{"a":1}' }],
      finish: 'tool_calls',
      usage: { inputTokens: 100, outputTokens: 20, estimated: false },
    });
  });

  it('of a megabyte arrives whole', async () => {
    const text = 'def f(x):\n    return "ß😀"\n'.repeat(40_000);
    const reply = replyOf(await ask({ script: [{ text, pieceSize: 4000 }] }));
    expect(reply.text === text).toBe(true);
  });
});

describe('time', () => {
  const soon = { firstMs: 150, silenceMs: 150, totalMs: 20_000 };

  it('a server that never answers is a timeout, and its prompt is counted', async () => {
    const failure = failureIn(await ask({ script: [{ hang: 'before_headers' }], limits: soon }));
    expect(failure).toMatchObject({ kind: 'timeout', usage: { estimated: true } });
    expect(failure.usage.inputTokens).toBeGreaterThan(0);
    expect(failure.message).toContain('0.2 s');
  });

  it('a stream that falls silent is a timeout', async () => {
    const answer = { text: 'word '.repeat(50), stopAfter: { events: 5, how: 'silence' as const } };
    const failure = failureIn(await ask({ script: [answer], limits: soon }));
    expect(failure.kind).toBe('timeout');
    expect(failure.usage.outputTokens).toBeGreaterThan(0);
  });

  it('comments keep a stream alive that says nothing else', async () => {
    const words = { text: 'word '.repeat(10), delayMs: 60, keepAlive: true };
    expect(replyOf(await ask({ script: [words], limits: { ...soon, silenceMs: 2000 } })).finish).toBe('stop');
  });

  it('the whole call has its limit, however busy it is', async () => {
    const answer = { text: 'word '.repeat(500), delayMs: 20 };
    const limits = { firstMs: 5000, silenceMs: 5000, totalMs: 400 };
    const failure = failureIn(await ask({ script: [answer], limits }));
    expect(failure.kind).toBe('timeout');
    expect(failure.message).toContain('0.4 s');
  });

  it('an abort ends a call in its stream, before it, and before it began', async () => {
    const during = new AbortController();
    const asked = await ask({
      script: [{ text: 'word '.repeat(50), stopAfter: { events: 5, how: 'silence' } }],
      signal: during.signal,
      onProgress: (step) => {
        if (step.at === 'streaming') during.abort();
      },
    });
    expect(failureIn(asked)).toMatchObject({ kind: 'aborted', usage: { estimated: true } });
    expect(getEventListeners(during.signal, 'abort')).toHaveLength(0);

    const before = new AbortController();
    setTimeout(() => before.abort(), 50);
    expect(failureIn(await ask({ script: [{ hang: 'before_headers' }], signal: before.signal })).kind).toBe(
      'aborted',
    );

    const never = await ask({ script: [{ text: 'x' }], signal: AbortSignal.abort() });
    expect(failureIn(never)).toMatchObject({ kind: 'aborted', usage: { inputTokens: 0 } });
  });
});

describe('failures over HTTP', () => {
  it.each([
    ['a wrong key', errorAnswers.wrongKey, 'key'],
    ['a key that may not', { status: 403, body: '{"error":{"message":"forbidden"}}' }, 'key'],
    ['a model that is not there', errorAnswers.unknownModel, 'unknown_model'],
    ['a wrong path', { status: 404, body: '404 page not found' }, 'bad_request'],
    ['a full window', errorAnswers.contextTooLong, 'context_too_long'],
    ['an empty account', errorAnswers.noCredit, 'no_credit'],
    ['an empty account, by its status', errorAnswers.paymentRequired, 'no_credit'],
    ['an error of the server', errorAnswers.serverError, 'overloaded'],
    ['no service', errorAnswers.unavailable, 'overloaded'],
    ['a page of HTML', errorAnswers.html, 'garbage'],
    ['an empty body', errorAnswers.empty, 'garbage'],
    ['half a JSON', errorAnswers.badJson, 'garbage'],
    ['no events', errorAnswers.noSse, 'garbage'],
    [
      'JSON that is no reply',
      { status: 200, body: '{"ok":true}', headers: { 'content-type': 'application/json' } },
      'garbage',
    ],
    [
      'a success that is an error',
      {
        status: 200,
        body: '{"error":{"message":"Rate limit","code":429}}',
        headers: { 'content-type': 'application/json' },
      },
      'rate_limit',
    ],
    ['a connection that is torn at once', { status: 200, body: '', cut: true }, 'network'],
    [
      'a request refused by a filter',
      { status: 400, body: '{"error":{"code":"content_filter","message":"filtered"}}' },
      'refused',
    ],
  ] as const)('%s', async (_, answer, kind) => {
    const failure = failureIn(await ask({ script: [answer] }));
    expect(failure.kind).toBe(kind);
    expect(failure.message.length).toBeLessThanOrEqual(500);
    expect(failure.fix).not.toBe('');
  });

  it('shows the beginning of what came in place of a reply, without its markup', async () => {
    expect(failureIn(await ask({ script: [errorAnswers.html] })).message).toContain('Sign in to the network');
    const page = { status: 502, body: '<html><script>var a = 1</script><h1>Bad gateway</h1></html>' };
    const failure = failureIn(await ask({ script: [page] }));
    expect(failure.message).toContain('Bad gateway');
    expect(failure.message).not.toContain('<');
  });

  it('tells that nobody listens, and where', async () => {
    const server = await serve([{}]);
    await server.close();
    const model = createModel({ id: 'openai-compatible/q', baseUrl: server.url, env });
    const failure = failureIn({
      result: await model.call(request, { signal: new AbortController().signal }),
    });
    expect(failure.kind).toBe('network');
    expect(failure.fix).toContain(server.url);
  });

  it('follows no redirect: neither the source nor the key goes to another host', async () => {
    const other = await serve([{ text: 'caught' }]);
    for (const id of ['anthropic/claude', 'google/gemini', 'openai/gpt', 'openai-compatible/q']) {
      const { server, result } = await ask({
        id,
        script: [{ status: 307, body: '', headers: { location: `${other.url}/chat/completions` } }],
      });
      expect(server.requests).toHaveLength(1);
      expect(failureIn({ result })).toMatchObject({ kind: 'bad_request' });
    }
    expect(other.requests).toHaveLength(0);
  });
});

describe('keys and addresses of the process', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  });

  it.each([
    ['openai/gpt', 'https://api.openai.com/v1/responses'],
    ['anthropic/claude', 'https://api.anthropic.com/v1/messages'],
    [
      'google/gemini',
      'https://generativelanguage.googleapis.com/v1beta/models/gemini:streamGenerateContent?alt=sse',
    ],
  ])('%s goes to its own host, whatever the packages would read', async (id, address) => {
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1');
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:9/v1');
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (url: string) => {
      asked.push(url);
      return new Response('{}', { status: 503 });
    });
    await createModel({ id, env }).call(request, { signal: new AbortController().signal });
    expect(asked).toEqual([address]);
  });

  it('a server of one’s own gets no key that was not meant for it', async () => {
    const keys = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'ASSAY_API_KEY'];
    for (const name of keys) vi.stubEnv(name, `secret-of-${name}`);
    const server = await serve([{ text: 'x' }]);
    const others = { OPENAI_API_KEY: env.OPENAI_API_KEY, ANTHROPIC_API_KEY: env.ANTHROPIC_API_KEY };
    const model = createModel({ id: 'openai-compatible/q', baseUrl: server.url, env: others });
    await model.call(request, { signal: new AbortController().signal });
    const sent = JSON.stringify(server.requests[0]);
    expect(sent).toContain('propose_patch');
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    for (const secret of [...Object.values(others), 'secret-of']) expect(sent).not.toContain(secret);
  });
});
