import type { Edit, Refusal } from '../core/index.ts';
import { collisionOf, foldersOf, pathProblem, type Spellings } from './path-safety.ts';
import { type RefusalCode, refusal } from './refusal.ts';

/** What stands at a path that a patch must not touch. `too_large`: not even read. */
export type Special = 'symlink' | 'hard_link' | 'folder' | 'other' | 'too_large';

/** What a reader finds at a path: a plain file, something special, or nothing. */
export type Found = { bytes: Uint8Array; mode: number } | { special: Special } | null;

/**
 * Looks at one project-relative path without following a symlink. Also asked about the folders on the way to a
 * file: `{ special: 'folder' }` and null both mean that nothing stands in the way there.
 */
export type ReadFile = (path: string) => Found;

export type PlanPolicy = {
  /** Why a patch may not touch this path, or null. */
  protectedBecause: (path: string) => string | null;
  /** True where a new file would be loaded by a test runner or an interpreter by itself. */
  autoLoaded: (path: string) => boolean;
  /** Largest file before and after, in bytes. Default 1 MiB. */
  maxFileBytes?: number;
  /** Let a patch rewrite most of a long file. Default false. */
  allowWholeFile?: boolean;
};

export type PlanContext = { read: ReadFile; spellings: Spellings; policy: PlanPolicy };

/** What can be told of one edit without looking into files: its paths, the policy, the form of its texts. */
export function checkEdit(edit: Edit, index: number, context: PlanContext): Refusal | null {
  for (const path of edit.op === 'rename' ? [edit.path, edit.to] : [edit.path]) {
    const problem = checkPath(path, index, context);
    if (problem !== null) return problem;
  }
  const added = edit.op === 'create' ? edit.path : edit.op === 'rename' ? edit.to : null;
  if (added !== null && context.policy.autoLoaded(added)) {
    const message = `A new file ${added} would be loaded by the test runner or the interpreter by itself.`;
    return refusal('auto_loaded', { path: added, edit: index }, message);
  }
  return checkTexts(edit, index);
}

function checkPath(path: string, edit: number, { read, spellings, policy }: PlanContext): Refusal | null {
  const refuse = (code: RefusalCode, message: string) => refusal(code, { path, edit }, message);
  const problem = pathProblem(path);
  if (problem !== null) return refuse('bad_path', `${JSON.stringify(path)} cannot be patched: ${problem}.`);
  const collision = collisionOf(path, spellings);
  if (collision !== null) {
    return refuse(
      'bad_path',
      `${path} collides with ${collision}, which exists: use that very path or another name.`,
    );
  }
  for (const folder of foldersOf(path)) {
    const found = read(folder);
    if (found === null) continue;
    if (!('special' in found)) return refuse('bad_path', `${folder} is a file, so ${path} cannot be in it.`);
    if (found.special === 'symlink')
      return refuse('symlink', `${folder} is a symlink; a patch follows none.`);
    if (found.special !== 'folder') return refuse('bad_path', `${folder} is no folder.`);
  }
  const because = policy.protectedBecause(path);
  return because === null ? null : refuse('protected', `${path} is protected: ${because}`);
}

function checkTexts(edit: Edit, index: number): Refusal | null {
  const where = { path: edit.path, edit: index };
  const texts =
    edit.op === 'replace' ? [edit.search, edit.replace] : edit.op === 'create' ? [edit.content] : [];
  if (!texts.every((text) => text.isWellFormed())) {
    return refusal(
      'malformed',
      where,
      'A text of the edit holds half a surrogate pair: it is not valid Unicode.',
    );
  }
  if (texts.some((text) => text.includes('\0'))) {
    return refusal('binary', where, 'A text of the edit holds a NUL character: only text can be patched.');
  }
  if (edit.op !== 'replace') return null;
  if (edit.search.trim() === '') {
    const message =
      'The search text is empty or blank, so it names no place. Quote the line next to the change, or use create for a new file.';
    return refusal('empty_search', where, message);
  }
  if (edit.search.replaceAll('\r\n', '\n') === edit.replace.replaceAll('\r\n', '\n')) {
    return refusal('no_op', where, 'Search and replacement are the same text: the edit changes nothing.');
  }
  return null;
}
