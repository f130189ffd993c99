import { readFileSync } from 'node:fs';

/** A process on the host, told apart from a later one with the same pid. */
export type ProcessId = { pid: number; startTime: number };

/** null where it has ended; a zombie has. */
export function identify(pid: number): ProcessId | null {
  const stat = readText(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses and may itself hold blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = Number(fields[19]);
  return fields[0] === 'Z' || !(startTime >= 0) || stat === '' ? null : { pid, startTime };
}

export function isRunning({ pid, startTime }: ProcessId): boolean {
  return identify(pid)?.startTime === startTime;
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

/** The process with number 2 in the pid namespace of `first`, its pid 1: the program that bwrap ran there. */
export function secondOf(first: ProcessId): ProcessId | null {
  const children = readText(`/proc/${first.pid}/task/${first.pid}/children`).trim().split(/\s+/);
  for (const child of children) {
    const numbers = /^NSpid:\s*(.*)$/m.exec(readText(`/proc/${child}/status`))?.[1];
    if (numbers?.split(/\s+/).at(-1) === '2') return identify(Number(child));
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
