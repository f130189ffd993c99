import type { Edit, FileChange, Patch, Refusal } from '../core/index.ts';
import { assignEdits } from './assign-edits.ts';
import { checkEdit, type PlanContext, type PlanPolicy, type ReadFile } from './check-edit.ts';
import { diffOf } from './diff.ts';
import { addSpelling, spellingsOf } from './path-safety.ts';
import { planFile } from './plan-file.ts';
import { refusal } from './refusal.ts';

export type PlanOptions = {
  edits: readonly Edit[];
  read: ReadFile;
  /** Every existing path, for collisions of spelling and for "did you mean". */
  files: Iterable<string>;
  policy: PlanPolicy;
};

export type Planned = { ok: true; patch: Patch } | { ok: false; refusals: Refusal[] };

/**
 * Plans a whole proposal in memory: every edit holds or none does, and then every reason is told at once.
 *
 * All edits speak of the files as they are before the proposal, in any order. A `replace` may name a renamed
 * file by its old or its new path. `create` may take a path that the same proposal deletes or renames away;
 * `rename` may not. A created file takes no further edits, and two edits may not change the same text.
 */
export function planEdits({ edits, read, files, policy }: PlanOptions): Planned {
  if (edits.length === 0) {
    return {
      ok: false,
      refusals: [refusal('malformed', { path: '', edit: null }, 'The proposal has no edits.')],
    };
  }
  const context: PlanContext = { read: remember(read), spellings: spellingsOf(files), policy };
  const refusals: Refusal[] = [];
  const sound = [...edits.entries()].filter(([index, edit]) => {
    const problem = checkEdit(edit, index, context);
    if (problem !== null) refusals.push(problem);
    else if (edit.op === 'create') addSpelling(context.spellings, edit.path);
    else if (edit.op === 'rename') addSpelling(context.spellings, edit.to);
    return problem === null;
  });
  const assigned = assignEdits(sound, context);
  refusals.push(...assigned.refusals);
  const changes: FileChange[] = [];
  for (const file of assigned.files) {
    const planned = planFile(file, context);
    if (planned.ok) changes.push(...planned.changes);
    else refusals.push(...planned.refusals);
  }
  if (refusals.length > 0) {
    return { ok: false, refusals: refusals.toSorted((a, b) => (a.edit ?? -1) - (b.edit ?? -1)) };
  }
  const sorted = changes.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  return { ok: true, patch: { diff: diffOf(sorted), changes: sorted } };
}

/** One look at each path: a plan is about one moment. */
function remember(read: ReadFile): ReadFile {
  const seen = new Map<string, ReturnType<ReadFile>>();
  return (path) => {
    const known = seen.get(path);
    if (known !== undefined) return known;
    const found = read(path);
    seen.set(path, found);
    return found;
  };
}
