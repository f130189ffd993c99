import type { CellEnd, Outcome } from '../../core/index.ts';
import { printable } from '../../sandbox/index.ts';
import { describeEnd } from './start-failure.ts';

/** The kernel's process ended while a cell ran. */
export function died(outcome: Outcome, log: string): CellEnd {
  return { status: 'died', cause: causeOf(outcome), detail: `${describeEnd(outcome)}${crash(log)}` };
}

/** It ended between two cells, by what an earlier one left running. */
export function hasDied(outcome: Outcome, log: string): CellEnd {
  const detail = `the kernel had ended before this cell, which was not run: ${describeEnd(outcome)}${crash(log)}`;
  return { status: 'died', cause: causeOf(outcome), detail };
}

function causeOf({ reason }: Outcome): Extract<CellEnd, { status: 'died' }>['cause'] {
  switch (reason) {
    case 'oom':
    case 'exited':
    case 'signaled':
      return reason;
    case 'pids':
    case 'timeout':
    case 'output_limit':
    case 'aborted':
    case 'unavailable':
      return 'unknown';
  }
}

/** Where Python's own handler of crashes saw it happen. */
function crash(log: string): string {
  const start = log.lastIndexOf('Fatal Python error');
  return start === -1 ? '' : `; ${printable(log.slice(start, start + 1000)).trim()}`;
}
