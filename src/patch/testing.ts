import type { FileChange } from '../core/index.ts';
import type { Found, PlanPolicy, ReadFile } from './check-edit.ts';
import { encodeText } from './text.ts';

/** Test helpers of this room: a project as a record of texts. */
export type Tree = Record<string, string | Uint8Array>;

export const openPolicy: PlanPolicy = { protectedBecause: () => null, autoLoaded: () => false };

export function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? encodeText(content) : content;
}

export function readerOf(tree: Tree, specials: Record<string, Found> = {}): ReadFile {
  return (path) => {
    const content = tree[path];
    if (content !== undefined) return { bytes: bytesOf(content), mode: 0o644 };
    return specials[path] ?? null;
  };
}

export function applied(tree: Tree, changes: readonly FileChange[]): Tree {
  const result = { ...tree };
  for (const { path, after } of changes) {
    if (after === null) delete result[path];
    else result[path] = after;
  }
  return result;
}
