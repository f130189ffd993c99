import type { FileChange } from '../core/index.ts';
import type { ReadFile } from './check-edit.ts';
import { invertChanges } from './compose.ts';
import { gitLines } from './hunks.ts';
import { type FileDiff, parseDiff } from './parse-diff.ts';
import type { ParsedHunk } from './parse-hunks.ts';
import { decodeText, encodeText } from './text.ts';
import { hashOf } from './tree-state.ts';

export type AppliedDiff = { ok: true; changes: FileChange[] } | { ok: false; path: string; because: string };

/**
 * The changes a canonical diff stands for, against the files it was made from: the inverse of `diffOf`, byte for
 * byte. Strict, unlike `editsFromDiff`: every hunk must stand exactly at its line. For diffs out of a run's
 * folder, never for those of a proposer.
 *
 * With `hashes` (sha256 of the files before the patch, by path) a file that the diff was applied to already gives its
 * change as well: `treeState` tells then how far an earlier attempt came.
 */
export function applyDiff(diff: string, read: ReadFile, hashes?: ReadonlyMap<string, string>): AppliedDiff {
  const { files, problems } = parseDiff(diff);
  const [problem] = problems;
  if (problem !== undefined) return { ok: false, path: problem.path, because: problem.message };
  const changes: FileChange[] = [];
  for (const file of files) {
    const applied = hashes === undefined ? applyFile(file, read) : applyEitherWay(file, read, hashes);
    if (typeof applied === 'string') return { ok: false, path: file.from ?? file.to ?? '', because: applied };
    changes.push(...applied);
  }
  const sorted = changes.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  return { ok: true, changes: sorted };
}

/** Forward, where that starts from the file as it was before; else backward from the file as it should be. */
function applyEitherWay(
  file: FileDiff,
  read: ReadFile,
  hashes: ReadonlyMap<string, string>,
): FileChange[] | string {
  const fromBefore = (changes: FileChange[]) =>
    changes.every(({ path, before }) => (before === null ? undefined : hashOf(before)) === hashes.get(path));
  const forward = applyFile(file, read);
  if (typeof forward !== 'string' && fromBefore(forward)) return forward;
  const backward = applyFile(reversed(file), read);
  if (typeof backward !== 'string') {
    const changes = invertChanges(backward);
    if (fromBefore(changes)) return changes;
  }
  return typeof forward === 'string' ? forward : 'it is not the file that the diff was made from';
}

/** What takes the diff of one file back. The mode of a file that comes back is not known. */
function reversed({ from, to, hunks, extra }: FileDiff): FileDiff {
  const turned = hunks.map(({ oldStart, newStart, lines }) => ({
    oldStart: newStart,
    newStart: oldStart,
    lines: lines.map(({ sign, text }) => ({ sign: opposite[sign], text })),
  }));
  return { from: to, to: from, hunks: turned, newMode: null, extra };
}

const opposite = { '+': '-', '-': '+', ' ': ' ' } as const;

function applyFile(file: FileDiff, read: ReadFile): FileChange[] | string {
  if (file.extra !== null) return `the diff holds a ${file.extra} change`;
  if (file.to !== null && file.to !== file.from && read(file.to) !== null) return `${file.to} exists already`;
  if (file.from === null) {
    const after = applyHunks('', file.hunks);
    if (after === null || file.to === null) return 'a hunk of the new file does not start at its beginning';
    return [{ path: file.to, before: null, after: encodeText(after), mode: file.newMode ?? 0o644 }];
  }
  const found = read(file.from);
  if (found === null) return 'the file does not exist';
  if ('special' in found) return 'it is no plain file';
  const text = decodeText(found.bytes);
  if (text === null) return 'it is not UTF-8 text';
  const { bytes: before, mode } = found;
  const after = applyHunks(text.bom + text.body, file.hunks);
  if (after === null) return 'a hunk does not fit the file';
  if (file.to === null)
    return after === '' ? [{ path: file.from, before, after: null, mode }] : 'it is not deleted whole';
  const changed = { before, after: encodeText(after), mode };
  if (file.to === file.from) return [{ path: file.from, ...changed }];
  return [
    { path: file.from, before, after: null, mode },
    { path: file.to, before: null, after: changed.after, mode },
  ];
}

/** Null where a hunk does not stand exactly where it says. */
function applyHunks(before: string, hunks: readonly ParsedHunk[]): string | null {
  const lines = gitLines(before);
  const pieces: string[] = [];
  let done = 0;
  for (const hunk of hunks) {
    const old = hunk.lines.filter((line) => line.sign !== '+').map((line) => line.text);
    // A hunk with no old lines is numbered by the line before it.
    const start = (hunk.oldStart ?? 0) - (old.length === 0 ? 0 : 1);
    if (start < done || !old.every((text, index) => lines[start + index] === text)) return null;
    pieces.push(
      ...lines.slice(done, start),
      ...hunk.lines.filter((line) => line.sign !== '-').map((line) => line.text),
    );
    done = start + old.length;
  }
  return pieces.concat(lines.slice(done)).join('');
}
