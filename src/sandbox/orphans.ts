import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { identify, signalProcess } from './processes.ts';

/**
 * Kills what a runner that was killed leaves where no group holds it: bwrap dies with its runner, but in its first
 * milliseconds its child does not yet, and waits for ever for its uids to be mapped. Gives the pids.
 */
export function sweepOrphans(options: { uid: number; bwrap: string }): number[] {
  const bwrap = realpathSync(options.bwrap);
  const { uid } = options;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isOrphan(pid, { uid, bwrap }))
    .filter((pid) => {
      const target = identify(pid);
      return target !== null && isOrphan(pid, { uid, bwrap }) && signalProcess(target, 'SIGKILL');
    });
}

/** One of ours that is the first process of a sandbox and whose bwrap is gone: nobody can wake it any more. */
function isOrphan(pid: number, { uid, bwrap }: { uid: number; bwrap: string }): boolean {
  try {
    if (statSync(`/proc/${pid}`).uid !== uid || programOf(pid) !== bwrap) return false;
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const numbers = field(status, 'NSpid').split(/\s+/);
    const isFirst = numbers.length > 1 && numbers.at(-1) === '1';
    return isFirst && programOf(Number(field(status, 'PPid'))) !== bwrap && isOurs(pid);
  } catch {
    // It has ended, or is not ours to look at.
    return false;
  }
}

/** Other programs use bwrap too. */
function isOurs(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes('assay');
}

/** null where the process cannot be looked at, as those of others. */
function programOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return null;
  }
}

const field = (status: string, name: string) =>
  new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1]?.trim() ?? '';
