import type { Captured } from '../core/index.ts';

/**
 * Keeps the first and the last bytes of a stream within `maxBytes` in all and counts the rest, so that memory stays
 * flat however much comes, in whatever pieces.
 */
export class Capture {
  readonly #headBytes: number;
  readonly #tailBytes: number;
  /** Grows by doubling up to `headBytes`; filled up to `headLength`. */
  #head = Buffer.alloc(0);
  #headLength = 0;
  /** A ring of `tailBytes`, made when it is first needed. */
  #ring = Buffer.alloc(0);
  /** Bytes that ever went into the ring. */
  #ringed = 0;

  constructor(options: { maxBytes: number }) {
    const maxBytes = Math.max(0, Math.floor(options.maxBytes));
    this.#headBytes = Math.ceil(maxBytes / 2);
    this.#tailBytes = maxBytes - this.#headBytes;
  }

  get totalBytes(): number {
    return this.#headLength + this.#ringed;
  }

  push(bytes: Uint8Array): void {
    const intoHead = bytes.subarray(0, this.#headBytes - this.#headLength);
    if (intoHead.length > 0) this.#pushHead(intoHead);
    if (intoHead.length < bytes.length) this.#pushRing(bytes.subarray(intoHead.length));
  }

  #pushHead(bytes: Uint8Array): void {
    const needed = this.#headLength + bytes.length;
    if (needed > this.#head.length) {
      const larger = Buffer.alloc(Math.min(this.#headBytes, Math.max(needed, 2 * this.#head.length)));
      larger.set(this.#head.subarray(0, this.#headLength));
      this.#head = larger;
    }
    this.#head.set(bytes, this.#headLength);
    this.#headLength = needed;
  }

  #pushRing(bytes: Uint8Array): void {
    const size = this.#tailBytes;
    if (size > 0) {
      if (this.#ring.length === 0) this.#ring = Buffer.alloc(size);
      const last = bytes.subarray(Math.max(0, bytes.length - size));
      const at = (this.#ringed + bytes.length - last.length) % size;
      const first = last.subarray(0, size - at);
      this.#ring.set(first, at);
      this.#ring.set(last.subarray(first.length), 0);
    }
    this.#ringed += bytes.length;
  }

  #tail(): Buffer {
    const size = this.#tailBytes;
    if (this.#ringed <= size) return this.#ring.subarray(0, this.#ringed);
    const oldest = this.#ringed % size;
    return Buffer.concat([this.#ring.subarray(oldest), this.#ring.subarray(0, oldest)]);
  }

  /** As text. Bytes that are no UTF-8 become U+FFFD; a character cut where the middle was left out is left out too. */
  captured(): Captured {
    const head = this.#head.subarray(0, this.#headLength);
    const tail = this.#tailBytes === 0 ? Buffer.alloc(0) : this.#tail();
    const totalBytes = this.totalBytes;
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    if (head.length + tail.length === totalBytes) {
      return { head: decoder.decode(Buffer.concat([head, tail])), tail: '', totalBytes, truncated: false };
    }
    return {
      head: decoder.decode(withoutCutEnd(head)),
      tail: decoder.decode(withoutCutStart(tail)),
      totalBytes,
      truncated: true,
    };
  }
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

function withoutCutStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

function withoutCutEnd(bytes: Buffer): Buffer {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead--;
  const first = bytes[lead];
  if (first === undefined) return bytes;
  const wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return lead + wanted > bytes.length ? bytes.subarray(0, lead) : bytes;
}
