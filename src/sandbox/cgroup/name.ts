import { readFileSync, readlinkSync } from 'node:fs';
import { readStat } from './process-stat.ts';

/** Which runner made a group, unmistakably: a pid alone is used again. */
export type RunnerIdentity = {
  pid: number;
  /** Clock ticks after boot, from /proc/PID/stat. */
  startTime: number;
  /** First 8 hexadecimal digits of the kernel's boot id. */
  boot: string;
  /** Inode of the pid namespace that `pid` is valid in. */
  pidNamespace: number;
};

export type GroupName = RunnerIdentity & { serial: string };

const pattern = /^assay-(\d+)-(\d+)-([0-9a-f]{8})-(\d+)-([0-9a-z]+)$/;

/** The name of one group. `serial` is unique within the runner, of the characters 0-9 and a-z. */
export function groupName({ pid, startTime, boot, pidNamespace, serial }: GroupName): string {
  return `assay-${pid}-${startTime}-${boot}-${pidNamespace}-${serial}`;
}

/** null for a name that no runner made. */
export function parseGroupName(name: string): GroupName | null {
  const [, pid, startTime, boot, pidNamespace, serial] = pattern.exec(name) ?? [];
  if (boot === undefined || serial === undefined) return null;
  return { pid: Number(pid), startTime: Number(startTime), boot, pidNamespace: Number(pidNamespace), serial };
}

/** The identity of this process. @throws Error where /proc is not mounted */
export function runnerIdentity(): RunnerIdentity {
  const stat = readStat(process.pid);
  if (stat === null) throw new Error('/proc/self/stat cannot be read');
  return { pid: process.pid, startTime: stat.startTime, boot: bootId(), pidNamespace: ownPidNamespace() };
}

/**
 * Whether the runner that made `name` still lives. A runner of another pid namespace cannot be seen from here, so it
 * counts as alive; one of an earlier boot cannot be.
 */
export function isRunnerAlive(name: string): boolean {
  const parsed = parseGroupName(name);
  if (parsed === null) return true;
  if (parsed.boot !== bootId()) return false;
  if (parsed.pidNamespace !== ownPidNamespace()) return true;
  return readStat(parsed.pid)?.startTime === parsed.startTime;
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
}

function ownPidNamespace(): number {
  return Number(/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? 0);
}
