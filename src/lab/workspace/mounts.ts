import * as fs from 'node:fs';
import path from 'node:path';
import type { Mount } from '../../sandbox/index.ts';
import type { Opened } from '../project/opened.ts';
import type { ByteCode } from '../snapshot/byte-code.ts';

/** Where the runner's files are mounted inside. */
export const injectedFolder = '/assay';

/** Above this many protected files a folder that holds nothing else is mounted as one: each mount costs time. */
const maxFileMounts = 400;

/** Room in a workspace beyond the project's own files. */
const spareBytes = 512 * 1024 * 1024;

/**
 * The workspace at the project's own path: a tmpfs filled from `fill`, over it the protected files `sealed`, each
 * mounted read-only. Every folder above one of them is a mount point of its own: a mount point cannot be renamed or
 * removed, so nothing can be put in the place of a folder (`mv tests t2; mkdir tests`). Folders with protected Python
 * files get an empty read-only `__pycache__`, so that no byte code can be planted beside them.
 */
export function workspaceMounts(
  opened: Opened,
  options: {
    fill: string;
    sealed: readonly string[];
    empty: string;
    /** `__pycache__` folders of the snapshot that are mounted in place of `empty`. */
    byteCode?: ByteCode['sealed'];
  },
): Mount[] {
  const { base, environments, tree, injectDir } = opened;
  const at = (file: string) => path.posix.join(tree.dir, file);
  const others = absentFrom(base.sealedFiles, options.sealed);
  const { files, folders } = asMounts(options.sealed, [...base.openFiles, ...others]);
  const byteCode = byteCodeFolders(options.sealed, folders);
  const overlay = (folder: string) =>
    options.byteCode?.has(folder) === true ? path.join(base.sealedDir, folder) : options.empty;
  const laid = [...files, ...folders, ...byteCode, ...environments.map((environment) => environment.path)];
  const sizeBytes = base.totalBytes + spareBytes;
  return [
    { kind: 'tmpfs', target: tree.dir, sizeBytes },
    ...foldersAbove(laid)
      .filter((folder) => !folders.some((whole) => isBelow(folder, whole)))
      .map((folder): Mount => ({ kind: 'tmpfs', target: at(folder), sizeBytes })),
    { kind: 'fill', source: options.fill, target: tree.dir },
    ...[...folders, ...files].map(
      (file): Mount => ({ kind: 'ro', source: path.join(base.sealedDir, file), target: at(file) }),
    ),
    ...byteCode.map((folder): Mount => ({ kind: 'ro', source: overlay(folder), target: at(folder) })),
    ...environments.map(
      (environment): Mount => ({
        kind: 'ro',
        source: environment.real,
        target: at(environment.path),
      }),
    ),
    { kind: 'ro', source: injectDir, target: injectedFolder },
  ];
}

/** An empty folder to mount where nothing may be planted. */
export function emptyFolder(scratch: string): string {
  const folder = path.join(scratch, 'empty');
  fs.mkdirSync(folder, { recursive: true });
  return folder;
}

function absentFrom(all: readonly string[], some: readonly string[]): string[] {
  const present = new Set(some);
  return all.filter((file) => !present.has(file));
}

/** Each file by itself, or, where there are too many, the topmost folders that hold protected files only. */
function asMounts(
  sealed: readonly string[],
  others: readonly string[],
): { files: string[]; folders: string[] } {
  if (sealed.length <= maxFileMounts) return { files: [...sealed], folders: [] };
  const mixed = new Set(['.', ...foldersAbove(others)]);
  const folders = new Set<string>();
  const files: string[] = [];
  for (const file of sealed) {
    const whole = foldersAbove([file])
      .sort((a, b) => a.length - b.length)
      .find((folder) => !mixed.has(folder));
    if (whole === undefined) files.push(file);
    else folders.add(whole);
  }
  return { files, folders: [...folders] };
}

/** In folders that are mounted as a whole nothing can be planted anyway. */
function byteCodeFolders(sealed: readonly string[], whole: readonly string[]): string[] {
  const withCode = sealed.filter((file) => file.endsWith('.py')).map((file) => path.posix.dirname(file));
  return [...new Set(withCode)]
    .map((folder) => path.posix.join(folder, '__pycache__'))
    .filter((folder) => !whole.some((each) => isBelow(folder, each)));
}

/** Every folder above the paths, the project's own left out, the upper ones first. */
export function foldersAbove(files: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (let at = path.posix.dirname(file); at !== '.' && !folders.has(at); at = path.posix.dirname(at)) {
      folders.add(at);
    }
  }
  return [...folders].sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1));
}

function isBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`);
}
