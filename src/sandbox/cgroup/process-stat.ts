import { readFileSync } from 'node:fs';

export type ProcessStat = {
  parent: number;
  /** Clock ticks after boot. */
  startTime: number;
};

/** Of /proc/PID/stat; null for a process that is gone or a zombie, which no longer runs anything. */
export function readStat(pid: number): ProcessStat | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may itself hold blanks and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : { parent: Number(fields[1]), startTime: Number(fields[19]) };
  } catch {
    return null;
  }
}

/**
 * Whether all `pids` belong to what the runner was started with: each descends from the runner's topmost ancestor
 * among them, or is that ancestor.
 */
export function areKin(pids: readonly number[], runner: number): boolean {
  let top = runner;
  for (const ancestor of lineage(runner)) if (pids.includes(ancestor)) top = ancestor;
  return pids.every((pid) => readStat(pid) === null || lineage(pid).includes(top));
}

/** A process and its ancestors, nearest first. */
function lineage(pid: number): number[] {
  const line: number[] = [];
  for (let at = pid; at > 0 && !line.includes(at); at = readStat(at)?.parent ?? 0) line.push(at);
  return line;
}
