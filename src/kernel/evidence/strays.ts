import type { CellResult, DisplayUpdate, Output } from '../../core/index.ts';

/**
 * What threads of the user's cells put out while a probe of assay ran, and the kernel therefore took for the probe's.
 */
export class Strays {
  #outputs: Output[] = [];
  #updates: DisplayUpdate[] = [];

  /** @param isOwn tells the outputs of the probe itself */
  take({ outputs, updates = [] }: CellResult, isOwn: (output: Output) => boolean): void {
    // A probe that failed is told of in a warning.
    this.#outputs.push(...outputs.filter((output) => output.output_type !== 'error' && !isOwn(output)));
    this.#updates.push(...updates);
  }

  /** The result of the cell before the probe with all of them, once. */
  giveTo(result: CellResult): CellResult {
    const { executionCount, late = [], updates = [] } = result;
    const outputs = this.#outputs.map((output) => ({ executionCount, output }));
    const given = {
      ...result,
      ...(outputs.length === 0 ? {} : { late: [...late, ...outputs] }),
      ...(this.#updates.length === 0 ? {} : { updates: [...updates, ...this.#updates] }),
    };
    this.#outputs = [];
    this.#updates = [];
    return given;
  }
}
