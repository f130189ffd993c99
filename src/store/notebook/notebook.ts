import type { CellArtifact, CellResult, DisplayUpdate, Output } from '../../core/index.ts';
import { onDiskAsync } from '../disk-error.ts';
import { type NotebookCell, type NotebookOutput, notebookCellSchema } from './format.ts';
import { notebookOutputs } from './outputs.ts';
import { scrubCell } from './scrub-cell.ts';
import { cellText, closing, type NotebookKernel, opening } from './serialise.ts';
import { TwinFile } from './twin-file.ts';

/** A cell to be written down. */
export type NotebookItem =
  | { kind: 'markdown'; text: string; tags?: readonly string[] }
  | {
      kind: 'code';
      code: string;
      result: CellResult;
      artifacts?: readonly CellArtifact[];
      tags?: readonly string[];
    };

export type NotebookParts = {
  /** Absolute. */
  file: string;
  /** Takes the secrets out. */
  clean: <T>(value: T) => T;
  readArtifact: (sha256: string) => Promise<Uint8Array>;
  /** Bytes of one MIME type of one output that stand in the notebook itself. Default 4 MiB. */
  maxOutputBytes?: number;
};

/** Where something of an earlier cell is to be changed. */
type Edit = (outputs: NotebookOutput[]) => Promise<NotebookOutput[]>;

/**
 * A run's `notebook.ipynb`, written anew and whole whenever cells are appended, at the cost of these cells alone. What
 * others write to the file meanwhile is lost.
 */
