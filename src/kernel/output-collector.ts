import type { CellResult, DisplayUpdate, Output } from '../core/index.ts';
import { type StreamRun, StreamText, textOf } from './stream-text.ts';

type StreamName = 'stdout' | 'stderr';

type WholeSlot = { kind: 'whole'; output: Output };
type Slot = { kind: 'stream'; name: StreamName; run: StreamRun } | WholeSlot;

export type OutputCollectorOptions = {
  /** See `KernelLimits`. */
  outputBytes: number;
  /** See `OpenKernelOptions`. */
  onSpill?: (stream: StreamName, piece: Uint8Array) => void;
  /** Outputs kept of one cell; rich ones after that are counted only, streams go on in the last place they have. */
  maxOutputs?: number;
  /** Characters of rich outputs kept of one cell. */
  maxRichChars?: number;
};

/**
 * What a cell puts out, reduced to the outputs a notebook keeps: streams of one name in a row joined, displays updated,
 * clears applied (Jupyter messaging protocol 5.4, "Messages on the IOPub channel"). Bounded, whatever comes.
 */
export class OutputCollector {
  readonly #streams: Record<StreamName, StreamText>;
  readonly #maxOutputs: number;
  readonly #maxRichChars: number;
  #slots: Slot[] = [];
  #richChars = 0;
  #clearsBeforeNext = false;
  /** The error that came when there was no room any more. */
  #lastError: WholeSlot | null = null;
  /** Rich outputs that were left out. */
  #leftOut = 0;

  constructor({ outputBytes, onSpill, maxOutputs, maxRichChars }: OutputCollectorOptions) {
    const stream = (name: StreamName) =>
      new StreamText({ maxBytes: outputBytes, onSpill: (piece) => onSpill?.(name, piece) });
    this.#streams = { stdout: stream('stdout'), stderr: stream('stderr') };
    this.#maxOutputs = maxOutputs ?? 2000;
    this.#maxRichChars = maxRichChars ?? 64 * 2 ** 20;
  }

  /** A stream's piece, or any other output, in the order they came. */
  put(output: Output): void {
    if (this.#clearsBeforeNext) this.#clear();
    if (output.output_type === 'stream') this.#putStream(output.name, output.text);
    else this.#putWhole(output);
  }

  /** Gives every display of this cell with that id its new content; false where there is none. */
  update({ displayId, data, metadata }: DisplayUpdate): boolean {
    let found = false;
    for (const slot of this.#slots) {
      if (slot.kind !== 'whole' || !('displayId' in slot.output)) continue;
      if (slot.output.displayId !== displayId) continue;
      slot.output = { ...slot.output, data, metadata };
      found = true;
    }
    return found;
  }

  /** @param options.wait only when the next output comes, so that a display that is drawn anew does not flicker */
  clear({ wait }: { wait: boolean }): void {
    if (wait) this.#clearsBeforeNext = true;
    else this.#clear();
  }

  finish(): Pick<CellResult, 'outputs' | 'streamBytes' | 'truncated' | 'warnings'> {
    const { stdout, stderr } = this.#streams;
    return {
      outputs: this.#slots.map(outputOf),
      streamBytes: { stdout: stdout.totalBytes, stderr: stderr.totalBytes },
      truncated: stdout.truncated || stderr.truncated || this.#leftOut > 0,
      warnings: this.#leftOut === 0 ? [] : [`${this.#leftOut} outputs of this cell were too many to keep`],
    };
  }

  #putStream(name: StreamName, text: string): void {
    if (text === '') return;
    this.#streams[name].push(this.#runFor(name), text);
  }

  #runFor(name: StreamName): StreamRun {
    const last = this.#slots.at(-1);
    if (last?.kind === 'stream' && last.name === name) return last.run;
    if (this.#slots.length >= this.#maxOutputs) {
      const earlier = this.#slots.findLast((slot) => slot.kind === 'stream' && slot.name === name);
      if (earlier?.kind === 'stream') return earlier.run;
    }
    const run = this.#streams[name].newRun();
    this.#slots.push({ kind: 'stream', name, run });
    return run;
  }

  #putWhole(output: Exclude<Output, { output_type: 'stream' }>): void {
    const chars = sizeOf(output);
    const isFull = this.#slots.length >= this.#maxOutputs || this.#richChars + chars > this.#maxRichChars;
    if (isFull && output.output_type !== 'error') {
      this.#leftOut++;
      return;
    }
    // How a cell failed at last is never left out; code may show any number of errors before.
    if (isFull && this.#lastError !== null) {
      this.#leftOut++;
      this.#lastError.output = output;
      return;
    }
    const slot: WholeSlot = { kind: 'whole', output };
    if (isFull) this.#lastError = slot;
    this.#richChars += chars;
    this.#slots.push(slot);
  }

  #clear(): void {
    this.#clearsBeforeNext = false;
    this.#slots = [];
    this.#lastError = null;
    this.#richChars = 0;
    this.#leftOut = 0;
    this.#streams.stdout.clear();
    this.#streams.stderr.clear();
  }
}

function outputOf(slot: Slot): Output {
  if (slot.kind === 'whole') return slot.output;
  return { output_type: 'stream', name: slot.name, text: textOf(slot.run) };
}

function sizeOf(output: Output): number {
  if (!('data' in output)) return 0;
  const sizes = Object.values(output.data).map((value) =>
    typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
