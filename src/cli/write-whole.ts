import { randomBytes } from 'node:crypto';
import { accessSync, constants, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AssayError, type ErrorCode } from '../core/index.ts';

/** Refuses a file that cannot be written before the work for it begins. */
export function checkWritable(file: string): void {
  try {
    const there = statSync(file, { throwIfNoEntry: false });
    if (there?.isDirectory()) throw new Error('it is a folder');
    accessSync(there === undefined || there.isFile() ? path.dirname(file) : file, constants.W_OK);
  } catch (cause) {
    throw cannotWrite({ code: 'usage', file, cause });
  }
}

/** Writes a file whole or not at all. A pipe or a device is written to as it is. */
export function writeWhole(file: string, text: string): void {
  try {
    const there = statSync(file, { throwIfNoEntry: false });
    if (there !== undefined && !there.isFile()) writeFileSync(file, text);
    else replace(there === undefined ? file : realpathSync(file), text, there?.mode);
  } catch (cause) {
    throw cannotWrite({ code: 'environment', file, cause });
  }
}

function replace(file: string, text: string, mode = 0o666): void {
  const fresh = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(6).toString('hex')}`);
  try {
    writeFileSync(fresh, text, { flag: 'wx', mode: mode & 0o777 });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

function cannotWrite({ code, file, cause }: { code: ErrorCode; file: string; cause: unknown }): AssayError {
  return new AssayError({
    code,
    message: `The report cannot be written to ${file}`,
    because: cause instanceof Error ? cause.message : String(cause),
    fix: 'name a file in a folder that exists, has space left and that you may write to',
    cause,
  });
}
