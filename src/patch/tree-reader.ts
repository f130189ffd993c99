import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { AssayError } from '../core/index.ts';
import { errnoOf, saidBy } from './apply-error.ts';
import type { Found, ReadFile } from './check-edit.ts';
import { openFolder } from './no-follow.ts';
import { pathProblem } from './path-safety.ts';

export type TreeReaderOptions = {
  /** Larger files are not read. Default 16 MiB. */
  maxBytes?: number;
  /** Read files that have other hard links like any other. Default false. */
  hardLinks?: boolean;
};

/**
 * Reads plain files of a real folder for planning, following no symlink. What it returns throws an AssayError
 * `environment` where the disk refuses to be read.
 */
export function treeReader(root: string, options: TreeReaderOptions = {}): ReadFile {
  const limits = { maxBytes: options.maxBytes ?? 16 * 1024 * 1024, hardLinks: options.hardLinks ?? false };
  return (path) => {
    if (pathProblem(path) !== null) return null;
    try {
      return readPath(root, path, limits);
    } catch (error) {
      throw unreadable(error, `${root}/${path}`);
    }
  };
}

function readPath(root: string, path: string, limits: Required<TreeReaderOptions>): Found {
  const slash = path.lastIndexOf('/');
  const opened = openFolder(root, slash === -1 ? '' : path.slice(0, slash));
  if (opened.kind === 'symlink') return { special: 'symlink' };
  if (opened.kind !== 'open') return null;
  try {
    return readEntry(opened.folder.at(path.slice(slash + 1)), limits);
  } finally {
    opened.folder.close();
  }
}

function unreadable(error: unknown, file: string): unknown {
  if (errnoOf(error) === null) return error;
  return new AssayError({
    code: 'environment',
    message: `${file} could not be read`,
    because: saidBy(error),
    fix: 'Give this user read permission for the project, and see that its disk is in order.',
    cause: error,
  });
}

function readEntry(file: string, { maxBytes, hardLinks }: Required<TreeReaderOptions>): Found {
  const seen = lstatSync(file, { throwIfNoEntry: false });
  if (seen === undefined) return null;
  if (seen.isSymbolicLink()) return { special: 'symlink' };
  if (seen.isDirectory()) return { special: 'folder' };
  if (!seen.isFile()) return { special: 'other' };
  // NONBLOCK: an entry that has become a fifo since must not hang the open.
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { special: 'other' };
    if (stat.nlink > 1 && !hardLinks) return { special: 'hard_link' };
    if (stat.size > maxBytes) return { special: 'too_large' };
    return { bytes: readFileSync(fd), mode: stat.mode & 0o777 };
  } finally {
    closeSync(fd);
  }
}
