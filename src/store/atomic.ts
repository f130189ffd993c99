import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { errnoOf } from './disk-error.ts';

/** Files of a run are the user's alone: they hold source code and program output. */
export const fileMode = 0o600;
export const folderMode = 0o700;

/**
 * Makes a folder and those above it that are missing. Not by `mkdir` with `recursive`: on a file system that
 * answers ENOENT to every new folder (/proc) that one never returns.
 */
export function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolders(parent);
  try {
    mkdirSync(folder, folderMode);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/**
 * Writes a whole file so that a crash at any instant leaves the old one or the new one: temporary file in the
 * same folder, fsync, rename, fsync of the folder. Rejects with the error of the operating system.
 */
export async function writeAtomic(file: string, data: Uint8Array): Promise<void> {
  const temporary = path.join(
    path.dirname(file),
    `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`,
  );
  try {
    const handle = await open(temporary, 'wx', fileMode);
    try {
      await handle.writeFile(data);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(file));
}

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
