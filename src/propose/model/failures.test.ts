import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelFailureSchema } from '../../core/index.ts';
import type { FailureKind } from './failure-kind.ts';
import { type CallEnd, endedFailure, type FailureContext, failureOf } from './failures.ts';
import { noUsage } from './usage.ts';
import { WireError } from './wire.ts';

const key = 'the-key-of-mine-0123456789';
const context: FailureContext = {
  model: 'gpt',
  receiver: 'openai',
  baseUrl: null,
  keyVariable: 'OPENAI_API_KEY',
  secrets: [{ name: 'OPENAI_API_KEY', value: key }],
  usage: noUsage,
  begun: false,
  unusedProxy: false,
  now: new Date('2026-11-30T12:00:00Z'),
};

type Thrown = { status?: number; body?: unknown; headers?: Record<string, string>; message?: string };

/** As the SDK throws it. */
function apiError({ status, body, headers, message = 'Failed' }: Thrown): Error {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body ?? '');
  const fields = { name: 'AI_APICallError', statusCode: status, responseBody, responseHeaders: headers };
  return Object.assign(new Error(message), fields);
}

function withCode(code: string, message = 'fetch failed'): Error {
  return new TypeError(message, { cause: Object.assign(new Error(code), { code }) });
}

const kindOf = (error: unknown) => failureOf(error, context).kind;
const error = (message: string, more: object = {}) => ({ error: { message, ...more } });

describe('what providers say', () => {
  it.each([
    [
      'anthropic, no credit',
      400,
      error('Your credit balance is too low to access the API.', { type: 'invalid_request_error' }),
      'no_credit',
    ],
    [
      'anthropic, long prompt',
      400,
      error('prompt is too long: 210000 tokens > 200000 maximum', { type: 'invalid_request_error' }),
      'context_too_long',
    ],
    [
      'anthropic, large body',
      413,
      error('Request exceeds the maximum size', { type: 'request_too_large' }),
      'context_too_long',
    ],
    ['anthropic, no model', 404, error('model: claude-x', { type: 'not_found_error' }), 'unknown_model'],
    ['anthropic, key', 401, error('invalid x-api-key', { type: 'authentication_error' }), 'key'],
    ['anthropic, overload', 529, error('Overloaded', { type: 'overloaded_error' }), 'overloaded'],
    ['anthropic, internal', 500, error('Internal server error', { type: 'api_error' }), 'overloaded'],
    [
      'google, key',
      400,
      error('API key not valid. Please pass a valid API key.', {
        code: 400,
        status: 'INVALID_ARGUMENT',
        details: [{ reason: 'API_KEY_INVALID' }],
      }),
      'key',
    ],
    [
      'google, rate',
      429,
      error('You exceeded your current quota, please check your plan and billing details.', {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
      }),
      'rate_limit',
    ],
    [
      'google, overload',
      503,
      error('The model is overloaded.', { code: 503, status: 'UNAVAILABLE' }),
      'overloaded',
    ],
    [
      'google, no model',
      404,
      error('models/gemini-9 is not found for API version v1beta', { code: 404, status: 'NOT_FOUND' }),
      'unknown_model',
    ],
    [
      'google, long prompt',
      400,
      error('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', {
        status: 'INVALID_ARGUMENT',
      }),
      'context_too_long',
    ],
    [
      'openai, no quota',
      429,
      error('You exceeded your current quota', { type: 'insufficient_quota', code: 'insufficient_quota' }),
      'no_credit',
    ],
    [
      'openai, tokens a minute',
      429,
      error('Request too large for gpt on tokens per min (TPM): Limit 30000, Requested 40000', {
        code: 'rate_limit_exceeded',
      }),
      'rate_limit',
    ],
    [
      'openai, output asked for',
      400,
      error('max_tokens is too large: 200000. This model supports at most 16384 completion tokens', {
        code: 'invalid_value',
      }),
      'bad_request',
    ],
    [
      'openai, no tools',
      400,
      error("Unsupported value: 'tool_choice'", { code: 'unsupported_value' }),
      'bad_request',
    ],
    [
      'azure, filter',
      400,
      error(
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        { code: 'content_filter' },
      ),
      'refused',
    ],
    [
      'vllm, long prompt',
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens.",
        type: 'BadRequestError',
        code: 400,
      },
      'context_too_long',
    ],
    [
      'vllm, no model',
      404,
      { object: 'error', message: 'The model `q` does not exist.', type: 'NotFoundError', code: 404 },
      'unknown_model',
    ],
    [
      'llama.cpp, long prompt',
      400,
      error('the request exceeds the available context size, try increasing it', {
        code: 400,
        type: 'exceed_context_size_error',
      }),
      'context_too_long',
    ],
    [
      'llama.cpp, loading',
      503,
      error('Loading model', { code: 503, type: 'unavailable_error' }),
      'overloaded',
    ],
    [
      'ollama, no model',
      404,
      error('model "q" not found, try pulling it first', { type: 'api_error' }),
      'unknown_model',
    ],
    [
      'ollama, no tools',
      400,
      error('registry/q does not support tools', { type: 'api_error' }),
      'bad_request',
    ],
    ['a gateway, no credit', 402, error('Insufficient credits', { code: 402 }), 'no_credit'],
    ['a gateway, late', 504, '<html><h1>504 Gateway Time-out</h1></html>', 'overloaded'],
    ['a proxy that wants a name', 407, '', 'key'],
    ['a request that took too long', 408, '', 'timeout'],
    ['a wrong method', 405, 'Method Not Allowed', 'bad_request'],
    ['nothing said', 400, '', 'bad_request'],
  ])('%s', (_, status, body, kind) => {
    expect(kindOf(apiError({ status, body }))).toBe(kind);
  });

  it('reads the same from a stream, where there is no status', () => {
    expect(kindOf({ type: 'overloaded_error', message: 'Overloaded' })).toBe('overloaded');
    expect(kindOf({ message: 'slow down', code: 'rate_limit_exceeded' })).toBe('rate_limit');
    expect(kindOf({ message: 'too long', code: 'context_length_exceeded' })).toBe('context_too_long');
    expect(kindOf('{"error":{"code":503,"status":"UNAVAILABLE","message":"x"}}')).toBe('overloaded');
    expect(kindOf({ message: 'no', code: 401 })).toBe('key');
  });

  it('repeats the words of the provider, and looks into the last try of a RetryError', () => {
    const inner = apiError({ status: 503, body: error('Try in the evening') });
    const failure = failureOf(
      Object.assign(new Error('Failed after 3 attempts'), { name: 'AI_RetryError', lastError: inner }),
      context,
    );
    expect(failure.kind).toBe('overloaded');
    expect(failure.message).toContain('Try in the evening');
    expect(failure.message).toContain('HTTP 503');
  });
});

