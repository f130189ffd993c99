import * as fs from 'node:fs';
import { promisify } from 'node:util';

/** Access to a cgroup filesystem: the kernel's, or the fake one that tests use. Failures carry Node's `code`. */
export type ControlFiles = {
  makeGroup(dir: string): void;
  removeGroup(dir: string): void;
  listGroups(dir: string): string[];
  has(file: string): boolean;
  read(file: string): string;
  write(file: string, value: string): void;
  /** The write alone off the main thread: it is the one call that may wait for the kernel. */
  writeSoon(file: string, value: string): Promise<void>;
  canWrite(file: string): boolean;
};

const writeAsync = promisify(fs.write) as (fd: number, data: string) => Promise<unknown>;

export const kernelControlFiles: ControlFiles = {
  makeGroup: (dir) => fs.mkdirSync(dir, 0o755),
  removeGroup: (dir) => fs.rmdirSync(dir),
  listGroups: (dir) =>
    fs
      .readdirSync(dir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name),
  has: (file) => fs.existsSync(file),
  read: (file) => fs.readFileSync(file, 'utf8'),
  write(file, value) {
    // Not writeFileSync: it loops on a short write, and a control file takes one value in one write.
    const fd = fs.openSync(file, fs.constants.O_WRONLY);
    try {
      fs.writeSync(fd, value);
    } catch (error) {
      throw naming(error, { file, value });
    } finally {
      fs.closeSync(fd);
    }
  },
  async writeSoon(file, value) {
    const fd = fs.openSync(file, fs.constants.O_WRONLY);
    try {
      await writeAsync(fd, value);
    } catch (error) {
      throw naming(error, { file, value });
    } finally {
      fs.closeSync(fd);
    }
  },
  canWrite(file) {
    try {
      fs.accessSync(file, fs.constants.W_OK);
      return true;
    } catch {
      return false;
    }
  },
};

/** A refused write on a descriptor does not tell by itself which file and value were meant. */
function naming(error: unknown, { file, value }: { file: string; value: string }): Error {
  const code = errorCode(error);
  return Object.assign(new Error(`${code}: writing ${value} to ${file}`, { cause: error }), { code });
}

/** The pids a group holds directly; none where the group is gone. 0 stands for a process of another pid namespace. */
export function readPids(files: ControlFiles, dir: string): number[] {
  try {
    return files
      .read(`${dir}/cgroup.procs`)
      .split('\n')
      .filter((line) => line !== '')
      .map(Number);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** The value behind `key` in a file of `key value` lines; null where the file or the key is missing. */
export function readKeyed(files: ControlFiles, file: string, key: string): number | null {
  const text = readOrNull(files, file);
  const match = text === null ? null : new RegExp(`^${key} (\\d+)$`, 'm').exec(text);
  return match === null ? null : Number(match[1]);
}

/** A file that holds one number; null where it is missing. */
export function readNumber(files: ControlFiles, file: string): number | null {
  const text = readOrNull(files, file);
  return text === null ? null : Number(text);
}

/** The text of a control file, null where it cannot be read for any reason. */
export function readOrNull(files: ControlFiles, file: string): string | null {
  try {
    return files.read(file);
  } catch {
    return null;
  }
}

/** The errno name of a system error, e.g. `ENOENT`; else the error as text. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** What was thrown, as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A group that was removed answers ENOENT, or ENODEV where a file of it was already open. */
export function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENODEV'].includes(errorCode(error));
}
