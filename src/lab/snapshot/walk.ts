import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { AssayError } from '../../core/index.ts';
import { trackedFiles } from './git-index.ts';
import { type IgnoreRules, isIgnored, rulesBelow, topRules } from './ignore-rules.ts';

export type SnapshotLimits = {
  /** A larger file is left out, with a warning. */
  fileBytes: number;
  /** More than this in all is refused. */
  totalBytes: number;
  files: number;
};

export const defaultSnapshotLimits: SnapshotLimits = {
  fileBytes: 64 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
  files: 50_000,
};

export type Entry =
  | { kind: 'file'; path: string; bytes: number; mode: number; ignored: boolean }
  /** A link whose target is inside the project; `target` as it is written. */
  | { kind: 'link'; path: string; target: string };

export type Walk = {
  entries: Entry[];
  /** Every folder that no rule ignores: tests may write into one that is empty here. */
  folders: string[];
  /** Folders that hold an environment, project-relative, with their real folder. */
  environments: { path: string; real: string }[];
  warnings: string[];
};

/** Never part of a project: what git, test runners and tools keep for themselves. */
const caches = new Set([
  '.git',
  '.hg',
  '.svn',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.hypothesis',
  '.tox',
  '.nox',
  '.eggs',
  '.cache',
  '.parcel-cache',
  '.turbo',
  '.next',
  '.DS_Store',
]);

/**
 * Built files that the project cannot be imported without, kept although they are ignored: compiled extensions,
 * generated versions and the metadata of an editable install. They are laid in the sandbox and never shown to a proposer.
 */
const builtFile = /(\.so|\.pyd|(^|\/)_?version\.py|\.egg-info\/[^/]+)$/;
const builtFolder = /\.egg-info$/;

/**
 * Lists a project by its ignore rules, or without them. Reads names only.
 * @throws AssayError `environment` where the project is over `limits.files` or `limits.totalBytes`.
 */
export function walk(dir: string, limits: SnapshotLimits, { ignoreRules } = { ignoreRules: true }): Walk {
  const found: Walk = { entries: [], folders: [], environments: [], warnings: [] };
  const tracked = ignoreRules ? trackedFiles(dir) : null;
  const trackedFolders = foldersOf(tracked);
  const state: State = {
    dir,
    limits,
    found,
    tracked,
    trackedFolders,
    totalBytes: 0,
    unreadable: [],
    unnameable: [],
  };
  visit(state, '', ignoreRules ? topRules(dir) : null, false);
  warnAbout(found, state.unreadable, 'cannot be read and is left out');
  warnAbout(found, state.unnameable, 'has a name that is not UTF-8 and is left out');
  found.entries.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return found;
}

type State = {
  dir: string;
  limits: SnapshotLimits;
  found: Walk;
  tracked: ReadonlySet<string> | null;
  trackedFolders: ReadonlySet<string>;
  totalBytes: number;
  unreadable: string[];
  unnameable: string[];
};

function visit(state: State, folder: string, above: IgnoreRules | null, insideIgnored: boolean): void {
  let children: Dirent[];
  try {
    children = readdirSync(path.join(state.dir, folder), { withFileTypes: true });
  } catch {
    state.unreadable.push(folder || '.');
    return;
  }
  const rules = above === null || folder === '' ? above : rulesBelow(above, state.dir, folder);
  for (const child of children) {
    if (caches.has(child.name)) continue;
    // What Node makes of bytes that are no UTF-8: no name by which the file could be opened.
    if (child.name.includes('\uFFFD')) {
      state.unnameable.push(folder === '' ? child.name : `${folder}/${child.name}`);
      continue;
    }
    const at = folder === '' ? child.name : `${folder}/${child.name}`;
    if (child.isDirectory() || child.isSymbolicLink()) {
      if (isEnvironment(state, at, child)) continue;
    }
    const ignored = insideIgnored || (rules !== null && isIgnored(rules, at, child.isDirectory()));
    if (child.isDirectory()) visitFolder(state, at, rules, ignored);
    else if (child.isSymbolicLink()) addLink(state, at, ignored);
    else if (child.isFile()) addFile(state, at, ignored);
    else state.found.warnings.push(`${at} is neither a file nor a folder and is left out`);
  }
}