describe('what the network and the SDK say', () => {
  it.each<[unknown, FailureKind]>([
    ...[
      'ECONNREFUSED',
      'ECONNRESET',
      'ENOTFOUND',
      'EAI_AGAIN',
      'EPIPE',
      'ETIMEDOUT',
      'UND_ERR_SOCKET',
      'UND_ERR_CONNECT_TIMEOUT',
      'UND_ERR_HEADERS_TIMEOUT',

      'HPE_INVALID_CONSTANT',
    ].map((code): [unknown, FailureKind] => [withCode(code), 'network']),
    [withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 'bad_request'],
    [withCode('CERT_HAS_EXPIRED'), 'bad_request'],
    [new TypeError('terminated'), 'network'],
    [new DOMException('This operation was aborted', 'AbortError'), 'network'],
    [new DOMException('timed out', 'TimeoutError'), 'timeout'],
    [Object.assign(new Error('no key'), { name: 'AI_LoadAPIKeyError' }), 'key'],
    [Object.assign(new Error('No such languageModel'), { name: 'AI_NoSuchModelError' }), 'unknown_model'],
    [Object.assign(new Error('x'), { name: 'AI_UnsupportedFunctionalityError' }), 'bad_request'],
    [
      Object.assign(new Error('JSON parsing failed'), {
        name: 'AI_JSONParseError',
        cause: new SyntaxError('Unexpected token <'),
      }),
      'garbage',
    ],
    [Object.assign(new Error('Type validation failed'), { name: 'AI_TypeValidationError' }), 'garbage'],
    [new TypeError("Cannot read properties of undefined (reading 'x')"), 'garbage'],
    [new WireError('redirect', 'on to http://x'), 'bad_request'],
    [
      new Error('Failed to process successful response', { cause: new WireError('too_long', 'over') }),
      'garbage',
    ],
    [undefined, 'garbage'],
    [null, 'garbage'],
    [42, 'garbage'],
    ['', 'garbage'],
  ])('%s is %s', (thrown, kind) => {
    expect(kindOf(thrown)).toBe(kind);
  });

  it('thinks of a proxy where nothing could be reached', () => {
    const behind = { ...context, unusedProxy: true };
    expect(failureOf(withCode('ENOTFOUND'), behind).fix).toContain('NODE_USE_ENV_PROXY=1');
    expect(failureOf(withCode('ECONNRESET'), { ...behind, begun: true }).fix).not.toContain('PROXY');
  });

  it('says who ended a call and after how long', () => {
    const ends: [CallEnd, string, string][] = [
      [{ by: 'user' }, 'aborted', 'stopped'],
      [{ by: 'silence', ms: 120_000 }, 'timeout', '120 s'],
      [{ by: 'total', ms: 600_000 }, 'timeout', '600 s'],
    ];
    for (const [end, kind, words] of ends) {
      const failure = endedFailure(end, context);
      expect(failure.kind).toBe(kind);
      expect(failure.message).toContain(words);
    }
  });
});

