import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError, type Unavailable } from '../core/index.ts';
import type { Context } from './context.ts';

/** A folder on the host for files on their way into or out of sandboxes. Only the runner can enter it. */
export type Staging = {
  path: string;
  /** Removes it with all that is in it. */
  remove(): void;
};

/**
 * Makes a folder that only this user can enter; a later runner removes it where this one dies.
 * @throws AssayError `environment` where the machine has no sandbox.
 */
export function makeStaging(context: Context | Unavailable): Staging {
  if ('cause' in context) {
    throw new AssayError({
      code: 'environment',
      message: 'No folder for staged files can be had',
      because: context.cause,
      fix: context.fix,
    });
  }
  const path = join(context.openState().staging, context.newName());
  mkdirSync(path, { mode: 0o700 });
  return { path, remove: () => removeTree(path) };
}

/** Removes the folders of dead runners; returns them. */
export function sweepStaging(options: { folder: string; isAlive: (name: string) => boolean }): string[] {
  const dead = readdirSync(options.folder).filter((name) => !options.isAlive(name));
  return dead.map((name) => join(options.folder, name)).filter(removeTree);
}

/** False where something could not be removed. rm and not Node's own, which cannot go below the longest path. */
function removeTree(path: string): boolean {
  return spawnSync('rm', ['-rf', '--', path], { stdio: 'ignore' }).status === 0;
}