export class Notebook {
  readonly #parts: NotebookParts;
  readonly #twin: TwinFile;
  #kernel: NotebookKernel | null = null;
  /** Where each cell begins in the file; the last number is where the list ends. */
  #offsets: number[] = [opening.length];
  /** Cells by the count they ran under, of this life of the kernel. */
  #byCount = new Map<number, number>();
  #displays = new Map<string, { cell: number; output: number }[]>();
  #edits = new Map<number, Edit[]>();
  /** Bytes that may be rewritten so that all rewriting costs no more than all appending did. */
  #credit = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: NotebookParts) {
    this.#parts = parts;
    this.#twin = new TwinFile(parts.file);
  }

  /** Bytes written to the disk so far: what saving costs. */
  get writtenBytes(): number {
    return this.#twin.writtenBytes;
  }

  /**
   * Puts cells at the end, and has them, and all before them, safely on the disk once it resolves.
   *
   * @param options.kernel what runs them, as far as it is known by now
   * @throws AssayError `environment` where the disk is full or the like: the file then is as it was
   */
  append(items: readonly NotebookItem[], options: { kernel?: NotebookKernel } = {}): Promise<void> {
    return this.#inOrder(() => this.#append(items, options.kernel));
  }

  /** Applies what came for earlier cells and still waits, and removes what only a writer needs. */
  finish(): Promise<void> {
    return this.#inOrder(async () => {
      await this.#save('', Math.min(...this.#edits.keys(), this.#cells));
      await this.#onDisk(() => this.#twin.close());
    });
  }

  /** How many stand in the file. */
  get #cells(): number {
    return this.#offsets.length - 1;
  }

  #inOrder<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#last.then(step);
    this.#last = result.catch(() => {});
    return result;
  }

  async #append(items: readonly NotebookItem[], kernel: NotebookKernel | undefined): Promise<void> {
    if (kernel !== undefined) this.#kernel = kernel;
    const first = this.#cells;
    const offsets: number[] = [];
    let text = '';
    let end = this.#offsets.at(-1) ?? 0;
    for (const [index, item] of items.entries()) {
      const at = first + index;
      if (item.kind === 'code') {
        const { executionCount } = item.result;
        if (executionCount !== null) this.#byCount.set(executionCount, at);
        this.#noteEarlier(item.result);
      }
      const piece = `${at === 0 ? '' : ','}\n${cellText(await this.#cellOf(item, at))}`;
      if (item.kind === 'code') this.#noteCell(item.result, at);
      text += piece;
      end += Buffer.byteLength(piece);
      offsets.push(end);
    }
    this.#credit += Buffer.byteLength(text);
    const from = this.#affordable();
    await this.#save(text, from, offsets);
  }

  async #cellOf(item: NotebookItem, at: number): Promise<NotebookCell> {
    const metadata = item.tags === undefined || item.tags.length === 0 ? {} : { tags: [...item.tags] };
    const id = `cell-${at + 1}`;
    if (item.kind === 'markdown')
      return scrubCell({ cell_type: 'markdown', id, metadata, source: item.text }, this.#parts.clean);
    const outputs = await this.#outputsOf(item.result.outputs, item.artifacts ?? []);
    const { executionCount: execution_count } = item.result;
    return scrubCell(
      { cell_type: 'code', execution_count, id, metadata, outputs, source: item.code },
      this.#parts.clean,
    );
  }

  #outputsOf(outputs: readonly Output[], artifacts: readonly CellArtifact[]): Promise<NotebookOutput[]> {
    const { readArtifact, maxOutputBytes = 4 * 2 ** 20 } = this.#parts;
    return notebookOutputs(outputs, { readArtifact, artifacts, maxBytes: maxOutputBytes });
  }

  /** What a result says of cells before it, and of itself once it had ended. */
  #noteEarlier({ late = [], updates = [] }: CellResult): void {
    for (const { executionCount, output } of late) {
      const cell = executionCount === null ? undefined : this.#byCount.get(executionCount);
      if (cell !== undefined) this.#note(cell, (outputs) => this.#withLate(outputs, output));
    }
    for (const update of updates) {
      for (const { cell, output } of this.#displays.get(update.displayId) ?? [])
        this.#note(cell, (outputs) => this.#updated(outputs, output, update));
    }
  }

  #noteCell({ outputs }: CellResult, at: number): void {
    for (const [index, output] of outputs.entries()) {
      if (!('displayId' in output) || output.displayId === undefined) continue;
      const places = this.#displays.get(output.displayId) ?? [];
      this.#displays.set(output.displayId, [...places, { cell: at, output: index }]);
    }
  }

  #note(cell: number, edit: Edit): void {
    this.#edits.set(cell, [...(this.#edits.get(cell) ?? []), edit]);
  }

  async #withLate(outputs: NotebookOutput[], late: Output): Promise<NotebookOutput[]> {
    const [made] = await this.#outputsOf([late], []);
    const last = outputs.at(-1);
    if (made === undefined) return outputs;
    if (made.output_type === 'stream' && last?.output_type === 'stream' && made.name === last.name)
      return [...outputs.slice(0, -1), { ...last, text: last.text + made.text }];
    return [...outputs, made];
  }

  async #updated(outputs: NotebookOutput[], index: number, update: DisplayUpdate): Promise<NotebookOutput[]> {
    const { data, metadata } = update;
    const [made] = await this.#outputsOf([{ output_type: 'display_data', data, metadata }], []);
    const before = outputs[index];
    if (made === undefined || !('data' in made) || before === undefined || !('data' in before))
      return outputs;
    return outputs.with(index, { ...before, data: made.data, metadata: made.metadata });
  }

  /** The first cell that waits for a change and can be rewritten now with all after it; else the end. */
  #affordable(): number {
    const end = this.#offsets.at(-1) ?? 0;
    const waiting = [...this.#edits.keys()].filter((cell) => cell < this.#cells).toSorted((a, b) => a - b);
    return waiting.find((cell) => end - (this.#offsets[cell] ?? end) <= this.#credit) ?? this.#cells;
  }

  /** Writes everything from the cell `from` on, changed, and `text` with the ends of the cells in it. */
  async #save(text: string, from: number, ends: readonly number[] = []): Promise<void> {
    const keep = this.#offsets[from] ?? 0;
    const rewritten = await this.#rewrite(from);
    const shift = rewritten.length - ((this.#offsets.at(-1) ?? 0) - keep);
    const head = this.#twin.size === 0 ? opening : '';
    const tail = Buffer.concat([
      Buffer.from(head),
      rewritten.bytes,
      Buffer.from(text + closing(this.#parts.clean(this.#kernel))),
    ]);
    await this.#onDisk(() => this.#twin.splice(head === '' ? keep : 0, tail));
    this.#offsets = [
      ...this.#offsets.slice(0, from + 1),
      ...rewritten.ends,
      ...ends.map((end) => end + shift),
    ];
    this.#credit -= rewritten.length;
    for (const cell of rewritten.cells) this.#edits.delete(cell);
  }

  /** The cells from `from` on as they are to be now. */
  async #rewrite(from: number): Promise<{ bytes: Buffer; length: number; ends: number[]; cells: number[] }> {
    const cells: number[] = [];
    const pieces: Buffer[] = [];
    const ends: number[] = [];
    let end = this.#offsets[from] ?? 0;
    for (let cell = from; cell < this.#cells; cell++) {
      const old = await this.#twin.read(this.#offsets[cell] ?? 0, this.#offsets[cell + 1] ?? 0);
      const edits = this.#edits.get(cell);
      const piece = edits === undefined ? old : await this.#edited(old.toString('utf8'), edits);
      pieces.push(piece);
      end += piece.length;
      ends.push(end);
      cells.push(cell);
    }
    const bytes = Buffer.concat(pieces);
    return { bytes, length: bytes.length, ends, cells };
  }

  async #edited(old: string, edits: readonly Edit[]): Promise<Buffer> {
    const start = old.indexOf('{');
    const cell = notebookCellSchema.parse(JSON.parse(old.slice(start)));
    if (cell.cell_type !== 'code') return Buffer.from(old);
    let { outputs } = cell;
    for (const edit of edits) outputs = await edit(outputs);
    const changed = scrubCell({ ...cell, outputs }, this.#parts.clean);
    return Buffer.from(`${old.slice(0, old.indexOf('\n'))}\n${cellText(changed)}`);
  }

  #onDisk(step: () => Promise<void>): Promise<void> {
    return onDiskAsync({ doing: 'save the notebook', path: this.#parts.file }, step);
  }
}
