import { openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Opens a file and removes its name. What the name was last can still be read in /proc/self/fd by whoever has the
 * descriptor, so it is made one that tells nothing.
 */
export function openNameless(path: string, flags: number): number {
  const fd = openSync(path, flags);
  const lastName = join(dirname(dirname(path)), 'stream');
  renameSync(path, lastName);
  rmSync(lastName, { force: true });
  return fd;
}

/** Opens what a descriptor stands for once more: other flags, a position of its own. */
export function openAgain(fd: number, flags: number): number {
  return openSync(`/proc/self/fd/${fd}`, flags);
}
