import type { CellEnd, CellResult, DisplayUpdate, Output } from '../../core/index.ts';
import { GlyphWatch } from '../glyphs.ts';
import type { OutputCollector } from '../output-collector.ts';
import type { Channel } from './connection.ts';
import { type Content, countOf, type Message, stringOf } from './message.ts';
import { failure, outputChange } from './output-message.ts';

/** A kernel that fails at a cell by itself, outside of the code, says nothing at all. */
const noReply = 'the kernel gave no reply to this cell; whether its code ran is not known';

/** What one cell has put out and said so far. It is over when its reply and its idle have come, in either order. */
export class CellRun {
  readonly #collector: OutputCollector;
  readonly #onOutput: (output: Output) => void;
  readonly #isKnownDisplay: (displayId: string) => boolean;
  readonly #glyphs = new GlyphWatch();
  readonly #updates = new Map<string, DisplayUpdate>();
  #askedForInput = false;
  #error: { ename: string; evalue: string } | null = null;
  #count: number | null = null;
  #isIdle = false;
  reply: Content | null = null;
  /** Resolves when both have come. */
  readonly over: Promise<void>;
  /** Resolves when one of them has. */
  readonly nearlyOver: Promise<void>;
  #tellOver = () => {};
  #tellNearlyOver = () => {};
  /** Displays that it made. */
  readonly displays = new Set<string>();

  constructor(options: {
    collector: OutputCollector;
    onOutput: (output: Output) => void;
    /** Whether an earlier cell made it. */
    isKnownDisplay: (displayId: string) => boolean;
  }) {
    this.#collector = options.collector;
    this.#onOutput = options.onOutput;
    this.#isKnownDisplay = options.isKnownDisplay;
    this.over = new Promise((resolve) => {
      this.#tellOver = resolve;
    });
    this.nearlyOver = new Promise((resolve) => {
      this.#tellNearlyOver = resolve;
    });
  }

  get executionCount(): number | null {
    return this.#count;
  }

  /** Takes a message that belongs to the cell. */
  take(channel: Channel, message: Message): void {
    const { type, content } = message;
    if (channel === 'shell' && type === 'execute_reply') this.#replied(content);
    if (channel === 'stdin' && type === 'input_request') this.#askedForInput = true;
    if (channel !== 'iopub') return;
    if (type === 'status' && content.execution_state === 'idle') this.#idled();
    if (type === 'execute_input') this.#count = countOf(content.execution_count) ?? this.#count;
    this.takeOutput(message);
  }

  /** Takes an output of the cell, or one that belongs to no cell and came while this one ran. */
  takeOutput(message: Message): void {
    const change = outputChange(message);
    if (change === null) return;
    switch (change.kind) {
      case 'put':
        this.#put(change.output);
        break;
      case 'update':
        this.#update(change.update);
        break;
      case 'clear':
        this.#collector.clear(change);
        break;
    }
  }

  /** How the code ended, as the kernel says it. */
  get codeEnd(): CellEnd {
    const status = stringOf(this.reply?.status);
    if (status === 'aborted' || status === 'abort') return { status: 'aborted' };
    if (status === 'error') {
      const { ename, evalue } = failure(this.reply ?? {});
      // Some kernels only print what went wrong; ipykernel has forgotten it where a value could not be shown.
      if (ename === '' || ename === 'NoneType')
        return { status: 'error', ename: 'Error', evalue, ...this.#error };
      return { status: 'error', ename, evalue };
    }
    // A reply that was lost, or one of no known kind: what was put out decides.
    if (status !== 'ok' && this.#error !== null) return { status: 'error', ...this.#error };
    if (this.reply === null) return { status: 'error', ename: 'NoReply', evalue: noReply };
    return { status: 'ok' };
  }

  result(): Omit<CellResult, 'end' | 'durationMs'> {
    const { warnings, ...collected } = this.#collector.finish();
    const updates = [...this.#updates.values()];
    return {
      ...collected,
      executionCount: this.#count,
      warnings: [
        ...warnings,
        ...(this.#askedForInput || this.#error?.ename === 'StdinNotImplementedError' ? [inputRefused] : []),
        ...this.#glyphs.warnings(),
      ],
      ...(updates.length === 0 ? {} : { updates }),
    };
  }

  #replied(content: Content): void {
    this.reply = content;
    this.#count = countOf(content.execution_count) ?? this.#count;
    this.#tellNearlyOver();
    if (this.#isIdle) this.#tellOver();
  }

  #idled(): void {
    this.#isIdle = true;
    this.#tellNearlyOver();
    if (this.reply !== null) this.#tellOver();
  }

  #put(output: Output): void {
    if (output.output_type === 'stream' && output.name === 'stderr') this.#glyphs.read(output.text);
    if (output.output_type === 'error') this.#error = { ename: output.ename, evalue: output.evalue };
    if ('displayId' in output && output.displayId !== undefined) {
      // A display made anew under an old name changes the old one too.
      this.#update({ displayId: output.displayId, data: output.data, metadata: output.metadata });
      this.displays.add(output.displayId);
    }
    this.#collector.put(output);
    this.#onOutput(output);
  }

  #update(update: DisplayUpdate): void {
    this.#collector.update(update);
    if (this.#isKnownDisplay(update.displayId)) this.#updates.set(update.displayId, update);
  }
}

const inputRefused = 'The code asked for input; nobody is there to answer, so it was refused.';
