import { createHash } from 'node:crypto';
import type { FileChange } from '../core/index.ts';
import { diffLines, gitLines, hunksOf, renderHunk } from './hunks.ts';
import { quotePath } from './quote-path.ts';
import { type Created, findRenames, type Removed, type Rename } from './renames.ts';
import { decodeText, sameBytes } from './text.ts';

/**
 * The canonical git unified diff of a set of changes: sorted by path, three lines of context, renames found by
 * git's similarity index, blob hashes cut to seven digits. The same changes give the same bytes, and `git apply`
 * takes them. Throws when a file that differs is not UTF-8 text: plans never hold one.
 */
export function diffOf(changes: readonly FileChange[]): string {
  const changed = changes
    .filter((change) => !sameBytes(change.before, change.after))
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  const renames = findRenames(changed.filter(isRemoved), changed.filter(isCreated));
  const sources = new Set<FileChange>(renames.map((rename) => rename.from));
  return changed
    .filter((change) => !sources.has(change))
    .map((change) => {
      const rename = renames.find(({ to }) => to === change);
      return rename === undefined ? sectionOf(change) : renameSection(rename);
    })
    .join('');
}

const isRemoved = (change: FileChange): change is Removed => change.after === null && change.before !== null;
const isCreated = (change: FileChange): change is Created => change.before === null && change.after !== null;

function sectionOf({ path, before, after, mode }: FileChange): string {
  const header = [`diff --git ${quotePath(`a/${path}`)} ${quotePath(`b/${path}`)}`];
  if (before === null) header.push(`new file mode ${gitMode(mode)}`);
  if (after === null) header.push(`deleted file mode ${gitMode(mode)}`);
  header.push(`index ${blobHash(before)}..${blobHash(after)}${before && after ? ` ${gitMode(mode)}` : ''}`);
  return `${header.join('\n')}\n${bodyOf({ path, bytes: before }, { path, bytes: after })}`;
}

function renameSection({ from, to, similarity }: Rename): string {
  const header = [`diff --git ${quotePath(`a/${from.path}`)} ${quotePath(`b/${to.path}`)}`];
  header.push(
    `similarity index ${similarity}%`,
    `rename from ${quotePath(from.path)}`,
    `rename to ${quotePath(to.path)}`,
  );
  if (similarity === 100) return `${header.join('\n')}\n`;
  header.push(`index ${blobHash(from.before)}..${blobHash(to.after)} ${gitMode(to.mode)}`);
  const body = bodyOf({ path: from.path, bytes: from.before }, { path: to.path, bytes: to.after });
  return `${header.join('\n')}\n${body}`;
}

type Side = { path: string; bytes: Uint8Array | null };

function bodyOf(before: Side, after: Side): string {
  const hunks = hunksOf(diffLines(linesOf(before), linesOf(after)));
  if (hunks.length === 0) return '';
  const names = `--- ${nameOf('a', before)}\n+++ ${nameOf('b', after)}\n`;
  return names + hunks.map(renderHunk).join('');
}

function linesOf({ path, bytes }: Side): string[] {
  if (bytes === null) return [];
  const text = decodeText(bytes);
  if (text === null) throw new Error(`${path} is not UTF-8 text and has no unified diff`);
  return gitLines(text.bom + text.body);
}

/** A name with a space is closed by a tab, so that readers do not take what follows for a time stamp. */
function nameOf(prefix: string, { path, bytes }: Side): string {
  if (bytes === null) return '/dev/null';
  const quoted = quotePath(`${prefix}/${path}`);
  return path.includes(' ') ? `${quoted}\t` : quoted;
}

/** git knows two kinds of file mode: executable by its owner or not. */
function gitMode(mode: number): string {
  return (mode & 0o100) === 0 ? '100644' : '100755';
}

function blobHash(bytes: Uint8Array | null): string {
  if (bytes === null) return '0000000';
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex').slice(0, 7);
}
