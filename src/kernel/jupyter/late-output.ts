import type { CellResult, DisplayUpdate, Output } from '../../core/index.ts';
import type { Message } from './message.ts';
import { outputChange } from './output-message.ts';

type Late = { executionCount: number | null; output: Output };

/** Cells and displays remembered of one kernel, and outputs and characters kept until the next result. */
const maxRemembered = 10_000;
const maxLate = 500;
const maxLateChars = 200_000;

/** What threads that cells left behind put out: it names the cell that started them, and comes when it comes. */
export class LateOutput {
  /** Execution counts of cells that are over, by the id of their request. */
  readonly #cells = new Map<string, number | null>();
  readonly #displays = new Set<string>();
  #late: Late[] = [];
  #chars = 0;
  #leftOut = 0;
  #updates = new Map<string, DisplayUpdate>();

  /** A cell is over; from now on its output is late. */
  remember(id: string, options: { executionCount: number | null; displays: Iterable<string> }): void {
    this.#cells.set(id, options.executionCount);
    for (const display of options.displays) this.#displays.add(display);
    forgetOldest(this.#cells);
    forgetOldest(this.#displays);
  }

  isKnownDisplay(displayId: string): boolean {
    return this.#displays.has(displayId);
  }

  /** Takes a message of an earlier cell; false where it belongs to none. */
  take(message: Message): boolean {
    const { parentId } = message;
    if (parentId === null || !this.#cells.has(parentId)) return false;
    const change = outputChange(message);
    if (change?.kind === 'update') this.#updates.set(change.update.displayId, change.update);
    if (change?.kind === 'put')
      this.#put({ executionCount: this.#cells.get(parentId) ?? null, output: change.output });
    return true;
  }

  /** All of it goes into the next result, once. */
  drain(): Pick<CellResult, 'late' | 'updates' | 'warnings'> {
    const late = this.#late;
    const updates = [...this.#updates.values()];
    const warnings = late.length === 0 ? [] : [describe(late, this.#leftOut)];
    this.#late = [];
    this.#chars = 0;
    this.#leftOut = 0;
    this.#updates = new Map();
    return {
      ...(late.length === 0 ? {} : { late }),
      ...(updates.length === 0 ? {} : { updates }),
      warnings,
    };
  }

  #put(late: Late): void {
    const chars = 'text' in late.output ? late.output.text.length : JSON.stringify(late.output).length;
    this.#chars += chars;
    if (this.#chars > maxLateChars) {
      this.#leftOut++;
      return;
    }
    const last = this.#late.at(-1);
    const joined = last?.executionCount === late.executionCount ? join(last.output, late.output) : null;
    if (last !== undefined && joined !== null) last.output = joined;
    else if (this.#late.length < maxLate) this.#late.push(late);
    else this.#leftOut++;
  }
}

function join(one: Output, other: Output): Output | null {
  if (one.output_type !== 'stream' || other.output_type !== 'stream' || one.name !== other.name) return null;
  return { ...one, text: one.text + other.text };
}

function describe(late: readonly Late[], leftOut: number): string {
  const counts = [...new Set(late.map(({ executionCount }) => `In [${executionCount ?? ' '}]`))].join(', ');
  const more = leftOut === 0 ? '' : ` ${leftOut} more outputs were left out.`;
  return `Code of an earlier cell (${counts}) went on in the background and put out more.${more}`;
}

function forgetOldest(collection: Map<string, unknown> | Set<string>): void {
  if (collection.size <= maxRemembered) return;
  for (const key of collection.keys()) {
    collection.delete(key);
    return;
  }
}