/** An ignored folder is entered only for what git tracks in it, and for metadata of an editable install. */
function visitFolder(state: State, at: string, rules: IgnoreRules | null, ignored: boolean): void {
  if (ignored && !state.trackedFolders.has(at) && !builtFolder.test(at)) return;
  if (!ignored) state.found.folders.push(at);
  visit(state, at, rules, ignored);
}

/** `node_modules`, and any folder that is a Python virtual environment; a link to one counts. */
function isEnvironment(state: State, at: string, child: Dirent): boolean {
  const full = path.join(state.dir, at);
  const environment = child.name === 'node_modules' || statsOf(path.join(full, 'pyvenv.cfg')) !== null;
  if (!environment || statsOf(full)?.isDirectory() !== true) return false;
  state.found.environments.push({ path: at, real: realpathSync(full) });
  return true;
}

/** Of what a path leads to; null for nothing, a loop of links and what may not be looked at. */
function statsOf(file: string): Stats | null {
  try {
    return statSync(file);
  } catch {
    return null;
  }
}

function addFile(state: State, at: string, ignored: boolean): void {
  const kept = !ignored || state.tracked?.has(at) === true;
  if (!kept && !builtFile.test(at)) return;
  const stats = lstatSync(path.join(state.dir, at));
  if (stats.size > state.limits.fileBytes) {
    state.found.warnings.push(
      `${at} is larger than ${mebibytes(state.limits.fileBytes)} MiB and is left out of the sandbox`,
    );
    return;
  }
  state.totalBytes += stats.size;
  state.found.entries.push({
    kind: 'file',
    path: at,
    bytes: stats.size,
    mode: stats.mode & 0o777,
    ignored: !kept,
  });
  refuseTooMuch(state);
}

function addLink(state: State, at: string, ignored: boolean): void {
  if (ignored && state.tracked?.has(at) !== true) return;
  const target = insideTarget(state.dir, at);
  if (target === null) {
    state.found.warnings.push(`the link ${at} leads out of the project or nowhere and is left out`);
    return;
  }
  state.found.entries.push({ kind: 'link', path: at, target });
}

/** Where a link leads, as a path relative to its own folder; null where that is not inside the project. */
function insideTarget(dir: string, at: string): string | null {
  try {
    const real = path.relative(realpathSync(dir), realpathSync(path.join(dir, at)));
    const parts = real.split('/');
    if (
      real === '' ||
      path.isAbsolute(real) ||
      parts.includes('..') ||
      parts.some((part) => caches.has(part))
    )
      return null;
    return path.relative(path.dirname(at), real);
  } catch {
    return null;
  }
}

function refuseTooMuch({ limits, totalBytes, found, dir }: State): void {
  const tooMany = found.entries.length > limits.files;
  if (!tooMany && totalBytes <= limits.totalBytes) return;
  throw new AssayError({
    code: 'environment',
    message: tooMany
      ? `${dir} holds more than ${limits.files} files`
      : `${dir} holds more than ${mebibytes(limits.totalBytes)} MiB of files`,
    because: 'the whole project is copied into every sandbox',
    fix: 'Name what the tests do not need in .gitignore, or run on the sub-folder that has the tests',
  });
}

function warnAbout(found: Walk, paths: readonly string[], what: string): void {
  for (const at of paths.slice(0, 5)) found.warnings.push(`${at} ${what}`);
  if (paths.length > 5) found.warnings.push(`${paths.length - 5} more ${what}`);
}

function foldersOf(tracked: ReadonlySet<string> | null): Set<string> {
  const folders = new Set<string>();
  for (const file of tracked ?? []) {
    for (let at = path.posix.dirname(file); at !== '.' && !folders.has(at); at = path.posix.dirname(at)) {
      folders.add(at);
    }
  }
  return folders;
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / (1024 * 1024));
}
