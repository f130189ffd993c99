import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import path from 'node:path';
import type { FileChange, Refusal } from '../core/index.ts';
import type { Project } from '../lab/index.ts';
import { composeChanges, type Found, type PlanPolicy, planEdits, type ReadFile } from '../patch/index.ts';
import type { Layers } from './repair-state.ts';

/** Files that edits are planned on. */
export type Ground = { files: readonly string[]; read: ReadFile; policy: PlanPolicy };

export type Laid =
  | { ok: true; changes: FileChange[] }
  /** `layer`: 0-based index of the layer that cannot be laid. */
  | { ok: false; layer: number; refusals: Refusal[] };

/** Plans each layer on the ones before it; the changes are against `ground`. The same layers give the same bytes. */
export function layEdits(ground: Ground, layers: Layers): Laid {
  let changes: FileChange[] = [];
  for (const [layer, edits] of layers.entries()) {
    const planned = planEdits({ edits, ...withChanges(ground, changes) });
    if (!planned.ok) return { ok: false, layer, refusals: planned.refusals };
    changes = composeChanges(changes, planned.patch.changes);
  }
  return { ok: true, changes };
}

/** `ground` as it is after `changes`. */
export function withChanges(ground: Ground, changes: readonly FileChange[]): Ground {
  const changed = new Map(changes.map((change) => [change.path, change]));
  const kept = ground.files.filter((file) => !changed.has(file));
  const left = changes.flatMap((change) => (change.after === null ? [] : [change.path]));
  return {
    files: [...kept, ...left].toSorted(),
    policy: ground.policy,
    read(file) {
      const change = changed.get(file);
      if (change === undefined) return ground.read(file);
      return change.after === null ? null : { bytes: change.after, mode: change.mode };
    },
  };
}

/** sha256 of a patched state: equal for equal changes against the same ground, whatever edits led there. */
export function digestOf(changes: readonly FileChange[]): string {
  const lines = changes
    .map(({ path: file, after, mode }) =>
      JSON.stringify([file, after === null ? null : [mode, sha256(after)]]),
    )
    .toSorted();
  return sha256(Buffer.from(lines.join('\n')));
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The ground of a project's pristine copy, with its own protections. */
export function groundOf(project: Project): Ground {
  const known = new Set(project.files);
  return {
    files: project.files,
    policy: {
      protectedBecause: (file) => project.protectedBecause(file),
      autoLoaded: (file) => project.autoLoaded(file),
    },
    read: (file) =>
      known.has(file)
        ? { bytes: project.read(file), mode: project.mode(file) }
        : outside(path.join(project.dir, file)),
  };
}

/** What stands in the user's folder where the snapshot has nothing: a patch must not write through or over it. */
function outside(file: string): Found {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (found.isSymbolicLink()) return { special: 'symlink' };
  return { special: found.isDirectory() ? 'folder' : 'other' };
}
