import { readFileSync } from 'node:fs';

/** A process on the host, told apart from a later one with the same pid. */
export type ProcessId = { pid: number; startTime: number };

/** What the kernel tells of a process; null where it has ended, and a zombie has. */
function statOf(pid: number): { startTime: number; flags: number } | null {
  const stat = readText(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses and may itself hold blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = Number(fields[19]);
  return fields[0] === 'Z' || !(startTime >= 0) || stat === ''
    ? null
    : { startTime, flags: Number(fields[6]) };
}

/** null where it has ended; a zombie has. */
export function identify(pid: number): ProcessId | null {
  const stat = statOf(pid);
  return stat === null ? null : { pid, startTime: stat.startTime };
}

/** True only of the very process, never of a later one with its pid; false of a zombie. */
export function isRunning({ pid, startTime }: ProcessId): boolean {
  return statOf(pid)?.startTime === startTime;
}

/** PF_EXITING of <linux/sched.h>. */
const exiting = 0x4;

/** True of a process that has ended, and of one that the kernel takes down: it will run no instruction any more. */
export function runsNoMore({ pid, startTime }: ProcessId): boolean {
  const stat = statOf(pid);
  return stat?.startTime !== startTime || (stat.flags & exiting) !== 0;
}

/** Sends a signal unless the process has ended; false where it had. */
export function signalProcess(target: ProcessId, signal: NodeJS.Signals): boolean {
  if (!isRunning(target)) return false;
  try {
    process.kill(target.pid, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Kills a child of this process together with its own children, whatever they are about to do. bwrap's child waits for
 * ever if bwrap dies before it has mapped the child's uids, and in those first milliseconds it belongs to no group yet.
 * bwrap is stopped first, since a child made between looking and killing would be missed.
 */
export function killWithChildren(parent: ProcessId): void {
  if (!signalProcess(parent, 'SIGSTOP')) return;
  const patience = performance.now() + stopLimitMs;
  while (stateOf(parent.pid) !== 'T' && isRunning(parent) && performance.now() < patience);
  for (const child of childrenOf(parent.pid)) {
    const target = identify(child);
    if (target !== null) signalProcess(target, 'SIGKILL');
  }
  signalProcess(parent, 'SIGKILL');
}

/** A stop takes effect when the call at hand returns: microseconds, unless the machine is busy. */
const stopLimitMs = 100;

function stateOf(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2)[0];
}

function childrenOf(pid: number): number[] {
  const text = readText(`/proc/${pid}/task/${pid}/children`);
  return text.split(/\s+/).filter(Boolean).map(Number);
}

/** The process with number 2 in the pid namespace of `first`, its pid 1: the program that bwrap ran there. */
export function secondOf(first: ProcessId): ProcessId | null {
  for (const child of childrenOf(first.pid)) {
    const numbers = /^NSpid:\s*(.*)$/m.exec(readText(`/proc/${child}/status`))?.[1];
    if (numbers?.split(/\s+/).at(-1) === '2') return identify(child);
  }
  return null;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
