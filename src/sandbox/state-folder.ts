import { accessSync, constants, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '../core/index.ts';

/**
 * The folder where all assay processes of this machine and user note what they hold, so that nothing is shared by
 * mistake and the next start can sweep what a dead one left. Its content is worth nothing after a reboot.
 *
 * @throws AssayError `environment` where the folder belongs to somebody else
 */
export function openStateFolder(options: { uid: number; runDir: string; tmpDir: string }): string {
  const { uid, runDir, tmpDir } = options;
  const folder = uid === 0 && isWritable(runDir) ? join(runDir, 'assay') : join(tmpDir, `assay-${uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stats = lstatSync(folder);
  // In a folder that all may write to, anybody may have made it first.
  if (!stats.isDirectory() || stats.uid !== uid || (stats.mode & 0o022) !== 0) {
    throw new AssayError({
      code: 'environment',
      message: `${folder} is not a folder of this user alone`,
      fix: `Remove it, or move it away: \`mv ${folder} ${folder}.old\``,
    });
  }
  return folder;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return lstatSync(folder).isDirectory();
  } catch {
    return false;
  }
}
