import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import { AssayError } from '../../core/index.ts';
import type { Entry } from './walk.ts';

/**
 * A copy of a project's files in two folders: `open`, copied into every workspace, and `sealed`, whose files are
 * mounted read-only over it.
 */
export type Snapshot = {
  openDir: string;
  sealedDir: string;
  /** Project-relative, sorted; links are in neither. */
  openFiles: readonly string[];
  sealedFiles: readonly string[];
  /** Links that lead to a place inside the project; laid in the workspace, never shown to a proposer. */
  links: readonly string[];
  /** Folders that exist even where no file is in them. */
  folders: readonly string[];
  /** sha256, lower-case hex, of every file. */
  hashes: ReadonlyMap<string, string>;
  /** Permission bits. */
  modes: ReadonlyMap<string, number>;
  totalBytes: number;
  /** Files that could not be read. */
  unreadable: readonly string[];
};

/**
 * Copies `entries` to `into`/open and `into`/sealed. A sealed link is replaced by what it leads to: the
 * link itself could be exchanged in a writable folder.
 * @throws AssayError `environment` where the copy cannot be written, e.g. on a full disk.
 */
export function takeSnapshot(options: {
  into: string;
  entries: readonly Entry[];
  folders: readonly string[];
  isSealed: (path: string) => boolean;
  /** The host file behind a project-relative path. */
  locate: (path: string) => string;
}): Snapshot {
  const { into, isSealed, locate } = options;
  const copy: Copy = {
    locate,
    openDir: path.join(into, 'open'),
    sealedDir: path.join(into, 'sealed'),
    open: [],
    sealed: [],
    links: [],
    hashes: new Map(),
    modes: new Map(),
    totalBytes: 0,
    unreadable: [],
    folders: new Set(),
  };
  try {
    for (const folder of [copy.openDir, copy.sealedDir]) fs.mkdirSync(folder, { recursive: true });
    for (const folder of options.folders) makeFolder(copy, path.join(copy.openDir, folder));
    for (const entry of expandSealedLinks(options.entries, isSealed)) {
      if (entry.kind === 'link') copyLink(copy, entry);
      else copyFile(copy, entry, isSealed(entry.path));
    }
  } catch (error) {
    // On a full disk the room is needed to tell of it.
    fs.rmSync(into, { recursive: true, force: true });
    throw notWritten(into, error);
  }
  return {
    openDir: copy.openDir,
    sealedDir: copy.sealedDir,
    openFiles: copy.open.sort(),
    sealedFiles: copy.sealed.sort(),
    links: copy.links,
    folders: options.folders,
    hashes: copy.hashes,
    modes: copy.modes,
    totalBytes: copy.totalBytes,
    unreadable: copy.unreadable,
  };
}

type Copy = {
  locate: (path: string) => string;
  openDir: string;
  sealedDir: string;
  open: string[];
  sealed: string[];
  links: string[];
  hashes: Map<string, string>;
  modes: Map<string, number>;
  totalBytes: number;
  unreadable: string[];
  folders: Set<string>;
};

/**
 * Every copy has the same time, 2020-01-01: runs on the same files are alike, and no file that a patch changes can be
 * as old as the one it replaces, by which Python tells whether its byte code is stale.
 */
const fileTime = 1_577_836_800;

type Link = Extract<Entry, { kind: 'link' }>;
type Source = Extract<Entry, { kind: 'file' }> & { from?: string };

function expandSealedLinks(
  entries: readonly Entry[],
  isSealed: (path: string) => boolean,
): (Source | Link)[] {
  const files = entries.filter((entry) => entry.kind === 'file');
  return entries.flatMap((entry): (Source | Link)[] => {
    if (entry.kind === 'file') return [entry];
    const real = path.posix.join(path.posix.dirname(entry.path), entry.target);
    const behind = files.flatMap((file): Source[] => {
      if (file.path === real) return [{ ...file, path: entry.path, from: file.path }];
      if (!file.path.startsWith(`${real}/`)) return [];
      return [{ ...file, path: entry.path + file.path.slice(real.length), from: file.path }];
    });
    return behind.some((file) => isSealed(file.path)) ? behind : [entry];
  });
}

function copyLink(copy: Copy, { path: at, target }: Link): void {
  const to = path.join(copy.openDir, at);
  makeFolder(copy, path.dirname(to));
  fs.symlinkSync(target, to);
  copy.links.push(at);
}

function copyFile(copy: Copy, source: Source, sealed: boolean): void {
  const bytes = read(copy.locate(source.from ?? source.path));
  if (bytes === null) {
    copy.unreadable.push(source.path);
    return;
  }
  const to = path.join(sealed ? copy.sealedDir : copy.openDir, source.path);
  makeFolder(copy, path.dirname(to));
  // Readable by all inside, as the sandboxed code is another user; never more than the owner may.
  const mode = source.mode | ((source.mode & 0o500) >> 3) | ((source.mode & 0o500) >> 6) | 0o444;
  fs.writeFileSync(to, bytes, { mode });
  fs.chmodSync(to, mode);
  fs.utimesSync(to, fileTime, fileTime);
  (sealed ? copy.sealed : copy.open).push(source.path);
  copy.hashes.set(source.path, createHash('sha256').update(bytes).digest('hex'));
  copy.modes.set(source.path, source.mode);
  copy.totalBytes += bytes.length;
}

/** Null where the user who runs assay may not read it. A link that took the file's place meanwhile is not followed. */
function read(file: string): Buffer | null {
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    try {
      return fs.readFileSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return null;
  }
}

function makeFolder(copy: Copy, folder: string): void {
  if (copy.folders.has(folder)) return;
  fs.mkdirSync(folder, { recursive: true });
  copy.folders.add(folder);
}

function notWritten(into: string, cause: unknown): AssayError {
  return new AssayError({
    code: 'environment',
    message: `The copy of the project cannot be written to ${into}`,
    because: cause instanceof Error ? cause.message : String(cause),
    fix: 'Free some disk space there, or set ASSAY_HOME (for the lab: TMPDIR) to a folder that can be written',
    cause,
  });
}
