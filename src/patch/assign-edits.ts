import type { Edit, Refusal } from '../core/index.ts';
import type { PlanContext } from './check-edit.ts';
import { refusal } from './refusal.ts';

type Indexed<E> = { edit: E; index: number };
export type ReplaceEdit = Extract<Edit, { op: 'replace' }>;
type RemovalEdit = Extract<Edit, { op: 'delete' | 'rename' }>;
type CreateEdit = Extract<Edit, { op: 'create' }>;

/** Everything a proposal does to one path. `removal` and `replaces` speak of the file that was there before. */
export type FileEdits = {
  path: string;
  removal: Indexed<RemovalEdit> | null;
  replaces: Indexed<ReplaceEdit>[];
  creation: Indexed<CreateEdit> | null;
};

/** Sorts edits by the file they mean, and refuses those that contradict each other or what exists. */
export function assignEdits(
  edits: readonly (readonly [number, Edit])[],
  context: PlanContext,
): { files: FileEdits[]; refusals: Refusal[] } {
  const files = new Map<string, FileEdits>();
  const refusals: Refusal[] = [];
  const fileAt = (path: string): FileEdits => {
    const file = files.get(path) ?? { path, removal: null, replaces: [], creation: null };
    files.set(path, file);
    return file;
  };
  const keep = (problem: Refusal | null) => {
    if (problem !== null) refusals.push(problem);
    return problem === null;
  };
  const indexed = edits.map(([index, edit]) => ({ index, edit }));
  const targets = new Map<string, string>();

  for (const { index, edit } of indexed) {
    if (edit.op !== 'delete' && edit.op !== 'rename') continue;
    const file = fileAt(edit.path);
    if (!keep(checkRemoval(file, edit, index, context))) continue;
    file.removal = { edit, index };
  }
  for (const { index, edit } of indexed) {
    if (edit.op !== 'create' && edit.op !== 'rename') continue;
    if (refusals.some((problem) => problem.edit === index)) continue;
    const path = edit.op === 'create' ? edit.path : edit.to;
    const mayReplace = edit.op === 'create' && files.get(path)?.removal != null;
    if (!keep(checkTarget({ path, edit, index, taken: targets.has(path), mayReplace }, context))) continue;
    targets.set(path, edit.op === 'rename' ? edit.path : path);
    if (edit.op === 'create') fileAt(path).creation = { edit, index };
  }
  for (const { index, edit } of indexed) {
    if (edit.op !== 'replace') continue;
    const original = context.read(edit.path) === null ? (targets.get(edit.path) ?? edit.path) : edit.path;
    const file = fileAt(original);
    if (keep(checkReplace(file, edit, index, context))) file.replaces.push({ edit, index });
  }
  return { files: [...files.values()], refusals };
}

function checkRemoval(
  file: FileEdits,
  edit: RemovalEdit,
  index: number,
  context: PlanContext,
): Refusal | null {
  const where = { path: edit.path, edit: index };
  if (file.removal !== null) {
    return refusal('overlap', where, `Edit ${file.removal.index} already deletes or renames ${edit.path}.`);
  }
  if (edit.op === 'rename' && edit.to === edit.path) {
    return refusal('no_op', where, `${edit.path} is renamed to itself.`);
  }
  if (edit.op === 'rename' && context.read(edit.path) === null && context.read(edit.to) !== null) {
    return refusal(
      'already_applied',
      where,
      `${edit.path} is gone and ${edit.to} exists: it is renamed already.`,
    );
  }
  return null;
}

type Target = {
  path: string;
  edit: CreateEdit | RemovalEdit;
  index: number;
  taken: boolean;
  mayReplace: boolean;
};

function checkTarget(
  { path, edit, index, taken, mayReplace }: Target,
  { read }: PlanContext,
): Refusal | null {
  const where = { path, edit: index };
  if (taken) return refusal('exists', where, `Another edit of the proposal already creates ${path}.`);
  const found = read(path);
  if (found === null || mayReplace) return null;
  const same =
    edit.op === 'create' && 'bytes' in found && Buffer.from(edit.content).equals(Buffer.from(found.bytes));
  if (same) return refusal('already_applied', where, `${path} exists with this very content.`);
  const advice = edit.op === 'create' ? 'change it with replace' : 'choose another name, or delete it first';
  return refusal('exists', where, `${path} exists already: ${advice}.`);
}

function checkReplace(
  file: FileEdits,
  edit: ReplaceEdit,
  index: number,
  context: PlanContext,
): Refusal | null {
  const where = { path: edit.path, edit: index };
  if (file.removal?.edit.op === 'delete') {
    return refusal('overlap', where, `Edit ${file.removal.index} deletes ${edit.path}.`);
  }
  if (file.creation !== null && context.read(file.path) === null) {
    const message = `Edit ${file.creation.index} creates ${edit.path}: put the text into its content.`;
    return refusal('missing_file', where, message);
  }
  return null;
}
