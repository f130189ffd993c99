import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileMode, syncFolder } from '../atomic.ts';

/**
 * A file of which mostly the end changes, replaced whole and atomically at the cost of the change alone. Beside it lies
 * a hidden twin with the content before the last change; a change is written to the twin, and the two change places by
 * renaming. So whoever opens the file, and whoever comes after a crash, finds one content or the next, never half of one; a
 * reader must only be done with it before the next change but one, which goes into the file that it has open.
 */
export class TwinFile {
  readonly #file: string;
  readonly #spare: string;
  /** The file's second name while the twin takes its place. */
  readonly #leaving: string;
  /** Of the current content: `#shared` bytes at its beginning stand in the spare too, and these are the rest. */
  #rest: Buffer = Buffer.alloc(0);
  #shared = 0;
  #hasSpare = false;
  /** What the file looks like from outside as long as nobody else writes to it. */
  #stamp = '';
  #written = 0;

  /** Nothing is touched before the first `splice`; what is in the file by then is replaced. */
  constructor(file: string) {
    this.#file = file;
    this.#spare = path.join(path.dirname(file), `.${path.basename(file)}.twin`);
    this.#leaving = `${this.#spare}.old`;
  }

  /** Bytes of content. */
  get size(): number {
    return this.#shared + this.#rest.length;
  }

  /** Bytes written to the disk so far: what saving costs. */
  get writtenBytes(): number {
    return this.#written;
  }

  /** Keeps the first `keep` bytes and puts `tail` after them. Durable, and seen by others, once it resolves. */
  async splice(keep: number, tail: Buffer): Promise<void> {
    if (keep > this.size) throw new Error(`cannot keep ${keep} bytes of ${this.size}`);
    if (!this.#hasSpare) await this.#makeSpare();
    if (keep < this.#shared) {
      // Where writing fails, what is written over must still be known.
      this.#rest = await this.read(keep, this.size);
      this.#shared = keep;
    }
    const changed = Buffer.concat([this.#rest.subarray(0, keep - this.#shared), tail]);
    await this.#writeSpare(this.#shared, changed);
    await this.#exchange();
    this.#rest = tail;
    this.#shared = keep;
    if (!this.#hasSpare) await this.#holdAll();
  }

  /** A part of the content, from the twin and from memory: whatever others did to the file. */
  async read(from: number, to: number): Promise<Buffer> {
    const inSpare = Math.min(to, this.#shared);
    const parts = [this.#rest.subarray(Math.max(0, from - this.#shared), Math.max(0, to - this.#shared))];
    if (from < inSpare) {
      const handle = await open(this.#spare, 'r');
      try {
        parts.unshift(await readAll(handle, from, inSpare));
      } finally {
        await handle.close();
      }
    }
    return Buffer.concat(parts);
  }

  /** Removes the twin; the file stays. Another `splice` makes a twin anew. */
  async close(): Promise<void> {
    const content = await this.read(0, this.size);
    this.#hasSpare = false;
    this.#rest = content;
    this.#shared = 0;
    await this.#removeSpare();
  }

  async #makeSpare(): Promise<void> {
    // What a run that was killed left there is of no use.
    await this.#removeSpare();
    const handle = await open(this.#spare, 'wx', fileMode);
    await handle.close();
    this.#hasSpare = true;
  }

  async #removeSpare(): Promise<void> {
    await rm(this.#spare, { force: true });
    await rm(this.#leaving, { force: true });
  }

  async #writeSpare(from: number, bytes: Buffer): Promise<void> {
    const handle = await open(this.#spare, 'r+');
    try {
      await writeAll(handle, bytes, from);
      await handle.truncate(from + bytes.length);
      await handle.sync();
    } finally {
      await handle.close();
    }
    this.#written += bytes.length;
  }

  /** The twin becomes the file, and the file the twin. */
  async #exchange(): Promise<void> {
    const untouched = (await stampOf(this.#file)) === this.#stamp && this.#stamp !== '';
    const kept = untouched && (await linked(this.#file, this.#leaving));
    await rename(this.#spare, this.#file);
    this.#hasSpare = kept && (await renamed(this.#leaving, this.#spare));
    this.#stamp = await stampOf(this.#file);
    await syncFolder(path.dirname(this.#file));
  }

  /** Without a twin, which the next `splice` makes anew, all of the content is known in memory. */
  async #holdAll(): Promise<void> {
    const handle = await open(this.#file, 'r');
    try {
      this.#rest = Buffer.concat([await readAll(handle, 0, this.#shared), this.#rest]);
      this.#shared = 0;
    } finally {
      await handle.close();
    }
  }
}

async function readAll(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.max(0, to - from));
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, from + done);
    if (bytesRead === 0) throw new Error('the notebook was cut short while it was written');
    done += bytesRead;
  }
  return bytes;
}

async function writeAll(handle: FileHandle, bytes: Buffer, from: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, from + done);
    done += bytesWritten;
  }
}

/** False where the file system has no hard links. */
async function linked(file: string, as: string): Promise<boolean> {
  try {
    await rm(as, { force: true });
    await link(file, as);
    return true;
  } catch {
    return false;
  }
}

async function renamed(file: string, to: string): Promise<boolean> {
  try {
    await rename(file, to);
    return true;
  } catch {
    return false;
  }
}

/** Empty where there is no such file. Renaming and linking change neither of these. */
async function stampOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(file, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return '';
  }
}
