import type { KernelLimits } from './types.ts';

const MiB = 2 ** 20;

/** Room for ordinary work with data on one machine. */
export const defaultLimits: KernelLimits = {
  deadlineMs: 5 * 60_000,
  memoryBytes: 2048 * MiB,
  pids: 256,
  outputBytes: 100_000,
};
