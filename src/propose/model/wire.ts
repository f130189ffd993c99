import { asStream } from './whole-reply.ts';

/** What was seen of one HTTP exchange below the SDK, which hides what a stream looks like while nothing is in it. */
export type Wire = {
  fetch: typeof globalThis.fetch;
  /** The request left, or was about to. */
  readonly sent: boolean;
  /** An SSE stream said that it is complete, whatever else it left out. */
  readonly done: boolean;
  /** A stream of events has begun to arrive. */
  readonly begun: boolean;
  /** How the last body begins, at most 2000 characters. */
  readonly head: string;
};

/**
 * What only the wire shows. `cut`: a stream stopped in its middle, and neither the SDK nor the network saw an error
 * · `no_reply`: a success without a reply in it.
 */
export class WireError extends Error {
  readonly reason: 'redirect' | 'too_long' | 'cut' | 'no_reply';

  constructor(reason: WireError['reason'], message: string) {
    super(message);
    this.name = 'WireError';
    this.reason = reason;
  }
}

/** Far above any reply: the longest outputs sold are 128 k tokens, and an event is some hundred bytes for each. */
const maxReplyBytes = 128 * 1024 * 1024;

type Seen = { sent: boolean; done: boolean; begun: boolean; head: string };

/**
 * A `fetch` for one call that tells of every piece that arrives, the comments that keep a stream alive included. It
 * follows no redirect (fetch would take an `x-api-key` header along to any host), and it stops an endless body.
 * `wholeReplies`: turns a chat completion that came in one piece into the stream it was asked for.
 */
export function openWire(options: {
  onBytes: () => void;
  wholeReplies?: boolean;
  /** Of a body. Default 128 MB. */
  maxBytes?: number;
}): Wire {
  const { onBytes, wholeReplies = false, maxBytes = maxReplyBytes } = options;
  const seen: Seen = { sent: false, done: false, begun: false, head: '' };
  return {
    get sent() {
      return seen.sent;
    },
    get done() {
      return seen.done;
    },
    get begun() {
      return seen.begun;
    },
    get head() {
      return seen.head;
    },
    fetch: async (input, init) => {
      seen.sent = true;
      seen.head = '';
      const response = await globalThis.fetch(input, { ...init, redirect: 'manual' });
      if (response.status >= 300 && response.status < 400) {
        await response.body?.cancel().catch(() => {});
        const target = response.headers.get('location') ?? 'nowhere';
        throw new WireError('redirect', `the server sends the request on to ${target}`);
      }
      if (response.body === null) return response;
      const type = response.headers.get('content-type') ?? '';
      const isStream = response.ok && !/html|json/.test(type);
      const watched = new Response(
        response.body.pipeThrough(watchBody({ seen, onBytes, maxBytes, isStream })),
        response,
      );
      return wholeReplies && response.ok && type.includes('json') ? streamed(watched, seen) : watched;
    },
  };
}

function watchBody(options: {
  seen: Seen;
  onBytes: () => void;
  maxBytes: number;
  isStream: boolean;
}): TransformStream<Uint8Array, Uint8Array> {
  const { seen, onBytes, maxBytes, isStream } = options;
  let bytes = 0;
  let tail = Buffer.alloc(0);
  return new TransformStream({
    transform(piece, controller) {
      onBytes();
      bytes += piece.byteLength;
      if (bytes > maxBytes) {
        controller.error(new WireError('too_long', `the reply is over ${Math.round(maxBytes / 1024)} KB`));
        return;
      }
      seen.begun ||= isStream;
      if (seen.head.length < 2000) {
        seen.head += Buffer.from(piece.subarray(0, 2000 - seen.head.length)).toString('latin1');
      }
      tail = Buffer.concat([tail, piece.subarray(-64)]).subarray(-64);
      controller.enqueue(piece);
    },
    flush() {
      if (/data: ?\[DONE\]\s*$/.test(tail.toString('latin1'))) seen.done = true;
    },
  });
}

async function streamed(response: Response, seen: Seen): Promise<Response> {
  const text = await response.text();
  const stream = asStream(text);
  if (stream !== null) {
    seen.begun = true;
    seen.done = true;
  }
  return new Response(stream ?? text, {
    status: response.status,
    headers: { 'content-type': 'text/event-stream' },
  });
}
