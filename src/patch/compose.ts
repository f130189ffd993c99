import type { FileChange } from '../core/index.ts';
import { sameBytes } from './text.ts';

/**
 * Folds a patch made on top of an earlier one into one set of changes against the original. Files that end as
 * they began drop out. A file that is there before and after keeps the mode it began with: a patch changes no
 * modes. Throws when `second` was not made on the result of `first`.
 */
export function composeChanges(first: readonly FileChange[], second: readonly FileChange[]): FileChange[] {
  const earlier = new Map(first.map((change) => [change.path, change]));
  const later = new Map(second.map((change) => [change.path, change]));
  const paths = [...new Set([...earlier.keys(), ...later.keys()])].toSorted();
  return paths
    .map((path) => foldOne(earlier.get(path), later.get(path)))
    .filter((change) => change !== undefined)
    .filter((change) => !sameBytes(change.before, change.after));
}

function foldOne(first: FileChange | undefined, second: FileChange | undefined): FileChange | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  if (!sameBytes(first.after, second.before)) {
    throw new Error(`the second patch was not made on the result of the first: ${first.path} differs`);
  }
  const mode = first.before !== null || second.after === null ? first.mode : second.mode;
  return { path: first.path, before: first.before, after: second.after, mode };
}

/** The changes that take a patch back. */
export function invertChanges(changes: readonly FileChange[]): FileChange[] {
  return changes.map(({ path, before, after, mode }) => ({ path, before: after, after: before, mode }));
}
