import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { resultPathProblem } from './result-path.ts';

export type ResultFile =
  | { kind: 'file'; bytes: Uint8Array }
  | { kind: 'missing' }
  /** Something is there that must not be read, and why. */
  | { kind: 'refused'; reason: string };

/** Opens a name without following it, without reading it and without any effect on what it stands for. */
const openPathOnly = 0o10000000;

/**
 * Reads a file that sandboxed code may have made in a host folder. Call it when the sandbox has ended: only then does
 * nobody change the folder any more.
 *
 * No symbolic link is followed in any part of `path`, and nothing is opened for reading before it is known to be a
 * regular file, so that neither a FIFO nor a device can hold the reader up.
 *
 * @param options.root the host folder, chosen by the runner
 * @param options.path relative to it, see `resultPathProblem`
 * @param options.maxBytes a larger file is refused
 */
export function readResultFile(options: { root: string; path: string; maxBytes: number }): ResultFile {
  const problem = resultPathProblem(options.path);
  if (problem !== null) return { kind: 'refused', reason: `the path is not used: ${problem}` };
  const folders = options.path.split('/');
  const name = folders.pop() ?? '';
  const opened: number[] = [];
  try {
    let at = openSync(options.root, openPathOnly | constants.O_DIRECTORY);
    opened.push(at);
    for (const folder of folders) {
      // What /proc/self/fd leads to is the folder that was opened, whatever its path is now: openat(2) by other means.
      at = openSync(`/proc/self/fd/${at}/${folder}`, openPathOnly | constants.O_NOFOLLOW);
      opened.push(at);
      if (!fstatSync(at).isDirectory())
        return { kind: 'refused', reason: `${folder} is ${kindOf(fstatSync(at))}` };
    }
    const file = openSync(`/proc/self/fd/${at}/${name}`, openPathOnly | constants.O_NOFOLLOW);
    opened.push(file);
    return readRegular(file, options.maxBytes);
  } catch (error) {
    return refusal(error);
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

function readRegular(pathOnly: number, maxBytes: number): ResultFile {
  const stats = fstatSync(pathOnly);
  if (!stats.isFile()) return { kind: 'refused', reason: `it is ${kindOf(stats)}` };
  if (stats.size > maxBytes) return { kind: 'refused', reason: `it is larger than ${maxBytes} bytes` };
  const fd = openSync(`/proc/self/fd/${pathOnly}`, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    // One byte more, to see the end.
    const bytes = Buffer.alloc(stats.size + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(fd, bytes, length, bytes.length - length, null);
    }
    if (length === bytes.length) return { kind: 'refused', reason: 'it grew while it was read' };
    return { kind: 'file', bytes: bytes.subarray(0, length) };
  } finally {
    closeSync(fd);
  }
}

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a FIFO';
  if (stats.isSocket()) return 'a socket';
  return stats.isFile() ? 'a file' : 'a device';
}

function refusal(error: unknown): ResultFile {
  const code = error instanceof Error && 'code' in error ? String(error.code) : null;
  if (code === null) throw error;
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
  return { kind: 'refused', reason: `it cannot be opened: ${code}` };
}
