import { closeSync, constants, existsSync, fsyncSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { errnoOf } from './apply-error.ts';

/**
 * An open folder. `at(name)` is a path to an entry of this very folder: through the descriptor where the system
 * has /proc, so that nobody can swap a folder on the way for a symlink between a check and its use.
 */
export type Folder = { at: (name: string) => string; sync: () => void; close: () => void };

export type Opened =
  | { kind: 'open'; folder: Folder }
  | { kind: 'missing' }
  | { kind: 'symlink' | 'not_folder'; path: string };

const descriptors = '/proc/self/fd';
const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Walks from `root` (which may itself be reached through symlinks: it is the user's own word) down to `folder`,
 * following no symlink. `make` is called before a missing folder is made; without it a missing one ends the walk.
 */
export function openFolder(root: string, folder: string, make?: (relative: string) => void): Opened {
  let current = fromRoot(root);
  const segments = folder === '' ? [] : folder.split('/');
  for (const [index, segment] of segments.entries()) {
    const relative = segments.slice(0, index + 1).join('/');
    const next = step(current, segment, make === undefined ? undefined : () => make(relative));
    current.close();
    if (next.kind !== 'open') return next.kind === 'missing' ? next : { ...next, path: relative };
    current = next.folder;
  }
  return { kind: 'open', folder: current };
}

function step(parent: Folder, name: string, make: (() => void) | undefined): Opened {
  const target = parent.at(name);
  let stat = lstatSync(target, { throwIfNoEntry: false });
  if (stat === undefined) {
    if (make === undefined) return { kind: 'missing' };
    make();
    mkdirSync(target);
    stat = lstatSync(target);
  }
  if (stat.isSymbolicLink()) return { kind: 'symlink', path: target };
  if (!stat.isDirectory()) return { kind: 'not_folder', path: target };
  try {
    return { kind: 'open', folder: folderOf(openSync(target, flags), target) };
  } catch (error) {
    // O_NOFOLLOW: the entry has become a symlink since it was looked at.
    if (['ELOOP', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return { kind: 'symlink', path: target };
    throw error;
  }
}

function fromRoot(root: string): Folder {
  const fd = openSync(root, constants.O_RDONLY | constants.O_DIRECTORY);
  return folderOf(fd, root);
}

function folderOf(fd: number, fallback: string): Folder {
  const own = `${descriptors}/${fd}`;
  const base = existsSync(own) ? own : fallback;
  return {
    at: (name) => path.join(base, name),
    sync: () => fsyncSync(fd),
    close: () => closeSync(fd),
  };
}
