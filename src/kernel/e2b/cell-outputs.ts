import type { CellResult, DisplayUpdate, Output } from '../../core/index.ts';
import { GlyphWatch } from '../glyphs.ts';
import type { OutputCollector } from '../output-collector.ts';
import type { OutputChange } from './output-change.ts';

/** What one cell has put out so far, in the order it came over the wire. */
export class CellOutputs {
  readonly #collector: OutputCollector;
  readonly #onOutput: (output: Output) => void;
  readonly #knownDisplays: ReadonlySet<string>;
  readonly #glyphs = new GlyphWatch();
  readonly #updates = new Map<string, DisplayUpdate>();
  #askedForInput = false;
  /** Displays that it made. */
  readonly displays = new Set<string>();

  constructor(options: {
    collector: OutputCollector;
    onOutput: (output: Output) => void;
    /** Made by earlier cells. */
    knownDisplays: ReadonlySet<string>;
  }) {
    this.#collector = options.collector;
    this.#onOutput = options.onOutput;
    this.#knownDisplays = options.knownDisplays;
  }

  put(output: Output): void {
    if (output.output_type === 'stream' && output.name === 'stderr') this.#glyphs.read(output.text);
    if (output.output_type === 'error' && output.ename === 'StdinNotImplementedError')
      this.#askedForInput = true;
    if ('displayId' in output && output.displayId !== undefined) {
      // A display made anew under an old name changes the old one too.
      this.#update({ displayId: output.displayId, data: output.data, metadata: output.metadata });
      this.displays.add(output.displayId);
    }
    this.#collector.put(output);
    this.#onOutput(output);
  }

  apply(change: OutputChange): void {
    switch (change.kind) {
      case 'put':
        this.put(change.output);
        break;
      case 'update':
        this.#update(change.update);
        break;
      case 'clear':
        this.#collector.clear(change);
        break;
      case 'end':
      case 'hello':
        break;
    }
  }

  /** @param executionCount for results that came without one */
  result(executionCount: number | null): Omit<CellResult, 'end' | 'durationMs'> {
    const { warnings, outputs, ...collected } = this.#collector.finish();
    const updates = [...this.#updates.values()];
    return {
      ...collected,
      outputs: outputs.map((output) =>
        output.output_type === 'execute_result' && output.execution_count === null
          ? { ...output, execution_count: executionCount }
          : output,
      ),
      executionCount,
      warnings: [
        ...warnings,
        ...(this.#askedForInput
          ? ['The code asked for input; nobody is there to answer, so it was refused.']
          : []),
        ...this.#glyphs.warnings(),
      ],
      ...(updates.length === 0 ? {} : { updates }),
    };
  }

  #update(update: DisplayUpdate): void {
    this.#collector.update(update);
    if (this.#knownDisplays.has(update.displayId)) this.#updates.set(update.displayId, update);
  }
}
