import { constants } from 'node:os';
import type { OutcomeReason } from '../core/index.ts';
import type { CgroupCounters } from './cgroup/index.ts';

/** Why the runner itself killed a sandbox. */
export type KillReason = 'timeout' | 'output_limit' | 'aborted';

export type Ending = {
  killed: KillReason | null;
  counters: Pick<CgroupCounters, 'oomKills' | 'pidsRefused'>;
  /** From bwrap's status descriptor; null where bwrap did not live to tell. */
  exitCode: number | null;
  /** What ended bwrap itself. */
  bwrapSignal: NodeJS.Signals | null;
};

export type Decided = {
  reason: Exclude<OutcomeReason, 'unavailable'>;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
};

/**
 * Why a command that ran has ended, the surest knowledge first: what the runner did, what the kernel counted, what
 * bwrap reported.
 *
 * - An OOM kill is the reason even where the command exits 0: what it then did not do, nobody knows.
 * - A refused fork is the reason only where the command did not end well: programs may try and do with less.
 * - bwrap reports death by signal n as 128+n, like a shell does, so a program that exits with such a code by itself
 *   reads as `signaled` too.
 */
export function decideEnding({ killed, counters, exitCode, bwrapSignal }: Ending): Decided {
  const signal = exitCode === null ? bwrapSignal : signalOf(exitCode);
  const facts = { exitCode, signal };
  if (killed !== null) return { reason: killed, ...facts };
  if (counters.oomKills > 0) return { reason: 'oom', ...facts };
  if (counters.pidsRefused > 0 && exitCode !== 0) return { reason: 'pids', ...facts };
  return { reason: signal === null ? 'exited' : 'signaled', ...facts };
}

const signalBase = 128;

function signalOf(exitCode: number): NodeJS.Signals | null {
  const entries = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  return entries.find(([, number]) => signalBase + number === exitCode)?.[0] ?? null;
}
