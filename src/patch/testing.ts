import type { FileChange } from '../core/index.ts';
import type { Found, PlanPolicy, ReadFile } from './check-edit.ts';
import { encodeText } from './text.ts';

/** Test helpers of this room: a project as a record of texts. */
export type Tree = Record<string, string | Uint8Array>;

export const openPolicy: PlanPolicy = { protectedBecause: () => null, autoLoaded: () => false };

/** The content of a file of a `Tree` as bytes. */
export function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? encodeText(content) : content;
}

/** Reads a `Tree` as if it lay on disk; `specials`: paths that are no plain files. */
export function readerOf(tree: Tree, specials: Record<string, Found> = {}): ReadFile {
  return (path) => {
    const content = tree[path];
    if (content !== undefined) return { bytes: bytesOf(content), mode: 0o644 };
    return specials[path] ?? null;
  };
}

/** The tree after the changes of a patch; the one given stays as it is. */
export function applied(tree: Tree, changes: readonly FileChange[]): Tree {
  const result = { ...tree };
  for (const { path, after } of changes) {
    if (after === null) delete result[path];
    else result[path] = after;
  }
  return result;
}
