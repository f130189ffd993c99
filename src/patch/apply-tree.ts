import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { AssayError, type FileChange } from '../core/index.ts';
import { applyError, saidBy } from './apply-error.ts';
import { invertChanges } from './compose.ts';
import { openFolder } from './no-follow.ts';
import { foldersOf, pathProblem } from './path-safety.ts';
import { leftoverPattern, StagedFile, type TreeDisk, treeDisk } from './staged-file.ts';
import { hashOf } from './tree-state.ts';

export type ApplyOptions = {
  /** An existing folder. */
  root: string;
  changes: readonly FileChange[];
  /** sha256 of files as they were at the start, by path; a file not in it is compared with the change itself. */
  expectedHashes?: ReadonlyMap<string, string>;
  /**
   * Goes on after a crash (`treeState` says `mixed`): what the crash left beside the files is removed, and files
   * that are as they should be already are left alone. Default false.
   */
  finish?: boolean;
  /** The system calls that change names; tests make them fail. */
  disk?: TreeDisk;
};

/** `undo` puts everything back as it was, under the same conditions: all or nothing, only on unchanged files. */
export type AppliedPatch = { undo: () => void };

/**
 * Writes a patch to a real folder, all or nothing. Every file is compared with what it was at the start before
 * anything is written, no symlink is followed, new contents are on the disk before the first name changes, and a
 * failure in the middle takes back what was done. Modes and owners are kept; folders that a deletion empties go,
 * as with git.
 *
 * Throws an AssayError: `changed` when a file is not what it was (nothing is written), `input` when a path is
 * none that a patch may name, `environment` when the disk refuses (everything is put back, or the message says
 * what is not).
 */
export function applyToTree(options: ApplyOptions): AppliedPatch {
  const { root, changes, disk = treeDisk, finish = false } = options;
  for (const { path } of changes) checkPath(path);
  const files = changes.map((change) => new StagedFile(change, disk));
  const made: string[] = [];
  try {
    if (finish) sweepLeftovers(root, files);
    for (const file of files) file.verify(root, { expected: expectedOf(file.change, options), finish });
    for (const file of files) file.stage(root, (folder) => made.push(folder));
    for (const file of files) file.commit();
  } catch (error) {
    throw takeBack({ root, files, made, error });
  }
  closeAll(root, files, made);
  const observed = files.map((file) => file.observed);
  removeEmptied(root, observed);
  return {
    undo: () => {
      applyToTree({ root, changes: invertChanges(observed), disk });
    },
  };
}

function checkPath(path: string): void {
  const problem = pathProblem(path);
  if (problem === null) return;
  throw new AssayError({
    code: 'input',
    message: `The patch names ${JSON.stringify(path)}`,
    because: problem,
    fix: 'Do not apply this patch: assay makes none like it.',
  });
}

function expectedOf({ path, before }: FileChange, { expectedHashes }: ApplyOptions): string | null {
  return before === null ? null : (expectedHashes?.get(path) ?? hashOf(before));
}

function closeAll(root: string, files: readonly StagedFile[], made: readonly string[]): void {
  try {
    for (const file of files) file.close();
    syncFolders(root, [...files.map((file) => file.parent), ...made.map(parentOf)]);
  } catch (error) {
    throw applyError(error, { root, state: 'it is written, but may not survive a power cut' });
  }
}

function syncFolders(root: string, folders: readonly string[]): void {
  for (const name of new Set(folders)) {
    const opened = openFolder(root, name);
    if (opened.kind !== 'open') continue;
    opened.folder.sync();
    opened.folder.close();
  }
}

type Failure = { root: string; files: readonly StagedFile[]; made: readonly string[]; error: unknown };

/** Puts every file back, the last one first; what cannot be put back keeps its backup and is named. */
function takeBack({ root, files, made, error }: Failure): unknown {
  const stranded: string[] = [];
  for (const file of files.toReversed()) {
    let keepBackup = false;
    try {
      file.takeBack();
    } catch {
      keepBackup = true;
      stranded.push(`${file.change.path} (its old content is in ${file.backupPath})`);
    }
    try {
      file.close({ keepBackup });
    } catch {
      // The first error is the one to tell; at worst a temporary file stays.
    }
  }
  for (const folder of made.toReversed()) removeFolder(root, folder);
  if (stranded.length === 0) return applyError(error, { root, state: 'every file is as it was' });
  return new AssayError({
    code: 'environment',
    message: `The patch could not be written to ${root}, and these files could not be put back: ${stranded.join(', ')}`,
    because: saidBy(error),
    fix: 'Move the old contents back to their places by hand.',
    cause: error,
  });
}

/** What a crashed attempt left beside the files of this patch. */
function sweepLeftovers(root: string, files: readonly StagedFile[]): void {
  for (const parent of new Set(files.map((file) => file.parent))) {
    const opened = openFolder(root, parent);
    if (opened.kind !== 'open') continue;
    for (const name of readdirSync(opened.folder.at('.'))) {
      if (leftoverPattern.test(name)) rmSync(opened.folder.at(name), { force: true });
    }
    opened.folder.close();
  }
}

function removeEmptied(root: string, changes: readonly FileChange[]): void {
  const removed = changes.filter((change) => change.after === null);
  const folders = new Set(removed.flatMap((change) => foldersOf(change.path)));
  for (const folder of [...folders].toSorted((a, b) => b.length - a.length)) removeFolder(root, folder);
}

/** Removes a folder if it is one and empty; whatever speaks against it is no failure. */
function removeFolder(root: string, folder: string): void {
  const opened = openFolder(root, parentOf(folder));
  if (opened.kind !== 'open') return;
  try {
    const target = opened.folder.at(folder.slice(folder.lastIndexOf('/') + 1));
    if (lstatSync(target).isDirectory() && readdirSync(target).length === 0) rmdirSync(target);
  } catch {
    // Filled, gone or forbidden meanwhile: an empty folder is no harm.
  } finally {
    opened.folder.close();
  }
}

/** `a/b` -> `a`, `a` -> the root. */
function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
