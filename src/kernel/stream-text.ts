/** Text of one stream in one place among the outputs of a cell: what came first, and what came last. */
export type StreamRun = { head: string[]; leftOutBytes: number; tail: Piece[] };

type Piece = { text: string; bytes: number; run: StreamRun };

/**
 * The text of one stream of one cell, kept within `maxBytes` of UTF-8: the first half of them and the last, however
 * many places it is scattered over. Memory stays flat whatever comes.
 */
export class StreamText {
  readonly #maxBytes: number;
  readonly #onSpill: (piece: Uint8Array) => void;
  #headLeft: number;
  #headBytes = 0;
  /** Pieces of all runs in the order they came; those before `#from` are gone. */
  #tail: Piece[] = [];
  #from = 0;
  #tailBytes = 0;
  #runs: StreamRun[] = [];
  #keptBytes = 0;
  /** Bytes that ever came, cleared ones included. */
  totalBytes = 0;
  /** Some of what came since the last `clear` is left out. */
  truncated = false;

  /** @param options.onSpill takes the whole text from its beginning, as soon as it is longer than `maxBytes` */
  constructor(options: { maxBytes: number; onSpill: (piece: Uint8Array) => void }) {
    this.#maxBytes = Math.max(2, Math.floor(options.maxBytes));
    this.#headLeft = Math.ceil(this.#maxBytes / 2);
    this.#onSpill = options.onSpill;
  }

  newRun(): StreamRun {
    const run: StreamRun = { head: [], leftOutBytes: 0, tail: [] };
    this.#runs.push(run);
    return run;
  }

  push(run: StreamRun, text: string): void {
    const bytes = Buffer.byteLength(text);
    this.totalBytes += bytes;
    this.#keptBytes += bytes;
    if (this.#keptBytes > this.#maxBytes) this.#spill(text);
    const intoHead = this.#headLeft > 0 ? firstBytes(text, this.#headLeft) : '';
    if (intoHead !== '') {
      run.head.push(intoHead);
      this.#headBytes += Buffer.byteLength(intoHead);
      this.#headLeft = Math.ceil(this.#maxBytes / 2) - this.#headBytes;
    }
    if (intoHead.length < text.length)
      this.#pushTail(run, text.slice(intoHead.length), bytes - Buffer.byteLength(intoHead));
  }

  /** Forgets all text; what comes after has the whole room again. */
  clear(): void {
    this.#runs = [];
    this.#tail = [];
    this.#from = 0;
    this.#tailBytes = 0;
    this.#keptBytes = 0;
    this.#headBytes = 0;
    this.#headLeft = Math.ceil(this.#maxBytes / 2);
    this.truncated = false;
  }

  #pushTail(run: StreamRun, text: string, bytes: number): void {
    this.#headLeft = 0;
    // A character cut out of the head leaves more room here, so that what fits as a whole is kept as a whole.
    const room = this.#maxBytes - this.#headBytes;
    // Most of a flood need not be looked at: a character has one byte at least.
    const end = text.length > 2 * room ? lastCharacters(text, room) : text;
    const endBytes = end === text ? bytes : Buffer.byteLength(end);
    if (end !== text) {
      for (const piece of this.#tail.slice(this.#from)) this.#drop(piece, '');
      run.leftOutBytes += bytes - endBytes;
      this.truncated = true;
    }
    this.#append({ text: end, bytes: endBytes, run });
    while (this.#tailBytes > room) this.#leaveOut(this.#tailBytes - room);
    if (this.#from > 1000 && this.#from > this.#tail.length / 2) {
      this.#tail = this.#tail.slice(this.#from);
      this.#from = 0;
    }
  }

  #append(piece: Piece): void {
    const last = this.#tail.at(-1);
    this.#tailBytes += piece.bytes;
    if (last?.run === piece.run && last.bytes + piece.bytes < smallPiece && this.#from < this.#tail.length) {
      last.text += piece.text;
      last.bytes += piece.bytes;
    } else {
      piece.run.tail.push(piece);
      this.#tail.push(piece);
    }
  }

  /** Leaves out the oldest piece of the tail, or enough of its beginning. */
  #leaveOut(bytes: number): void {
    const piece = this.#tail[this.#from];
    if (piece === undefined) return;
    this.#drop(piece, piece.bytes > bytes ? lastBytes(piece.text, piece.bytes, piece.bytes - bytes) : '');
  }

  /** Leaves out all of the oldest piece but `kept`, its end. */
  #drop(piece: Piece, kept: string): void {
    this.truncated = true;
    const keptBytes = Buffer.byteLength(kept);
    piece.run.leftOutBytes += piece.bytes - keptBytes;
    this.#tailBytes -= piece.bytes - keptBytes;
    piece.text = kept;
    piece.bytes = keptBytes;
    if (keptBytes > 0) return;
    this.#from++;
    piece.run.tail.shift();
  }

  #spill(text: string): void {
    // Up to here nothing is left out, so what is kept is all that came.
    if (!this.#spilling) for (const run of this.#runs) this.#onSpill(Buffer.from(textOf(run)));
    this.#spilling = true;
    this.#onSpill(Buffer.from(text));
  }

  #spilling = false;
}

/** Pieces below this many bytes are joined, so that a stream in crumbs costs no more than one in chunks. */
const smallPiece = 4096;

/** What is kept of a run, with a line that says how much is not. */
export function textOf(run: StreamRun): string {
  const tail = run.tail.map(({ text }) => text).join('');
  const gap = run.leftOutBytes === 0 ? '' : `\n[... ${run.leftOutBytes} bytes left out ...]\n`;
  return run.head.join('') + gap + tail;
}

const encoder = new TextEncoder();

/** The longest beginning of `text` within `maxBytes` of UTF-8 that cuts no character. */
function firstBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const { read } = encoder.encodeInto(text.slice(0, maxBytes), new Uint8Array(maxBytes));
  return text.slice(0, read);
}

/** The last `count` UTF-16 units, or one less where that would cut a character. */
function lastCharacters(text: string, count: number): string {
  const start = text.length - count;
  const cuts = (text.charCodeAt(start) & 0xfc00) === 0xdc00;
  return text.slice(cuts ? start + 1 : start);
}

/** The longest end of `text`, of `bytes` in all, within `maxBytes`. */
function lastBytes(text: string, bytes: number, maxBytes: number): string {
  const cut = firstBytes(text, bytes - maxBytes);
  const short = Buffer.byteLength(cut) < bytes - maxBytes;
  // A character of which only a part must go goes whole.
  const step = short ? ((text.codePointAt(cut.length) ?? 0) > 0xffff ? 2 : 1) : 0;
  return text.slice(cut.length + step);
}
