import { createHash } from 'node:crypto';
import type { FileChange } from '../core/index.ts';
import type { ReadFile } from './check-edit.ts';
import { treeReader } from './tree-reader.ts';

/** sha256 of a file's bytes in hexadecimal digits, as in `Project.hashes`. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Where a real folder stands with a patch: no file of it is changed yet, all are, some are (a crash came between),
 * or some file is neither as it was nor as it should be.
 */
export type TreeState = 'before' | 'after' | 'mixed' | 'other';

/** Decides by content alone; `changes` must not be empty. */
export function treeState(root: string, changes: readonly FileChange[]): TreeState {
  // A crashed apply leaves second names of the files beside them.
  const read = treeReader(root, { maxBytes: Number.POSITIVE_INFINITY, hardLinks: true });
  const states = new Set(changes.map((change) => stateOf(change, read)));
  if (states.has('other')) return 'other';
  if (states.size > 1) return 'mixed';
  return states.has('after') ? 'after' : 'before';
}

function stateOf({ path, before, after }: FileChange, read: ReadFile): 'before' | 'after' | 'other' {
  const found = read(path);
  const bytes = found === null ? null : 'bytes' in found ? found.bytes : undefined;
  const is = (wanted: Uint8Array | null) =>
    bytes === null || wanted === null
      ? bytes === wanted
      : bytes !== undefined && hashOf(bytes) === hashOf(wanted);
  return is(before) ? 'before' : is(after) ? 'after' : 'other';
}
