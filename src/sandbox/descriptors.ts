import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Numbers of the descriptors inside the sandbox, and of those that only build it. The shell that runs inside can name
 * no number above 9, so what it must close or use lies below. bwrap closes the others before it runs anything (in
 * every version that knows --json-status-fd: bubblewrap.c of 0.4 to 0.11).
 */
export const descriptor = {
  channel: 3,
  /** Files through which the shell enters the control groups, one each from here on. */
  groups: 4,
  setup: 9,
  status: 10,
  arguments: 11,
  filter: 12,
  /** Made-up files of /etc, one each from here on. */
  files: 13,
};

export const maxGroups = descriptor.setup - descriptor.groups;

/** Node sets close-on-exec on its first 16 descriptors and on all it opens, not on others that it inherited. */
const firstUncertain = 16;

/** O_CLOEXEC as /proc/PID/fdinfo shows it. */
const closeOnExec = 0o2000000;

/** Descriptors of this process that a program it starts would inherit. */
export function leakedDescriptors(procRoot: string): number[] {
  const folder = join(procRoot, 'self/fdinfo');
  return list(folder)
    .map(Number)
    .filter((fd) => fd >= firstUncertain && isInherited(join(folder, String(fd))));
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isInherited(fdinfo: string): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(fdinfo, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // Closed meanwhile.
    return false;
  }
}
