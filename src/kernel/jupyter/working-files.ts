import { createHash, type Hash } from 'node:crypto';
import * as fs from 'node:fs';
import { AssayError, type KernelFile } from '../../core/index.ts';
import { readResultFile, resultPathProblem } from '../../sandbox/index.ts';
import type { FileStat, KernelFiles } from '../types.ts';
import { codeIsAnother } from './ground.ts';

/** Files that one listing names at most. */
const maxFiles = 100_000;
/** The largest file that is read whole. */
const maxReadBytes = 1024 * 2 ** 20;

/** What stays the same as long as nobody writes to a file: the code can set every time of it but `ctime`. */
type Known = { stamp: string; sha256: string };

/**
 * The working folder from outside, while code in the sandbox may do to it whatever it likes: no link is followed in any
 * part of a path, and nothing but regular files is opened for reading. Hashes are kept, so that a listing reads only
 * what has changed. Files whose names cannot be shown safely are left out.
 *
 * @param options.leftOut paths below the folder that are not the code's own
 */
export function workingFiles(options: { root: string; leftOut: readonly string[] }): KernelFiles {
  const { root } = options;
  const leftOut = new Set(options.leftOut);
  let known = new Map<string, Known>();
  const unseen = { names: 0 };
  return {
    get unseen() {
      return unseen.names;
    },
    async list() {
      const found = new Map<string, Known>();
      const files: KernelFile[] = [];
      for await (const entry of walk({ root, leftOut, unseen })) {
        if (files.length === maxFiles) throw tooManyFiles();
        const { path, bytes, stamp } = entry;
        const before = known.get(path);
        const sha256 = before?.stamp === stamp ? before.sha256 : await entry.hash();
        if (sha256 === null) continue;
        found.set(path, { stamp, sha256 });
        files.push({ path, bytes, sha256 });
      }
      known = found;
      return files.sort((a, b) => (a.path < b.path ? -1 : 1));
    },
    async stat() {
      const files: FileStat[] = [];
      for await (const { path, bytes, stamp } of walk({ root, leftOut, unseen })) {
        if (files.length === maxFiles) throw tooManyFiles();
        files.push({ path, bytes, stamp });
      }
      return files.sort((a, b) => (a.path < b.path ? -1 : 1));
    },
    async hash(path) {
      if (resultPathProblem(path) !== null || leftOut.has(path)) return null;
      const end = path.lastIndexOf('/');
      const folder = openFolder(root, path.slice(0, Math.max(0, end)), false);
      if (folder === null) return null;
      try {
        return await hashOf(at(folder, path.slice(end + 1)));
      } finally {
        fs.closeSync(folder);
      }
    },
    async read(path) {
      const file = readResultFile({ root, path, maxBytes: maxReadBytes });
      if (file.kind === 'file') return file.bytes;
      if (file.kind === 'refused' && file.reason.includes('larger')) throw tooLarge(path);
      return null;
    },
    async write(path, bytes) {
      const problem = resultPathProblem(path);
      if (problem !== null) throw badPath(path, problem);
      writeInto({ root, path, bytes });
    },
  };
}

type Entry = {
  path: string;
  bytes: number;
  stamp: string;
  /** null where it is gone, or no longer a file. */
  hash: () => Promise<string | null>;
};

const { O_RDONLY, O_NOFOLLOW, O_DIRECTORY, O_NONBLOCK, O_WRONLY, O_CREAT, O_EXCL } = fs.constants;

/** An entry of an open folder, whatever the folder's path is by now: openat(2) by other means. */
const at = (folder: number, name: string) => `/proc/self/fd/${folder}/${name}`;

async function* walk(options: {
  root: string;
  leftOut: ReadonlySet<string>;
  /** Counts what is passed over. */
  unseen: { names: number };
}): AsyncGenerator<Entry> {
  const { unseen } = options;
  unseen.names = 0;
  const waiting: string[] = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const opened = openFolder(options.root, folder, false);
    if (opened === null) continue;
    try {
      for (const name of list(opened)) {
        const path = folder === '' ? name : `${folder}/${name}`;
        if (options.leftOut.has(path)) continue;
        const stats = lstat(at(opened, name));
        if (stats === undefined) continue;
        if (resultPathProblem(path) !== null || !(stats.isDirectory() || stats.isFile())) {
          unseen.names += 1;
          continue;
        }
        if (stats.isDirectory()) {
          waiting.push(path);
          continue;
        }
        yield {
          path,
          bytes: Number(stats.size),
          stamp: [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' '),
          hash: () => hashOf(at(opened, name)),
        };
      }
    } finally {
      fs.closeSync(opened);
    }
  }
}

