import { expect } from 'vitest';
import type { CellResult, Output } from '../../src/core/index.ts';
import type { ExecuteOptions, Kernel } from '../../src/kernel/index.ts';

/** Runs a cell that must end well. */
export async function ran(kernel: Kernel, code: string, options?: ExecuteOptions): Promise<CellResult> {
  const result = await kernel.execute(code, options);
  expect(result.end, JSON.stringify(result.outputs).slice(0, 2000)).toEqual({ status: 'ok' });
  return result;
}

/** The text form of the last result of a cell that ended well. */
export async function shownValue(kernel: Kernel, code: string): Promise<unknown> {
  const { outputs } = await ran(kernel, code);
  return dataOf(outputs.findLast((output) => output.output_type === 'execute_result'))['text/plain'];
}

export function dataOf(output: Output | undefined): Record<string, unknown> {
  return output !== undefined && 'data' in output ? output.data : {};
}

/** What was printed, joined whatever else lies between. */
export function printed(
  { outputs }: Pick<CellResult, 'outputs'>,
  name: 'stdout' | 'stderr' = 'stdout',
): string {
  const texts = outputs.map((output) =>
    output.output_type === 'stream' && output.name === name ? output.text : '',
  );
  return texts.join('');
}

/** Resolves once a cell has put something out, so that it surely runs. */
export function started(): { onOutput: (output: Output) => void; isRunning: Promise<void> } {
  let onOutput = (_: Output) => {};
  const isRunning = new Promise<void>((resolve) => {
    onOutput = () => resolve();
  });
  return { onOutput: (output) => onOutput(output), isRunning };
}
