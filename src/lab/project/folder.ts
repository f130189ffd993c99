import * as fs from 'node:fs';
import path from 'node:path';
import { AssayError } from '../../core/index.ts';

/**
 * The real path of the folder the user named.
 * @throws AssayError `usage` where it is none, `environment` where the sandbox cannot have a folder of the user's.
 */
export function projectFolder(given: string): string {
  const dir = path.resolve(given);
  const stats = fs.statSync(dir, { throwIfNoEntry: false });
  if (stats === undefined) throw noFolder(`There is no folder ${dir}`);
  if (!stats.isDirectory()) throw noFolder(`${dir} is not a folder`);
  const real = fs.realpathSync(dir);
  checkFolderName(real);
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
 * Refuses a path with a line break, which cannot be mounted in a sandbox.
 * @throws AssayError `usage`
 */
export function checkFolderName(dir: string): void {
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

function noFolder(message: string): AssayError {
  return new AssayError({ code: 'usage', message, fix: 'Give the folder of the project' });
}
