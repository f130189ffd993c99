/** What was seen of one HTTP exchange below the SDK, which hides what a stream looks like while nothing is in it. */
export type Wire = {
  fetch: typeof globalThis.fetch;
  /** The body was sent. */
  readonly sent: boolean;
  /** An SSE stream said that it is complete, whatever else it left out. */
  readonly done: boolean;
  /** A stream of events has begun to arrive. */
  readonly begun: boolean;
  /** How the last body begins, at most 2000 bytes. */
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

/** Far above any reply: the longest outputs sold are 128 k tokens, an event is some hundred bytes a token. */
export const maxReplyBytes = 128 * 1024 * 1024;

/**
 * A `fetch` for one call that tells of every piece that arrives, the comments that keep a stream alive included. It
 * follows no redirect (fetch would take an `x-api-key` header along to any host), and it stops an endless body.
 */
export function openWire(options: { onBytes: () => void; maxBytes?: number }): Wire {
  const state = { sent: false, done: false, begun: false, head: '' };
  return {
    get sent() {
      return state.sent;
    },
    get done() {
      return state.done;
    },
    get begun() {
      return state.begun;
    },
    get head() {
      return state.head;
    },
    fetch: async (input, init) => {
      state.sent = true;
      const response = await globalThis.fetch(input, { ...init, redirect: 'manual' });
      options.onBytes();
      if (response.status >= 300 && response.status < 400) {
        await response.body?.cancel().catch(() => {});
        const target = response.headers.get('location') ?? 'nowhere';
        throw new WireError('redirect', `the server sends the request on to ${target}`);
      }
      if (response.body === null) return response;
      const isStream = response.ok && /event-stream/.test(response.headers.get('content-type') ?? '');
      const body = response.body.pipeThrough(
        watch({
          onPiece: (piece) => {
            options.onBytes();
            state.begun ||= isStream;
            if (state.head.length < 2000)
              state.head += Buffer.from(piece.subarray(0, 2000 - state.head.length)).toString('latin1');
          },
          onDone: () => {
            state.done = true;
          },
          maxBytes: options.maxBytes ?? maxReplyBytes,
        }),
      );
      return new Response(body, response);
    },
  };
}

function watch(options: {
  onPiece: (piece: Uint8Array) => void;
  onDone: () => void;
  maxBytes: number;
}): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0;
  let tail = Buffer.alloc(0);
  return new TransformStream({
    transform(piece, controller) {
      options.onPiece(piece);
      seen += piece.byteLength;
      if (seen > options.maxBytes) {
        controller.error(
          new WireError('too_long', `the reply is over ${Math.round(options.maxBytes / 1024 / 1024)} MB`),
        );
        return;
      }
      tail = Buffer.concat([tail, piece.subarray(-64)]).subarray(-64);
      controller.enqueue(piece);
    },
    flush() {
      if (/data: ?\[DONE\]\s*$/.test(tail.toString('latin1'))) options.onDone();
    },
  });
}
