import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { AssayError, type FileChange } from '../core/index.ts';
import { errnoOf } from './apply-error.ts';
import { type Folder, openFolder } from './no-follow.ts';
import { sameBytes } from './text.ts';
import { hashOf } from './tree-state.ts';

/** The calls that change names in the user's tree, as a port: tests make them fail in the middle. */
export type TreeDisk = {
  link: (from: string, to: string) => void;
  rename: (from: string, to: string) => void;
  unlink: (file: string) => void;
};

export const treeDisk: TreeDisk = { link: linkSync, rename: renameSync, unlink: unlinkSync };

type Seen = { mode: number; uid: number; gid: number; ino: bigint; size: bigint; mtimeNs: bigint };

/** Leftovers of a crash are known by this name. */
export const leftoverPattern = /^\.assay-[0-9a-f]{12}\.(?:new|old)$/;

/** One file of a patch on its way into a real folder: verified, staged beside its place, committed by name. */
export class StagedFile {
  readonly change: FileChange;
  readonly parent: string;
  readonly name: string;
  readonly #disk: TreeDisk;
  readonly #temporary: string;
  readonly #backup: string;
  #folder: Folder | null = null;
  #seen: Seen | null = null;
  #done = false;
  #committed = false;

  constructor(change: FileChange, disk: TreeDisk) {
    const slash = change.path.lastIndexOf('/');
    const token = randomBytes(6).toString('hex');
    this.change = change;
    this.parent = slash === -1 ? '' : change.path.slice(0, slash);
    this.name = change.path.slice(slash + 1);
    this.#disk = disk;
    this.#temporary = `.assay-${token}.new`;
    this.#backup = `.assay-${token}.old`;
  }

