import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import type { Found, ReadFile } from './check-edit.ts';
import { openFolder } from './no-follow.ts';
import { pathProblem } from './path-safety.ts';

export type TreeReaderOptions = {
  /** Larger files are not read. Default 16 MiB. */
  maxBytes?: number;
  /** Read files that have other hard links like any other. Default false. */
  hardLinks?: boolean;
};

/** Reads plain files of a real folder for planning, following no symlink. */
export function treeReader(root: string, options: TreeReaderOptions = {}): ReadFile {
  const limits = { maxBytes: options.maxBytes ?? 16 * 1024 * 1024, hardLinks: options.hardLinks ?? false };
  return (path) => {
    if (pathProblem(path) !== null) return null;
    const slash = path.lastIndexOf('/');
    const opened = openFolder(root, slash === -1 ? '' : path.slice(0, slash));
    if (opened.kind === 'symlink') return { special: 'symlink' };
    if (opened.kind !== 'open') return null;
    try {
      return readEntry(opened.folder.at(path.slice(slash + 1)), limits);
    } finally {
      opened.folder.close();
    }
  };
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