function list(folder: number): string[] {
  try {
    return fs.readdirSync(`/proc/self/fd/${folder}`);
  } catch {
    return [];
  }
}

function lstat(path: string): fs.BigIntStats | undefined {
  return fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
}

/** In pieces, so that neither memory nor other kernels feel a large file. */
async function hashOf(path: string): Promise<string | null> {
  const fd = openRegular(path);
  if (fd === null) return null;
  const hash = createHash('sha256');
  try {
    await readPieces(fd, hash);
    return hash.digest('hex');
  } finally {
    fs.closeSync(fd);
  }
}

function openRegular(path: string): number | null {
  try {
    const fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fs.fstatSync(fd).isFile()) return fd;
    fs.closeSync(fd);
  } catch {
    // Gone, a link by now, or closed to us.
  }
  return null;
}

const pieceBytes = 2 ** 20;

async function readPieces(fd: number, hash: Hash): Promise<void> {
  // Not cleared: for a folder of many small files that would cost more than all the rest.
  const buffer = Buffer.allocUnsafe(pieceBytes);
  for (let read = fs.readSync(fd, buffer); read > 0; read = fs.readSync(fd, buffer)) {
    hash.update(buffer.subarray(0, read));
    if (read === pieceBytes) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Opens a folder below `root` step by step; null where a part is missing or is no folder. */
function openFolder(root: string, path: string, make: boolean): number | null {
  let current = fs.openSync(root, O_RDONLY | O_DIRECTORY);
  for (const name of path === '' ? [] : path.split('/')) {
    const next = openStep(current, name, make);
    fs.closeSync(current);
    if (next === null) return null;
    current = next;
  }
  return current;
}

function openStep(parent: number, name: string, make: boolean): number | null {
  const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  try {
    return fs.openSync(at(parent, name), flags);
  } catch {
    if (!make) return null;
  }
  try {
    fs.mkdirSync(at(parent, name));
    const made = fs.openSync(at(parent, name), flags);
    if (codeIsAnother()) fs.fchmodSync(made, 0o777);
    return made;
  } catch {
    return null;
  }
}

/** Whole or not at all: the code never sees a file half written. */
function writeInto(options: { root: string; path: string; bytes: Uint8Array }): void {
  const { root, path, bytes } = options;
  const end = path.lastIndexOf('/');
  const folder = openFolder(root, path.slice(0, Math.max(0, end)), true);
  if (folder === null) throw badPath(path, 'a part of it is no folder');
  const name = path.slice(end + 1);
  const temporary = `.assay-${process.pid}-${Math.random().toString(36).slice(2)}`;
  try {
    const fd = fs.openSync(at(folder, temporary), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      fs.writeFileSync(fd, bytes);
      fs.fchmodSync(fd, codeIsAnother() ? 0o666 : 0o644);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(at(folder, temporary), at(folder, name));
  } catch (error) {
    fs.rmSync(at(folder, temporary), { force: true });
    if (hasCode(error, 'EISDIR')) throw badPath(path, 'it is a folder');
    throw error;
  } finally {
    fs.closeSync(folder);
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function badPath(path: string, because: string): AssayError {
  return new AssayError({
    code: 'input',
    message: `${JSON.stringify(path)} cannot be written to the working folder`,
    because,
    fix: 'Use a plain path below the working folder, such as data/a.csv',
  });
}

function tooLarge(path: string): AssayError {
  return new AssayError({
    code: 'input',
    message: `${path} is too large to be read whole`,
    because: `it is larger than ${maxReadBytes / 2 ** 20} MiB`,
    fix: 'Let the analysis write a smaller file',
  });
}

function tooManyFiles(): AssayError {
  return new AssayError({
    code: 'input',
    message: `The working folder holds more than ${maxFiles} files`,
    fix: 'Let the analysis put them into an archive, or remove what is not needed',
  });
}
