import * as fs from 'node:fs';
import path from 'node:path';
import { AssayError } from '../../core/index.ts';

/**
 * The real path of the folder the user named.
 * @throws AssayError `usage` where it is none, `environment` where the sandbox cannot have a folder of the user's.
 */
export function projectFolder(given: string): string {
  const dir = path.resolve(given);
  const stats = statFolder(dir);
  if (stats === undefined) throw noFolder(`There is no folder ${dir}`);
  if (!stats.isDirectory()) throw noFolder(`${dir} is not a folder`);
  const real = fs.realpathSync(dir);
  checkFolder(real);
  if (systemFolders.test(real)) {
    throw new AssayError({
      code: 'environment',
      message: `The project cannot be run in the folder ${real}`,
      because: 'the sandbox has a folder of its own there',
      fix: 'Copy the project to another place, e.g. below the home folder',
    });
  }
  return real;
}

/**
 * What lies at `dir`; undefined where nothing does.
 * @throws AssayError `environment` where this user may not look there.
 */
export function statFolder(dir: string): fs.Stats | undefined {
  try {
    return fs.statSync(dir, { throwIfNoEntry: false });
  } catch (cause) {
    throw closed(dir, cause);
  }
}

/**
 * Refuses a folder that no project can be read from: one that is closed to this user, or one with a line break in its
 * path, which cannot be mounted in a sandbox.
 * @throws AssayError `usage`, `environment`
 */
export function checkFolder(dir: string): void {
  try {
    fs.accessSync(dir, fs.constants.R_OK | fs.constants.X_OK);
  } catch (cause) {
    throw closed(dir, cause);
  }
  if (!/[\n\r]/.test(dir)) return;
  throw new AssayError({
    code: 'usage',
    message: `The path ${JSON.stringify(dir)} has a line break in it`,
    because: 'the sandbox cannot have such a folder',
    fix: 'Rename the folder, or copy the project to another place',
  });
}

/** Where the sandbox's own root, devices and runner are; `/tmp/...` and `/home/...` are fine. */
const systemFolders = /^\/(?:(?:usr|etc|proc|sys|dev|bin|sbin|lib\w*|assay|\.assay)(?:\/.*)?|tmp)?$/;

function closed(dir: string, cause: unknown): AssayError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new AssayError({
    code: 'environment',
    message: `The folder ${dir} cannot be read`,
    because: said.split(',', 1)[0] ?? said,
    fix: /^E(ACCES|PERM)/.test(said)
      ? 'Give this user the permission to read it and to enter it, or run assay as its owner'
      : 'Give another folder',
    cause,
  });
}

function noFolder(message: string): AssayError {
  return new AssayError({ code: 'usage', message, fix: 'Give the folder of the project' });
}
