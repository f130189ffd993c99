/** Keeps what comes up to a limit. */
export class Collector {
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(options: { maxBytes: number }) {
    this.#maxBytes = options.maxBytes;
  }

  /** False where the limit is passed; what fits is kept all the same. */
  take(bytes: Uint8Array): boolean {
    const room = this.#maxBytes - this.#length;
    if (room > 0) this.#chunks.push(bytes.subarray(0, room));
    this.#length += bytes.length;
    return this.#length <= this.#maxBytes;
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }
}
