import { AssayError, type CellEnd, type CellResult } from '../core/index.ts';

/** What came of a cell that was not run. */
export const nothingRan: Omit<CellResult, 'end' | 'durationMs'> = {
  executionCount: null,
  outputs: [],
  streamBytes: { stdout: 0, stderr: 0 },
  truncated: false,
  warnings: [],
};

/** The end of a cell that comes after `close`. */
export const closedEnd: CellEnd = {
  status: 'unavailable',
  detail: 'the kernel is closed',
  fix: 'Open another kernel',
};

export function closed(): AssayError {
  return new AssayError({ code: 'environment', message: 'The kernel is closed', fix: 'Open another kernel' });
}
