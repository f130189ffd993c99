import { constants, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import path from 'node:path';
import { type AnalysisSpec, AssayError } from '../core/index.ts';
import { resultPathProblem } from '../sandbox/index.ts';

/** Files and bytes of data that are copied into the working folder of a run at most. */
const maxFiles = 20_000;
const maxBytes = 2 * 2 ** 30;
/** Files that a model is told the names of. */
const mostListed = 200;
const mostNamed = 3;
const passedOver = new Set(['node_modules', 'venv', '__pycache__']);

export type DataFile = { path: string; bytes: number };
export type Data = {
  files: DataFile[];
  /** What is there and is left out, in words, for the user. */
  leftOut: string[];
};

/**
 * What an analysis gets to work on: the plain files of a folder and its sub-folders, or one file. Hidden files, and
 * folders of programs, are not data and may hold secrets; links would lead elsewhere. All of it is bounded, since it is
 * copied and hashed for each kernel that is started.
 * @throws AssayError `usage` where there is no such data, or more than can be taken
 */
export function surveyData(data: string): Data {
  const stats = statSync(data, { throwIfNoEntry: false });
  if (stats?.isFile()) {
    checkSize(data, { total: stats.size, largest: { path: path.basename(data), bytes: stats.size } });
    return { files: [{ path: path.basename(data), bytes: stats.size }], leftOut: [] };
  }
  if (!stats?.isDirectory()) {
    throw new AssayError({
      code: 'usage',
      message: `There is no data ${data}.`,
      fix: 'give a folder or a file that exists: --data DIR',
    });
  }
  return surveyFolder(data);
}

function surveyFolder(root: string): Data {
  const files: DataFile[] = [];
  const left = { hidden: [] as string[], links: [] as string[], others: [] as string[] };
  let total = 0;
  let largest: DataFile = { path: '', bytes: 0 };
  const waiting = [''];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    for (const name of listed(root, folder)) {
      const relative = folder === '' ? name : `${folder}/${name}`;
      const stats = lstatSync(path.join(root, relative), { throwIfNoEntry: false });
      if (stats === undefined) continue;
      if (name.startsWith('.') || (stats.isDirectory() && passedOver.has(name))) left.hidden.push(relative);
      else if (stats.isSymbolicLink()) left.links.push(relative);
      else if (stats.isDirectory()) waiting.push(relative);
      else if (!stats.isFile() || resultPathProblem(relative) !== null) left.others.push(relative);
      else {
        files.push({ path: relative, bytes: stats.size });
        total += stats.size;
        if (stats.size > largest.bytes) largest = { path: relative, bytes: stats.size };
        if (files.length > maxFiles) throw tooMany(root);
      }
    }
  }
  checkSize(root, { total, largest });
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const words: [string[], string][] = [
    [left.hidden, 'hidden, or of programs'],
    [left.links, 'links, which may lead elsewhere'],
    [left.others, 'no plain files, or with names that cannot be shown safely'],
  ];
  return { files, leftOut: words.flatMap(([paths, why]) => (paths.length === 0 ? [] : [told(paths, why)])) };
}

function listed(root: string, folder: string): string[] {
  try {
    return readdirSync(path.join(root, folder)).toSorted();
  } catch (cause) {
    throw new AssayError({
      code: 'usage',
      message: `The data folder ${path.join(root, folder)} cannot be read`,
      because: cause instanceof Error ? cause.message : String(cause),
      fix: 'let this user read it, or give another folder with --data',
      cause,
    });
  }
}

const told = (paths: readonly string[], why: string) =>
  `left out of the data: ${paths
    .slice(0, mostNamed)
    .map((each) => JSON.stringify(each))
    .join(', ')}${paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : ''} (${why})`;

function tooMany(root: string): AssayError {
  return new AssayError({
    code: 'usage',
    message: `${root} has more than ${maxFiles.toLocaleString('en-US')} files`,
    because: 'data is copied and hashed for each kernel that is started',
    fix: 'give the sub-folder that is needed with --data, or put the files into one archive or table',
  });
}

function checkSize(root: string, { total, largest }: { total: number; largest: DataFile }): void {
  if (total <= maxBytes) return;
  throw new AssayError({
    code: 'usage',
    message: `${root} holds ${gigabytes(total)} of data, and ${gigabytes(maxBytes)} are taken at most`,
    because: `the largest file is ${largest.path} with ${gigabytes(largest.bytes)}`,
    fix: 'give a sample or an extract of it, or the sub-folder that is needed, with --data',
  });
}

const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

/** As the spec of a run holds it. */
export function dataOfSpec({ files }: Data): AnalysisSpec['data'] {
  return { files: files.slice(0, mostListed), total: files.length };
}

/**
 * Lays the data out in a fresh folder, which a kernel then works in: the user's own files are never written. On a disk
 * that can, the copies share their blocks.
 * @throws AssayError as `surveyData`
 */
export async function layData(data: string | null, target: string, signal: AbortSignal): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  if (data === null) return;
  checkThere(data);
  const { files } = surveyData(data);
  const root = statSync(data).isFile() ? path.dirname(data) : data;
  for (const { path: relative } of files) {
    signal.throwIfAborted();
    const to = path.join(target, relative);
    makeFolder(target, path.dirname(relative));
    await copyOne(path.join(root, relative), to);
  }
}

/** @throws AssayError `environment` where the data that a run began with is gone */
export function checkThere(data: string): void {
  if (statSync(data, { throwIfNoEntry: false }) !== undefined) return;
  throw new AssayError({
    code: 'environment',
    message: `The data of this run, ${data}, is not there any more`,
    fix: 'put it back where it was, as it was, or start a new run on other data',
  });
}

/** Open to all, as the working folder is: the code has another user than assay where assay is root. */
function makeFolder(target: string, folder: string): void {
  if (folder === '.') return;
  mkdirSync(path.join(target, folder), { recursive: true, mode: 0o777 });
}

async function copyOne(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    await chmod(to, 0o666);
  } catch (cause) {
    const missing =
      cause instanceof Error && 'code' in cause && ['ENOENT', 'EACCES'].includes(String(cause.code));
    if (!missing) throw cause;
    throw new AssayError({
      code: 'environment',
      message: `The data file ${from} cannot be read`,
      because: cause.message,
      fix: 'let this user read it, or leave it out of the data folder',
      cause,
    });
  }
}
