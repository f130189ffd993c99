import { AssayError, type CellEvidence, type KernelFile } from '../../core/index.ts';
import type { KernelFiles } from '../types.ts';

export type FileChanges = CellEvidence['files'] & { warnings: string[] };

export type FileWatch = {
  /** What has changed since the last call. Never rejects for what the code made of the folder: that is a warning. */
  changes(): Promise<FileChanges>;
  /** Of the first look. */
  readonly warnings: readonly string[];
  /** As of the last look, sorted by path. */
  readonly current: readonly KernelFile[];
};

export type FileWatchOptions = {
  /** A file that is larger is not read to be hashed, and has an empty `sha256`. Default 1 GiB. */
  maxHashBytes?: number;
  /** Bytes read for hashing at one look. Default 4 GiB. */
  maxTotalBytes?: number;
  /** Files of one kind of change that are named. Default 10,000. */
  maxNamed?: number;
};

const leftOut =
  'in the working folder left out: links, what is no plain file, or what has a name that cannot be shown safely.';

type Known = KernelFile & { stamp: string };
type Caps = Required<FileWatchOptions>;

/**
 * Watches the working folder: sub-folders too, and files written over with as many bytes. Where the kernel can tell what
 * was not written to, only the rest is read.
 *
 * @throws AssayError as the kernel's own listing does
 */
export async function watchFiles(files: KernelFiles, options: FileWatchOptions = {}): Promise<FileWatch> {
  const caps: Caps = { maxHashBytes: 2 ** 30, maxTotalBytes: 4 * 2 ** 30, maxNamed: 10_000, ...options };
  const told = new Set<string>();
  const first = await listing({ files, caps, known: new Map() });
  let known = first.found;
  let unseen = files.unseen ?? 0;
  /** More of what is left out than at the last look. */
  const newlyUnseen = (): string[] => {
    const more = (files.unseen ?? 0) - unseen;
    unseen += more;
    return more <= 0 ? [] : [`${more} ${more === 1 ? 'name' : 'names'} ${leftOut}`];
  };
  return {
    warnings: tooLarge(first.notHashed, told),
    async changes() {
      try {
        const before = known;
        const { found, notHashed } = await listing({ files, caps, known: before });
        known = found;
        const compared = cut(compare(before, found), caps.maxNamed);
        return {
          ...compared,
          warnings: [...compared.warnings, ...tooLarge(notHashed, told), ...newlyUnseen()],
        };
      } catch (error) {
        if (!AssayError.is(error)) throw error;
        const warning = [`The files could not be looked at: ${error.message}`, error.because].filter(Boolean);
        return { created: [], changed: [], deleted: [], warnings: [warning.join(': ')] };
      }
    },
    get current() {
      return [...known.values()].map(withoutStamp);
    },
  };
}

type Listing = { found: Map<string, Known>; notHashed: KernelFile[] };

async function listing(options: {
  files: KernelFiles;
  caps: Caps;
  known: Map<string, Known>;
}): Promise<Listing> {
  const { files, caps, known } = options;
  const { stat, hash } = files;
  if (stat === undefined || hash === undefined) {
    const all = (await files.list()).map((file): [string, Known] => [file.path, { ...file, stamp: '' }]);
    return { found: new Map(all), notHashed: [] };
  }
  const found = new Map<string, Known>();
  const notHashed: KernelFile[] = [];
  let left = caps.maxTotalBytes;
  for (const { path, bytes, stamp } of await stat.call(files)) {
    const before = known.get(path);
    if (before?.stamp === stamp) {
      found.set(path, before);
      continue;
    }
    const isRead = bytes <= caps.maxHashBytes && bytes <= left;
    if (isRead) left -= bytes;
    const sha256 = isRead ? await hash.call(files, path) : '';
    // Gone since it was listed.
    if (sha256 === null) continue;
    const file = { path, bytes, sha256 };
    if (!isRead) notHashed.push(file);
    found.set(path, { ...file, stamp });
  }
  return { found, notHashed };
}

function compare(before: Map<string, Known>, now: Map<string, Known>): CellEvidence['files'] {
  const created: KernelFile[] = [];
  const changed: CellEvidence['files']['changed'] = [];
  for (const file of now.values()) {
    const old = before.get(file.path);
    if (old === undefined) created.push(withoutStamp(file));
    else if (differ(old, file)) changed.push({ ...withoutStamp(file), before: old.sha256 });
  }
  const deleted = [...before.values()].filter(({ path }) => !now.has(path)).map(withoutStamp);
  return { created, changed, deleted };
}

/** Without a hash, size and stamp are all there is to go by. */
function differ(old: Known, now: Known): boolean {
  if (old.bytes !== now.bytes || old.sha256 !== now.sha256) return true;
  return now.sha256 === '' && old.stamp !== now.stamp;
}

function cut({ created, changed, deleted }: CellEvidence['files'], most: number): FileChanges {
  const more = (count: number, what: string) =>
    count <= most ? [] : [`${what}: ${count} files, of which ${most} are named.`];
  return {
    created: created.slice(0, most),
    changed: changed.slice(0, most),
    deleted: deleted.slice(0, most),
    warnings: [
      ...more(created.length, 'created'),
      ...more(changed.length, 'changed'),
      ...more(deleted.length, 'deleted'),
    ],
  };
}

/** Each file is told of once. */
function tooLarge(files: readonly KernelFile[], told: Set<string>): string[] {
  return files.flatMap(({ path, bytes }) => {
    if (told.has(path)) return [];
    told.add(path);
    return [
      `${path} has ${(bytes / 2 ** 30).toFixed(1)} GiB, too much to be hashed: whether it changes is told by its size and its times alone.`,
    ];
  });
}

function withoutStamp({ path, bytes, sha256 }: Known): KernelFile {
  return { path, bytes, sha256 };
}
