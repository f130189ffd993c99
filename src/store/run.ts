import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { z } from 'zod';
import { type Artifact, loadArtifact, storeArtifact } from './artifacts.ts';
import { writeAtomic } from './atomic.ts';
import { errnoOf, onDisk, onDiskAsync } from './disk-error.ts';
import { type JournalDisk, JournalWriter, journalDisk } from './journal.ts';
import { type JournalRecord, parseJournal } from './journal-format.ts';
import { acquireLock, type HeldLock, lockState, releaseLock } from './lock.ts';
import { AnalysisNotebook } from './notebook/analysis-notebook.ts';
import type { RunInfo } from './run-info.ts';
import { type KnownSecret, scrub, scrubValue } from './scrub.ts';

export const files = { info: 'run.json', journal: 'journal.jsonl', artifacts: 'artifacts' } as const;

const notebookName = 'notebook.ipynb';

export type RunParts<E> = {
  dir: string;
  info: RunInfo;
  event: z.ZodType<E>;
  secrets: readonly KnownSecret[];
  now: () => Date;
  disk?: JournalDisk | undefined;
};

/**
 * A run's folder. Reading needs no lock and may go on beside a writer; everything that writes needs `lock()`
 * first. Whatever is written is scrubbed of secrets on its way.
 */
export class Run<E> {
  readonly dir: string;
  readonly info: RunInfo;
  readonly #parts: RunParts<E>;
  readonly #scrubbed = new Set<string>();
  #held: { lock: HeldLock; journal: JournalWriter } | null = null;

  constructor(parts: RunParts<E>) {
    this.dir = parts.dir;
    this.info = parts.info;
    this.#parts = parts;
  }

  get id(): string {
    return this.info.id;
  }

  /** Names of the secrets found so far in what was to be written, never their values. */
  get scrubbed(): ReadonlySet<string> {
    return this.#scrubbed;
  }

  /** A process writes to this run now, be it this one. */
  get live(): boolean {
    return lockState(this.dir).kind === 'held';
  }

  /**
   * Makes this object the run's one writer until `close()`. Takes over the lock of a dead process and removes the
   * line it was cut in. Throws an AssayError `locked` naming the process that writes, `input` on a corrupt journal.
   */
  lock(): void {
    if (this.#held !== null) return;
    const lock = onDisk({ doing: 'lock the run', path: this.dir }, () => acquireLock(this.dir));
    this.adopt(lock);
  }

  /** Goes on with a lock that is held already: of a run that was just created. */
  adopt(lock: HeldLock): void {
    try {
      this.#held = {
        lock,
        journal: JournalWriter.open(this.#file(files.journal), this.#parts.disk ?? journalDisk),
      };
    } catch (error) {
      releaseLock(this.dir, lock);
      throw error;
    }
  }

  /**
   * Appends an event; resolves to the record as it stands in the journal. With `sync` the record, and all before
   * it, survive a power cut once the promise resolves; without, they survive the death of this process.
   */
  async append(event: E, { sync = false }: { sync?: boolean } = {}): Promise<JournalRecord<E>> {
    return this.#journal.append(this.#clean(event), { time: this.#parts.now(), sync });
  }

  /** Makes all events appended so far survive a power cut. */
  async sync(): Promise<void> {
    await this.#journal.sync();
  }

  /** All events, oldest first. Throws an AssayError `input` naming the line where the journal is corrupt. */
  events(): JournalRecord<E>[] {
    const file = this.#file(files.journal);
    return onDisk({ doing: 'read the journal', path: file }, () => {
      return parseJournal(readFileSync(file), this.#parts.event, file).records;
    });
  }

  /** Keeps bytes or text under the sha256 of what is kept (text is scrubbed first). The same content is kept once. */
  async artifact(data: Uint8Array | string, as: { name: string; mediaType: string }): Promise<Artifact> {
    this.#checkLocked();
    const folder = this.#file(files.artifacts);
    return onDiskAsync({ doing: 'keep an artifact', path: folder }, () =>
      storeArtifact(folder, this.#bytes(data), as),
    );
  }

  /** Throws an AssayError `input` where the artifact is missing or does not hash to its name. */
  async readArtifact(sha256: string): Promise<Buffer> {
    return loadArtifact(this.#file(files.artifacts), sha256);
  }

  /** Writes `patch.diff`, `report.html` and their like, whole or not at all. */
  async writeFile(name: string, data: Uint8Array | string): Promise<void> {
    this.#checkLocked();
    const file = this.#named(name);
    await onDiskAsync({ doing: `write ${name}`, path: this.dir }, () => writeAtomic(file, this.#bytes(data)));
  }

  /** What `writeFile` wrote; null where there is nothing of that name. */
  async readFile(name: string): Promise<Buffer | null> {
    try {
      return await readFile(this.#named(name));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  /** The run's `notebook.ipynb`, to be written by its events; what stood there before is replaced. */
  openNotebook(options: { maxOutputBytes?: number } = {}): AnalysisNotebook {
    this.#checkLocked();
    return new AnalysisNotebook({
      file: this.#file(notebookName),
      clean: (value) => this.#clean(value),
      readArtifact: (sha256) => this.readArtifact(sha256),
      ...options,
    });
  }

  /** Ends writing and gives the lock back. Reading still works. */
  close(): void {
    if (this.#held === null) return;
    const { lock, journal } = this.#held;
    this.#held = null;
    journal.close();
    releaseLock(this.dir, lock);
  }

  get #journal(): JournalWriter {
    return this.#checkLocked().journal;
  }

  #checkLocked(): { lock: HeldLock; journal: JournalWriter } {
    if (this.#held === null) throw new Error(`run ${this.id} is written without its lock`);
    return this.#held;
  }

  #file(name: string): string {
    return path.join(this.dir, name);
  }

  #named(name: string): string {
    const own: string[] = Object.values(files);
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name) || own.includes(name) || name.startsWith('lock.')) {
      throw new Error(`no file of a run may be called ${JSON.stringify(name)}`);
    }
    return this.#file(name);
  }

  #clean<T>(value: T): T {
    const clean = scrubValue(value, this.#parts.secrets);
    this.#note(clean.found);
    return clean.value;
  }

  /** Text is scrubbed, be it given as bytes; what is no UTF-8 text is kept as it is. */
  #bytes(data: Uint8Array | string): Uint8Array {
    const text = typeof data === 'string' ? data : decode(data);
    if (text === null) return Buffer.from(data);
    const clean = scrub(text, this.#parts.secrets);
    this.#note(clean.found);
    return Buffer.from(clean.text);
  }

  #note(found: readonly string[]): void {
    for (const name of found) this.#scrubbed.add(name);
  }
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