describe('how long to wait', () => {
  const wait = (thrown: Thrown) => failureOf(apiError({ status: 429, ...thrown }), context).retryAfterMs;

  it.each([
    [{ 'retry-after': '20' }, 20_000],
    [{ 'Retry-After': '0' }, 0],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': 'Mon, 30 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{}, null],
  ])('%j', (headers, ms) => {
    expect(wait({ headers: headers as Record<string, string> })).toBe(ms);
  });

  it('is read from the words where there is no header', () => {
    const google = {
      error: { status: 'RESOURCE_EXHAUSTED', details: [{ '@type': 'RetryInfo', retryDelay: '37.5s' }] },
    };
    expect(wait({ body: google })).toBe(37_500);
    expect(wait({ body: error('Rate limit reached. Please try again in 1.2s.') })).toBe(1200);
    expect(wait({ body: error('Please try again in 350ms.') })).toBe(350);
  });

  it('is not told where waiting does not help', () => {
    expect(wait({ status: 401, headers: { 'retry-after': '5' } })).toBeNull();
  });
});

describe('any error at all', () => {
  it('never shows a secret, and stays short', () => {
    const anthropic = `sk-ant-api03-${'a1'.repeat(20)}`;
    for (const pad of [0, 380, 400, 420, 470, 490]) {
      const said = `${'x'.repeat(pad)} ${key} ${anthropic} Authorization: Bearer ${'b2'.repeat(20)}`;
      const text = JSON.stringify(failureOf(apiError({ status: 400, body: error(said) }), context));
      expect(text).not.toContain(key.slice(0, 12));
      expect(text).not.toContain('a1a1a1a1');
      expect(text).not.toContain('b2b2b2b2');
    }
  });

  it('is a failure of the contract', () => {
    const thing = fc.oneof(
      fc.anything(),
      fc.string().map((message) => new Error(message)),
      fc
        .record({
          status: fc.integer({ min: 100, max: 599 }),
          body: fc.oneof(fc.string(), fc.json(), fc.object()),
        })
        .map(apiError),
      fc.object().map((fields) => Object.assign(new Error('x'), { ...fields, name: 'AI_APICallError' })),
    );
    fc.assert(
      fc.property(thing, (thrown) => {
        const failure = failureOf(thrown, context);
        expect(modelFailureSchema.safeParse(failure).success).toBe(true);
        expect(failure.message.length).toBeLessThanOrEqual(500);
        expect(failure.fix).not.toBe('');
      }),
      { numRuns: 2000 },
    );
  });

  it('ends for a cause that is its own', () => {
    const loop = new Error('round');
    loop.cause = loop;
    expect(kindOf(loop)).toBe('garbage');
  });
});
