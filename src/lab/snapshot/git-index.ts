import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * The paths git tracks below `dir`, relative to it, from the index file alone (gitformat-index(5), versions 2 to 4): a
 * tracked file belongs to the project even where an ignore rule matches it. git itself is not started: a cloned
 * repository's own configuration could make it run a program. Null where `dir` is in no work tree, or the index is of
 * a kind this does not read (split or sparse); then the ignore rules alone decide.
 */
export function trackedFiles(dir: string): Set<string> | null {
  const repository = repositoryOf(dir);
  const gitDir = repository === null ? null : gitDirectory(repository);
  if (repository === null || gitDir === null) return null;
  try {
    const tracked = parseGitIndex(readFileSync(path.join(gitDir, 'index')));
    const prefix = path.relative(repository, dir);
    if (prefix === '') return tracked;
    const inside = [...tracked].filter((file) => file.startsWith(`${prefix}/`));
    return new Set(inside.map((file) => file.slice(prefix.length + 1)));
  } catch {
    return null;
  }
}

/** The nearest folder at or above `dir` that has a `.git`. */
export function repositoryOf(dir: string): string | null {
  for (let at = dir; ; at = path.dirname(at)) {
    if (statSync(path.join(at, '.git'), { throwIfNoEntry: false }) !== undefined) return at;
    if (at === path.dirname(at)) return null;
  }
}

/** `.git` as a folder, or the folder a work tree's or submodule's `.git` file names. */
export function gitDirectory(dir: string): string | null {
  const dotGit = path.join(dir, '.git');
  const stats = statSync(dotGit, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isDirectory()) return dotGit;
  const named = /^gitdir: (.+)$/m.exec(readFileSync(dotGit, 'utf8'))?.[1];
  return named === undefined ? null : path.resolve(dir, named);
}

const headerBytes = 12;
const statBytes = 62;

/** Throws on anything that is not a plain index of version 2, 3 or 4 with SHA-1 names. */
export function parseGitIndex(bytes: Buffer): Set<string> {
  if (bytes.toString('latin1', 0, 4) !== 'DIRC') throw new Error('not an index');
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) throw new Error(`index version ${version}`);
  const entries = bytes.readUInt32BE(8);
  const found = new Set<string>();
  let at = headerBytes;
  let previous = Buffer.alloc(0);
  for (let n = 0; n < entries; n++) {
    const extended = version >= 3 && (bytes.readUInt16BE(at + 60) & 0x4000) !== 0;
    let name = at + statBytes + (extended ? 2 : 0);
    let kept = Buffer.alloc(0);
    if (version === 4) {
      const strip = varint(bytes, name);
      name = strip.next;
      kept = previous.subarray(0, previous.length - strip.value);
    }
    const stop = bytes.indexOf(0, name);
    if (stop === -1) throw new Error('a path without an end');
    previous = Buffer.concat([kept, bytes.subarray(name, stop)]);
    found.add(previous.toString('utf8'));
    // Versions 2 and 3 pad each entry with 1 to 8 NULs to a multiple of eight bytes.
    at = version === 4 ? stop + 1 : at + (Math.floor((stop - at) / 8) + 1) * 8;
  }
  if (/^(?:link|sdir)/.test(extensionsAt(bytes, at))) throw new Error('a split or sparse index');
  return found;
}

/** The offset encoding of pack files: seven bits a byte, most significant first, each further byte adding one. */
function varint(bytes: Buffer, from: number): { value: number; next: number } {
  let at = from;
  let byte = bytes.readUInt8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(at++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, next: at };
}

/** Signatures of the extensions after the entries, joined. */
function extensionsAt(bytes: Buffer, from: number): string {
  const signatures: string[] = [];
  const trailer = 20;
  for (let at = from; at + 8 <= bytes.length - trailer; at += 8 + bytes.readUInt32BE(at + 4)) {
    signatures.push(bytes.toString('latin1', at, at + 4));
  }
  return signatures.filter((signature) => signature === 'link' || signature === 'sdir').join('');
}
