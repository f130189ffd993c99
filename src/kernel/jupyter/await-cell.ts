import type { Clock, Outcome } from '../../core/index.ts';
import { type Stopped, stopAsked } from '../stop-asked.ts';
import type { CellRun } from './cell-run.ts';
import { type KernelProcess, within } from './kernel-process.ts';

/** How a cell came to its end. */
export type Waited = {
  /** Why it was stopped, where it was. */
  stopped: Stopped;
  /** The process is gone, with all variables. */
  isLost: boolean;
  /** How the process ended by itself. */
  outcome: Outcome | null;
  /** What it wrote to its log. */
  log: string;
};

/** Between a reply and its idle, or the other way round: they come together, unless one of them was lost. */
const otherHalfMs = 10_000;

/**
 * Waits until a cell is over, its kernel has died, or it has been stopped: by an interrupt, by a second one, and then
 * with its process.
 */
export async function awaitCell(options: {
  run: CellRun;
  process: KernelProcess;
  clock: Clock;
  deadlineMs: number;
  /** How long an interrupt is given to take effect. */
  graceMs: number;
  signal?: AbortSignal;
  interrupt: (second: boolean) => Promise<void>;
}): Promise<Waited> {
  const { run, process, graceMs, interrupt } = options;
  const over = Promise.race([run.over, run.nearlyOver.then(() => within(run.over, otherHalfMs))]);
  const ended = Promise.race([over, process.exited]);
  const facts = (stopped: Stopped): Waited => {
    const { outcome, log } = process;
    return { stopped, isLost: outcome !== null, outcome, log };
  };
  const stopped = await stopAsked({ ...options, ended });
  if (stopped === null) return facts(null);
  for (const second of [false, true]) {
    void interrupt(second);
    if (await within(ended, graceMs)) return facts(stopped);
  }
  await process.kill();
  return { ...facts(stopped), outcome: null };
}
