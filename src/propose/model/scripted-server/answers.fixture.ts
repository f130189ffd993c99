/** What the scripted server answers to one request. */
export type ScriptedAnswer = ReplyAnswer | RawAnswer | { hang: 'before_headers' };

/** A model's reply, in the wire format of the path that was asked. */
export type ReplyAnswer = {
  text?: string;
  /** `arguments`: as they go over the wire; need not be JSON. */
  toolCalls?: readonly { id?: string; name: string; arguments: string }[];
  reasoning?: string;
  /** Default: 'stop', or 'tool_calls' where there are any. `null`: none is sent. */
  finish?: 'stop' | 'tool_calls' | 'length' | 'refused' | null;
  /** null: the server does not count. */
  usage?: { input: number; output: number; cacheRead?: number; cacheWrite?: number } | null;
  /** Characters of an event. Default 7: nothing comes in one piece. */
  pieceSize?: number;
  /** After so many events the connection is torn down, ended as if whole, or left silent. */
  stopAfter?: { events: number; how: 'cut' | 'end' | 'silence' };
  /** Milliseconds between two events. */
  delayMs?: number;
  /** A comment line before each event, as gateways send to keep a connection alive. */
  keepAlive?: boolean;
  /** In one piece, though a stream was asked for (chat completions only). */
  whole?: boolean;
};

/** Bytes as they are. */
export type RawAnswer = {
  status: number;
  body: string | Uint8Array;
  headers?: Record<string, string>;
  /** Torn down after the body instead of ended. */
  cut?: boolean;
};

const json = (status: number, body: unknown, headers?: Record<string, string>): RawAnswer => ({
  status,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
});

/** Errors as the providers send them. */
export const errorAnswers = {
  wrongKey: json(401, {
    error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' },
  }),
  unknownModel: json(404, {
    error: {
      message: 'The model `m` does not exist',
      type: 'invalid_request_error',
      code: 'model_not_found',
    },
  }),
  contextTooLong: json(400, {
    error: {
      message:
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
    },
  }),
  noCredit: json(429, {
    error: {
      message: 'You exceeded your current quota.',
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    },
  }),
  paymentRequired: json(402, { error: { message: 'Insufficient credits' } }),
  serverError: json(500, { error: { message: 'The server had an error', type: 'server_error' } }),
  unavailable: { status: 503, body: '', headers: {} },
  html: {
    status: 200,
    body: '<!doctype html><html><head><title>Sign in</title></head><body>Sign in to the network</body></html>',
    headers: { 'content-type': 'text/html' },
  },
  empty: { status: 200, body: '', headers: { 'content-type': 'text/event-stream' } },
  badJson: {
    status: 200,
    body: 'data: {"id":"x","choices":[{"delta"\n\n',
    headers: { 'content-type': 'text/event-stream' },
  },
  noSse: {
    status: 200,
    body: 'event\u0000\u0001\n\n::::\n\n\ndata\n',
    headers: { 'content-type': 'text/event-stream' },
  },
} as const satisfies Record<string, RawAnswer>;

/** 429 with its header. `retryAfter`: seconds, or a date. */
export function rateLimitAnswer(retryAfter?: string): RawAnswer {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return json(
    429,
    { error: { message: 'Rate limit reached', type: 'rate_limit_error', code: 'rate_limit_exceeded' } },
    headers,
  );
}
