import { accessSync, constants, lstatSync, mkdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '../core/index.ts';

/** Folders where all assay processes of this machine and user note what they hold. */
export type StateFolder = {
  /** Claims on uids. */
  slots: string;
  /** Files on their way into sandboxes. */
  staging: string;
};

/**
 * Opens them, so that nothing is shared by mistake and the next start can sweep what a dead process left. Their content
 * is worth nothing after a reboot. Staging may be large, so it lies in `tmpDir` and not in `runDir`, which is memory.
 *
 * @throws AssayError `environment` where a folder belongs to somebody else
 */
export function openStateFolder(options: { uid: number; runDir: string; tmpDir: string }): StateFolder {
  const { uid, runDir, tmpDir } = options;
  const temporary = openFolder(join(tmpDir, `assay-${uid}`), uid);
  const run = uid === 0 && isWritable(runDir) ? openFolder(join(runDir, 'assay'), uid) : temporary;
  return { slots: openFolder(join(run, 'slots'), uid), staging: openFolder(join(temporary, 'staging'), uid) };
}

function openFolder(folder: string, uid: number): string {
  const stats = lstat(folder) ?? makeFolder(folder);
  // In a folder that all may write to, anybody may have made it first.
  if (!stats.isDirectory() || stats.uid !== uid || (stats.mode & 0o022) !== 0) {
    throw new AssayError({
      code: 'environment',
      message: `${folder} is not a folder of this user alone`,
      fix: `Move it away: \`mv ${folder} ${folder}.old\``,
    });
  }
  return folder;
}

function lstat(folder: string): Stats | null {
  return lstatSync(folder, { throwIfNoEntry: false }) ?? null;
}

function makeFolder(folder: string): Stats {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return lstatSync(folder);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return lstatSync(folder).isDirectory();
  } catch {
    return false;
  }
}
