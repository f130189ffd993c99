import type { FileChange } from '../core/index.ts';
import { sameBytes } from './text.ts';

export type Removed = FileChange & { before: Uint8Array; after: null };
export type Created = FileChange & { before: null; after: Uint8Array };

/** A removed and a created file that a diff shows as one renamed file. `similarity` in whole percent. */
export type Rename = { from: Removed; to: Created; similarity: number };

/** git's default: below half, a pair is shown as a deletion and a creation. */
const THRESHOLD = 50;

/** Past this many pairs only identical files are paired: comparing all of them would be quadratic. */
const MAX_PAIRS = 2500;

/**
 * Pairs removed with created files, identical ones first, then the most similar; ties go by path. Files of
 * different modes are no pair: a patch changes no modes.
 */
export function findRenames(removed: readonly Removed[], created: readonly Created[]): Rename[] {
  const from = new Set(removed);
  const to = new Set(created);
  const renames: Rename[] = [];
  const take = (rename: Rename) => {
    if (!from.delete(rename.from)) return;
    to.delete(rename.to);
    renames.push(rename);
  };
  for (const target of created) {
    const same = [...from].filter(
      (source) => sameMode(source, target) && sameBytes(source.before, target.after),
    );
    const best = same.find((source) => baseName(source.path) === baseName(target.path)) ?? same[0];
    if (best !== undefined) take({ from: best, to: target, similarity: 100 });
  }
  if (from.size * to.size > MAX_PAIRS) return renames;
  const pairs = [...from].flatMap((source) => [...to].map((target) => pairOf(source, target)));
  for (const pair of pairs.toSorted((a, b) => b.similarity - a.similarity)) {
    if (pair.similarity >= THRESHOLD && sameMode(pair.from, pair.to) && to.has(pair.to)) take(pair);
  }
  return renames;
}

function sameMode(from: Removed, to: Created): boolean {
  return (from.mode & 0o100) === (to.mode & 0o100);
}

function pairOf(from: Removed, to: Created): Rename {
  // 100 is kept for identical bytes, as in git.
  return { from, to, similarity: Math.min(99, similarityOf(from.before, to.after)) };
}

/**
 * git's similarity index (diffcore-delta): the bytes of the larger file that the other one has too, counted in
 * chunks that end at a newline or after 64 bytes, in percent rounded down.
 */
export function similarityOf(a: Uint8Array, b: Uint8Array): number {
  const larger = Math.max(a.length, b.length);
  if (larger === 0) return 100;
  const [chunksA, chunksB] = [chunksOf(a), chunksOf(b)];
  let shared = 0;
  for (const [chunk, count] of chunksA) shared += Math.min(count, chunksB.get(chunk) ?? 0) * chunk.length;
  return Math.floor((shared * 100) / larger);
}

function chunksOf(bytes: Uint8Array): Map<string, number> {
  const text = Buffer.from(bytes).toString('latin1');
  const chunks = new Map<string, number>();
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = Math.min(start + 64, newline === -1 ? text.length : newline + 1);
    const chunk = text.slice(start, end);
    chunks.set(chunk, (chunks.get(chunk) ?? 0) + 1);
    start = end;
  }
  return chunks;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
