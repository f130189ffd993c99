import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';

/** Names one process for good: pids are reused, and start again with every boot and in every namespace. */
export const processIdentitySchema = z.object({
  pid: z.number().int().positive(),
  /** Clock ticks since boot; null where there is no /proc. */
  startTime: z.string().nullable(),
  bootId: z.string().nullable(),
  pidNamespace: z.string().nullable(),
  host: z.string(),
});
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

/** Of this process; null for what this machine does not tell. */
export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    startTime: startTimeOf(process.pid),
    bootId: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: attempt(() => readlinkSync('/proc/self/ns/pid')),
    host: hostname(),
  };
}

/**
 * Whether a process still runs. `unknown` where it cannot be judged from here: another machine, or another pid
 * namespace (a container) of this one.
 */
export function livenessOf(other: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  const own = ownIdentity();
  if (other.host !== own.host) return 'unknown';
  if (other.bootId !== own.bootId) return 'dead';
  if (other.pidNamespace !== own.pidNamespace) return 'unknown';
  if (other.startTime !== null) return startTimeOf(other.pid) === other.startTime ? 'alive' : 'dead';
  return answersSignal(other.pid) ? 'alive' : 'dead';
}

/** Field 22 of /proc/PID/stat (proc(5)); null for a process that is gone or only waits to be reaped. */
function startTimeOf(pid: number): string | null {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (stat === null) return null;
  // The command name in field 2 may hold spaces and parentheses: the fields after it start behind the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  return state === 'Z' || state === 'X' ? null : (fields[19] ?? null);
}

function answersSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
