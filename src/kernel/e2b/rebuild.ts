import { OutputCollector } from '../output-collector.ts';
import { CellOutputs } from './cell-outputs.ts';
import type { Mirror } from './mirror.ts';
import { type Remote, RemoteFailure } from './remote.ts';
import { type ReplayLog, type Step, traceOf } from './replay-log.ts';

/** How far the old state was reached again. */
export type Replayed = {
  cells: number;
  /** Cells that ended or printed otherwise than the first time. */
  different: number;
  /** Cells that were left out, as they had been stopped before their end. */
  leftOut: number;
  /** A cell did not end this time, so that the interpreter had to be left as it started. */
  isStateLost: boolean;
};

const outputBytes = 100_000;

/**
 * Brings a fresh sandbox to where the lost one was: the files of the start, then the cells and the writes of files since,
 * in their order. What reached outside the sandbox cannot be repeated.
 */
export async function replay(remote: Remote, log: ReplayLog, mirror: Mirror): Promise<Replayed> {
  const replayed: Replayed = { cells: 0, different: 0, leftOut: log.brokenOff, isStateLost: false };
  await mirror.push(remote, log.base);
  for (const step of log.steps) {
    if (step.kind === 'write') {
      await mirror.push(remote, [step]);
      continue;
    }
    const how = await runAgain(remote, step);
    if (how === 'unfinished') {
      await remote.restart();
      return { ...replayed, isStateLost: true };
    }
    replayed.cells++;
    if (how === 'different') replayed.different++;
  }
  return replayed;
}

async function runAgain(
  remote: Remote,
  step: Extract<Step, { kind: 'cell' }>,
): Promise<'same' | 'different' | 'unfinished'> {
  const outputs = new CellOutputs({
    collector: new OutputCollector({ outputBytes }),
    onOutput: () => {},
    knownDisplays: new Set(),
  });
  const end = await remote.run(step.code, { timeoutMs: step.deadlineMs, sink: outputs });
  if (end.kind === 'failed' && end.failure.kind !== 'timeout') throw new RemoteFailure(end.failure);
  if (end.kind !== 'ended') return 'unfinished';
  const trace = traceOf(outputs.result(null).outputs, end.error?.ename ?? null);
  return trace.ename === step.trace.ename && trace.digest === step.trace.digest ? 'same' : 'different';
}

export function describe(replayed: Replayed, why: string): string[] {
  const { cells, different, leftOut, isStateLost } = replayed;
  const start = `The sandbox was gone (${why}), so a new one was made with the files of the last one.`;
  if (isStateLost) return [`${start} The earlier cells could not be run again: all variables are gone.`];
  const told = [start];
  if (cells > 0) told.push(`To bring the variables back, ${counted(cells, 'earlier cell')} run again.`);
  if (different > 0)
    told.push(
      `${counted(different, 'of these')} not as the first time in end or output: variables may differ.`,
    );
  if (leftOut > 0) told.push(`${counted(leftOut, 'cell')} left out, having been stopped before the end.`);
  return [told.join(' ')];
}

function counted(count: number, what: string): string {
  const noun = count === 1 || what === 'of these' ? what : `${what}s`;
  return `${count} ${noun} ${count === 1 ? 'was' : 'were'}`;
}
