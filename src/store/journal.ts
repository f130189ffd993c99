import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { z } from 'zod';
import { AssayError } from '../core/index.ts';
import { fileMode } from './atomic.ts';
import { diskError, onDisk } from './disk-error.ts';
import { encodeRecord, type JournalRecord, parseJournal } from './journal-format.ts';

/** The system calls of a journal, as a port: tests make the disk fail. */
export type JournalDisk = {
  write: (fd: number, bytes: Uint8Array) => number;
  truncate: (fd: number, length: number) => void;
  sync: (fd: number) => Promise<void>;
};

export const journalDisk: JournalDisk = {
  write: (fd, bytes) => writeSync(fd, bytes),
  truncate: (fd, length) => ftruncateSync(fd, length),
  sync: promisify(fdatasync),
};

/** The writing end of a journal. One per run: the caller holds the run's lock. */
export class JournalWriter {
  readonly #file: string;
  readonly #fd: number;
  readonly #disk: JournalDisk;
  #length: number;
  #seq: number;
  #broken: unknown = null;

  private constructor(file: string, disk: JournalDisk) {
    this.#file = file;
    this.#disk = disk;
    this.#fd = openSync(file, 'a', fileMode);
    const { goodBytes, records, torn } = parseJournal(readFileSync(file), z.unknown(), file);
    if (torn) ftruncateSync(this.#fd, goodBytes);
    this.#length = fstatSync(this.#fd).size;
    this.#seq = records.length;
  }

  /** Opens the journal to go on writing after its last whole line; what a crash left of a cut line is removed. */
  static open(file: string, disk: JournalDisk = journalDisk): JournalWriter {
    return onDisk({ doing: 'open the journal', path: file }, () => new JournalWriter(file, disk));
  }

  /**
   * Appends one record with a single write, in call order. A write that fails is taken back, so that the journal
   * ends in a whole line and the call may be repeated. With `sync` the promise resolves once the record, and all
   * before it, would survive a power cut.
   */
  async append<E>(event: E, { time, sync }: { time: Date; sync: boolean }): Promise<JournalRecord<E>> {
    this.#checkWhole();
    const record: JournalRecord<E> = { v: 1, seq: this.#seq + 1, time: time.toISOString(), event };
    this.#writeWhole(Buffer.from(encodeRecord(record)));
    this.#seq += 1;
    if (sync) await this.sync();
    return record;
  }

  /** Makes everything appended so far durable. */
  async sync(): Promise<void> {
    this.#checkWhole();
    try {
      await this.#disk.sync(this.#fd);
    } catch (error) {
      // After a failed sync the kernel may have dropped the pages: what is on disk is unknown from here on.
      this.#broken = error;
      throw diskError(error, { doing: 'sync the journal', path: this.#file });
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #writeWhole(bytes: Uint8Array): void {
    let written = 0;
    try {
      while (written < bytes.length) written += this.#disk.write(this.#fd, bytes.subarray(written));
    } catch (error) {
      this.#takeBack();
      throw diskError(error, { doing: 'append to the journal', path: this.#file });
    }
    this.#length += bytes.length;
  }

  #takeBack(): void {
    try {
      this.#disk.truncate(this.#fd, this.#length);
    } catch (error) {
      this.#broken = error;
    }
  }

  #checkWhole(): void {
    if (this.#broken === null) return;
    throw new AssayError({
      code: 'environment',
      message: `${this.#file} cannot be written any more`,
      because: this.#broken instanceof Error ? this.#broken.message : String(this.#broken),
      fix: 'Check the disk, then resume the run: it goes on from what the journal holds.',
      cause: this.#broken,
    });
  }
}
