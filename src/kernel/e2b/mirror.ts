import { createWriteStream, existsSync, mkdirSync, openAsBlob, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { printable, resultPathProblem } from '../../sandbox/index.ts';
import type { Remote } from './remote.ts';
import { type Entry, listRemote } from './remote-listing.ts';

/** Larger files stay where they are, and a person is told. */
const maxFileBytes = 1024 * 2 ** 20;
const maxFiles = 100_000;
/** Files that are fetched at once. */
const parallel = 4;
/** Of files sent in one request. */
const maxBatchFiles = 50;
const maxBatchBytes = 32 * 2 ** 20;

/**
 * Keeps a local folder the same as the working folder in the sandbox, so that the remote one is never the only copy.
 * Nothing of what the sandbox names is trusted: paths must lie below the folder, and links are not followed.
 */
export class Mirror {
  /** The local folder and one beside it for files on their way. */
  readonly #root: string;
  readonly #incoming: string;
  readonly #folder: string;
  readonly #leftOut: readonly string[];
  /** What the local copy of each path was fetched or sent as. */
  #known = new Map<string, string>();
  #links = new Set<string>();
  #counter = 0;

  constructor(options: { root: string; incoming: string; folder: string; leftOut: readonly string[] }) {
    this.#root = options.root;
    this.#incoming = options.incoming;
    this.#folder = options.folder;
    this.#leftOut = options.leftOut;
  }

  /** Nothing is known of the sandbox any more, as it is another one. */
  forget(): void {
    this.#known = new Map();
    this.#links = new Set();
  }

  /** A part of the path that is a link in the sandbox, as of the last `pull`, or null. */
  linkAbove(file: string): string | null {
    const parts = file.split('/');
    const parents = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'));
    return parents.find((parent) => this.#links.has(parent)) ?? null;
  }

  /** Sends a local file that was just written; a link in its place is replaced, not written through. */
  async sendWritten(remote: Remote, file: string): Promise<void> {
    if (this.#links.has(file)) await this.#removeRemote(remote, file);
    await this.push(remote, [{ path: file }]);
    await this.learn(remote, new Set([file]));
  }

  /**
   * Fetches what is new or changed, removes here what is gone there.
   *
   * @returns what a person should know
   */
  async pull(remote: Remote, localPaths: readonly string[]): Promise<string[]> {
    const entries = await listRemote(remote, this.#folder);
    const warnings: string[] = [];
    this.#links = new Set(entries.filter(({ type }) => type === 'other').map((entry) => entry.path));
    const files = new Map<string, Entry>();
    for (const entry of entries) {
      if (entry.type !== 'file' || this.#isLeftOut(entry.path)) continue;
      const problem = problemOf(entry, files.size);
      if (problem === null) files.set(entry.path, entry);
      else warnings.push(`${printable(entry.path)} was left in the sandbox: ${problem}`);
    }
    for (const local of localPaths) if (!files.has(local)) this.#removeLocal(local);
    const wanted = [...files.values()].filter((entry) => this.#known.get(entry.path) !== entry.stamp);
    await inParallel(wanted, (entry) => this.#fetch(remote, entry));
    return warnings.slice(0, 20);
  }

  /** Sends local files; `source` is the file's own place where that is not the folder. */
  async push(remote: Remote, files: readonly { path: string; source?: string }[]): Promise<void> {
    for (const batch of this.#batches(files)) {
      const sent = await Promise.all(
        batch.map(async (file) => ({
          path: path.posix.join(this.#folder, file.path),
          data: await openAsBlob(file.source ?? path.join(this.#root, file.path)),
        })),
      );
      await remote.call(() => remote.sandbox.files.write(sent, remote.asOwner));
      for (const file of batch) this.#known.delete(file.path);
    }
  }

  /** What the sandbox holds under these paths is what the local folder holds: nothing has to be fetched. */
  async learn(remote: Remote, paths: ReadonlySet<string>): Promise<void> {
    for (const { path: file, type, stamp } of await listRemote(remote, this.#folder))
      if (type === 'file' && paths.has(file)) this.#known.set(file, stamp);
  }

  /** Sends again what the sandbox has lost or holds otherwise since the last `pull`. */
  async restore(remote: Remote, localPaths: readonly { path: string }[]): Promise<void> {
    const stamps = new Map(
      (await listRemote(remote, this.#folder)).map((entry) => [entry.path, entry.stamp]),
    );
    await this.push(
      remote,
      localPaths.filter(
        ({ path: file }) => stamps.get(file) === undefined || stamps.get(file) !== this.#known.get(file),
      ),
    );
  }

  /**
   * Makes the sandbox's folder the same as the local one, after files of `base` were sent to it and code has run.
   */
  async restoreAll(
    remote: Remote,
    local: readonly { path: string; sha256: string }[],
    base: readonly { path: string; sha256: string }[],
  ): Promise<void> {
    const sent = new Map(base.map((file) => [file.path, file.sha256]));
    const there = (await listRemote(remote, this.#folder)).filter(({ type }) => type === 'file');
    const known = new Set(there.map((entry) => entry.path));
    const other = local.filter((file) => sent.get(file.path) !== file.sha256 || !known.has(file.path));
    await this.push(
      remote,
      other.map((file) => ({ path: file.path })),
    );
    const wanted = new Set(local.map((file) => file.path));
    for (const { path: file } of there)
      if (!wanted.has(file) && !this.#isLeftOut(file)) await this.#removeRemote(remote, file);
  }

  async #removeRemote(remote: Remote, file: string): Promise<void> {
    await remote.call(() => remote.sandbox.files.remove(path.posix.join(this.#folder, file), remote.asOwner));
    this.#links.delete(file);
  }

  #isLeftOut(file: string): boolean {
    return this.#leftOut.some((shown) => file === shown || file.startsWith(`${shown}/`));
  }

  #removeLocal(file: string): void {
    rmSync(path.join(this.#root, file), { force: true, recursive: true });
    this.#known.delete(file);
  }

  async #fetch(remote: Remote, entry: Entry): Promise<void> {
    const place = path.join(this.#incoming, String(this.#counter++));
    try {
      const isThere = await remote.call(() =>
        download(remote, path.posix.join(this.#folder, entry.path), place),
      );
      if (!isThere) return this.#removeLocal(entry.path);
      this.#putInPlace(place, entry.path);
      this.#known.set(entry.path, entry.stamp);
    } finally {
      rmSync(place, { force: true });
    }
  }

  /** What was a file may be a folder by now, and the other way round. */
  #putInPlace(place: string, file: string): void {
    const target = path.join(this.#root, file);
    const parts = file.split('/').slice(0, -1);
    for (let count = 1; count <= parts.length; count++) {
      const folder = path.join(this.#root, ...parts.slice(0, count));
      if (existsSync(folder) && !statSync(folder).isDirectory()) rmSync(folder);
    }
    mkdirSync(path.dirname(target), { recursive: true });
    if (existsSync(target) && statSync(target).isDirectory()) rmSync(target, { recursive: true });
    renameSync(place, target);
  }

  *#batches(
    files: readonly { path: string; source?: string }[],
  ): Generator<{ path: string; source?: string }[]> {
    let batch: { path: string; source?: string }[] = [];
    let bytes = 0;
    for (const file of files) {
      const size = statSync(file.source ?? path.join(this.#root, file.path)).size;
      if (batch.length > 0 && (batch.length === maxBatchFiles || bytes + size > maxBatchBytes)) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(file);
      bytes += size;
    }
    if (batch.length > 0) yield batch;
  }
}

function problemOf({ path: file, bytes }: Entry, count: number): string | null {
  const problem = resultPathProblem(file);
  if (problem !== null) return problem;
  if (bytes > maxFileBytes) return `it is larger than ${maxFileBytes / 2 ** 20} MiB`;
  return count >= maxFiles ? `there are more than ${maxFiles} files` : null;
}

/** False where the file is gone by now. */
async function download(remote: Remote, from: string, to: string): Promise<boolean> {
  try {
    const body = await remote.sandbox.files.read(from, { format: 'stream', ...remote.asOwner });
    await pipeline(Readable.fromWeb(body as never), createWriteStream(to, { flags: 'wx', mode: 0o600 }));
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'FileNotFoundError') return false;
    throw error;
  }
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (const item of waiting) await work(item);
    }),
  );
}
