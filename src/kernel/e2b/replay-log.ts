import { createHash } from 'node:crypto';
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { KernelFile, Output } from '../../core/index.ts';

/** How a cell ended when it first ran, to be compared with how it ends when it is run again. */
export type Trace = { ename: string | null; digest: string };

export type Step =
  | { kind: 'cell'; code: string; deadlineMs: number; trace: Trace }
  | { kind: 'write'; path: string; source: string };

/** What it takes to come to the interpreter's state again: the files at its start, and all that was done since. */
export class ReplayLog {
  /** Copies of files by their sha256. */
  readonly #blobs: string;
  #base: { path: string; sha256: string }[] = [];
  #steps: Step[] = [];
  #brokenOff = 0;

  constructor(options: { blobs: string }) {
    this.#blobs = options.blobs;
    mkdirSync(this.#blobs, { recursive: true });
  }

  get steps(): readonly Step[] {
    return this.#steps;
  }

  /** Cells that were stopped before their end, whose part in the state nobody knows. */
  get brokenOff(): number {
    return this.#brokenOff;
  }

  get base(): readonly { path: string; sha256: string; source: string }[] {
    return this.#base.map((file) => ({ ...file, source: this.#blob(file.sha256) }));
  }

  /** The interpreter is fresh, and these are the files it finds in `root`. */
  rebase(root: string, files: readonly KernelFile[]): void {
    this.#steps = [];
    this.#brokenOff = 0;
    this.#base = files.map(({ path: file, sha256 }) => ({ path: file, sha256 }));
    const needed = new Set(this.#base.map(({ sha256 }) => sha256));
    for (const name of readdirSync(this.#blobs)) if (!needed.has(name)) rmSync(path.join(this.#blobs, name));
    for (const file of this.#base) {
      if (existsSync(this.#blob(file.sha256))) continue;
      copyFileSync(path.join(root, file.path), this.#blob(file.sha256), constants.COPYFILE_FICLONE);
    }
  }

  addCell(step: { code: string; deadlineMs: number; trace: Trace }): void {
    this.#steps.push({ kind: 'cell', ...step });
  }

  addBrokenOff(): void {
    this.#brokenOff++;
  }

  addWrite(file: string, bytes: Uint8Array): void {
    const source = this.#blob(createHash('sha256').update(bytes).digest('hex'));
    if (!existsSync(source)) writeFileSync(source, bytes);
    this.#steps.push({ kind: 'write', path: file, source });
  }

  #blob(sha256: string): string {
    return path.join(this.#blobs, sha256);
  }
}

/** Counts and places of code in memory differ from run to run. */
export function traceOf(outputs: readonly Output[], ename: string | null): Trace {
  const texts = outputs.map(textOf);
  const text = texts.join('\0').replace(/0x[0-9a-f]{4,}/g, '0x');
  return { ename, digest: createHash('sha256').update(text).digest('hex') };
}

function textOf(output: Output): string {
  switch (output.output_type) {
    case 'stream':
      return output.text;
    case 'error':
      return output.evalue;
    case 'display_data':
    case 'execute_result':
      return String(output.data['text/plain'] ?? '');
  }
}