  /** The change as it really was: with the mode the file had on the disk. */
  get observed(): FileChange {
    return { ...this.change, mode: this.#seen?.mode ?? this.change.mode };
  }

  /** Compares the file with what it was at the start; writes nothing. */
  verify(root: string, { expected, finish }: { expected: string | null; finish: boolean }): void {
    const opened = openFolder(root, this.parent);
    if (opened.kind === 'symlink') throw this.#changed(`${opened.path} is a symlink now`);
    if (opened.kind === 'not_folder') throw this.#changed(`${opened.path} is no folder now`);
    const found = opened.kind === 'open' ? readPlain(opened.folder, this.name) : null;
    if (typeof found === 'string') throw this.#changed(found);
    const bytes = found?.bytes ?? null;
    this.#seen = found?.seen ?? null;
    const { before, after } = this.change;
    if (finish && !sameBytes(before, after) && sameBytes(bytes, after)) this.#done = true;
    else if (bytes === null && before !== null) throw this.#changed('it is gone');
    else if (bytes !== null && before === null) throw this.#changed('it did not exist then');
    else if (bytes !== null && (hashOf(bytes) !== expected || !sameBytes(bytes, before))) {
      throw this.#changed('its content differs');
    }
  }

  /** Puts the new content and a second name for the old one beside the file. `make` is told of folders made. */
  stage(root: string, make: (folder: string) => void): void {
    if (this.#done) return;
    const opened = openFolder(root, this.parent, this.change.after === null ? undefined : make);
    if (opened.kind !== 'open') throw this.#changed(`${this.parent} is no longer the folder it was`);
    this.#folder = opened.folder;
    if (this.change.before !== null) this.#keepOld(opened.folder);
    if (this.change.after !== null) this.#writeNew(opened.folder, this.change.after);
  }

  commit(): void {
    const folder = this.#folder;
    if (folder === null) return;
    const target = folder.at(this.name);
    if (this.#seen !== null && !sameSeen(this.#seen, seenAt(target)))
      throw this.#changed('it changed just now');
    if (this.change.after === null) this.#disk.unlink(target);
    else if (this.change.before !== null) this.#disk.rename(folder.at(this.#temporary), target);
    else this.#create(folder, target);
    this.#committed = true;
  }

  /** Puts the old state back, if it was left. */
  takeBack(): void {
    const folder = this.#folder;
    if (folder === null || !this.#committed) return;
    if (this.change.before === null) this.#disk.unlink(folder.at(this.name));
    else this.#disk.rename(folder.at(this.#backup), folder.at(this.name));
    this.#committed = false;
  }

  /** Removes what was put beside the file. Call after commit or takeBack. */
  close({ keepBackup = false }: { keepBackup?: boolean } = {}): void {
    const folder = this.#folder;
    if (folder === null) return;
    this.#folder = null;
    rmSync(folder.at(this.#temporary), { force: true });
    if (!keepBackup) rmSync(folder.at(this.#backup), { force: true });
    folder.close();
  }

  /** Where the old content is kept, for a message when it cannot be put back. */
  get backupPath(): string {
    return this.parent === '' ? this.#backup : `${this.parent}/${this.#backup}`;
  }

  #keepOld(folder: Folder): void {
    const target = folder.at(this.name);
    const backup = folder.at(this.#backup);
    try {
      this.#disk.link(target, backup);
    } catch (error) {
      if (!linkUnsupported(error)) throw error;
      copyFileSync(target, backup, constants.COPYFILE_EXCL);
    }
  }

  #writeNew(folder: Folder, after: Uint8Array): void {
    const { mode, uid, gid } = this.#seen ?? { ...ownerOf(folder), mode: this.change.mode };
    const fd = openSync(folder.at(this.#temporary), 'wx', 0o600);
    try {
      writeFileSync(fd, after);
      keepOwner(fd, { uid, gid });
      fchmodSync(fd, mode);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  /** A link, unlike a rename, never takes the place of a file that appeared meanwhile. */
  #create(folder: Folder, target: string): void {
    try {
      this.#disk.link(folder.at(this.#temporary), target);
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') throw this.#changed('it appeared just now');
      if (!linkUnsupported(error)) throw error;
      if (lstatSync(target, { throwIfNoEntry: false })) throw this.#changed('it appeared just now');
      this.#disk.rename(folder.at(this.#temporary), target);
    }
  }

  #changed(because: string): AssayError {
    return new AssayError({
      code: 'changed',
      message: `${this.change.path} is not what it was when the run started`,
      because,
      fix: 'Put the file back as it was, or start a new run on the files as they are now.',
    });
  }
}

/** A plain file with its content, null where nothing stands, or what stands there instead. */
function readPlain(folder: Folder, name: string): { bytes: Uint8Array; seen: Seen } | string | null {
  try {
    const target = folder.at(name);
    const stat = lstatSync(target, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    if (stat.isSymbolicLink()) return 'it is a symlink now';
    if (!stat.isFile()) return 'it is no plain file now';
    if (stat.nlink > 1) return 'it has other hard links';
    const fd = openSync(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return { bytes: readFileSync(fd), seen: seenOf(fstatSync(fd, { bigint: true })) };
    } finally {
      closeSync(fd);
    }
  } finally {
    folder.close();
  }
}

type BigStat = { mode: bigint; uid: bigint; gid: bigint; ino: bigint; size: bigint; mtimeNs: bigint };

function seenOf({ mode, uid, gid, ino, size, mtimeNs }: BigStat): Seen {
  return { mode: Number(mode & 0o7777n), uid: Number(uid), gid: Number(gid), ino, size, mtimeNs };
}

function seenAt(target: string): Seen | null {
  const stat = lstatSync(target, { bigint: true, throwIfNoEntry: false });
  return stat?.isFile() ? seenOf(stat) : null;
}

function sameSeen(a: Seen, b: Seen | null): boolean {
  return b !== null && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/** Root working in somebody's tree must not leave files there that the owner cannot write. */
function keepOwner(fd: number, { uid, gid }: { uid: number; gid: number }): void {
  const own = fstatSync(fd);
  if (own.uid === uid && own.gid === gid) return;
  try {
    fchownSync(fd, uid, gid);
  } catch (error) {
    // An ordinary user cannot give files away: as with any editor that renames, the file becomes theirs.
    if (errnoOf(error) !== 'EPERM') throw error;
  }
}

/** Who a new file should belong to: for root the owner of its folder, else whoever runs this. */
function ownerOf(folder: Folder): { uid: number; gid: number } {
  const { uid, gid } = statSync(folder.at('.'));
  const [own, group] = [process.geteuid?.() ?? uid, process.getegid?.() ?? gid];
  return own === 0 ? { uid, gid } : { uid: own, gid: group };
}

function linkUnsupported(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(error) ?? '');
}
