import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

/** A message of the Jupyter protocol 5, as far as a client looks at it. */
export type Message = {
  type: string;
  /** `msg_id` of the request it belongs to; null where it belongs to none. */
  parentId: string | null;
  content: Content;
};

/** Nothing in it is believed to be there: the kernel runs untrusted code, which can send anything. */
export type Content = Readonly<Record<string, unknown>>;

const delimiter = Buffer.from('<IDS|MSG>');

/**
 * Puts messages into frames and reads them back, signed with HMAC-SHA256 as the Jupyter protocol asks ("The wire
 * protocol", jupyter-client.readthedocs.io).
 */
export class MessageCodec {
  readonly #key: string;
  readonly #session = randomUUID();

  constructor(options: { key: string }) {
    this.#key = options.key;
  }

  encode(type: string, content: Content): { id: string; frames: Buffer[] } {
    const id = randomUUID();
    const header = {
      msg_id: id,
      msg_type: type,
      session: this.#session,
      username: 'assay',
      date: new Date().toISOString(),
      version: '5.3',
    };
    const parts = [header, {}, {}, content].map((part) => Buffer.from(JSON.stringify(part)));
    return { id, frames: [delimiter, Buffer.from(this.#sign(parts)), ...parts] };
  }

  /** null for what is no message, or none of this kernel's: a wrong signature must never be obeyed. */
  decode(frames: readonly Buffer[]): Message | null {
    const start = frames.findIndex((frame) => frame.equals(delimiter));
    const signature = frames[start + 1];
    const parts = frames.slice(start + 2, start + 6);
    const [header, parent, , content] = parts;
    if (start === -1 || signature === undefined || content === undefined) return null;
    const wanted = Buffer.from(this.#sign(parts));
    if (signature.length !== wanted.length || !timingSafeEqual(signature, wanted)) return null;
    const type = objectOf(header)?.msg_type;
    const body = objectOf(content);
    if (typeof type !== 'string' || body === null) return null;
    const parentId = objectOf(parent)?.msg_id;
    return { type, parentId: typeof parentId === 'string' ? parentId : null, content: body };
  }

  #sign(parts: readonly Buffer[]): string {
    const hmac = createHmac('sha256', this.#key);
    for (const part of parts) hmac.update(part);
    return hmac.digest('hex');
  }
}

/** The JSON object in a frame; null where it holds something else. */
function objectOf(frame: Buffer | undefined): Record<string, unknown> | null {
  if (frame === undefined) return null;
  try {
    return recordOf(JSON.parse(frame.toString('utf8')));
  } catch {
    return null;
  }
}

export function recordOf(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
}
