import { existsSync } from 'node:fs';
import type { FileChange, Refusal } from '../core/index.ts';
import type { Project } from '../lab/index.ts';
import {
  composeChanges,
  hashOf,
  type PlanPolicy,
  planEdits,
  type ReadFile,
  treeReader,
} from '../patch/index.ts';
import type { Layers } from './repair-state.ts';

/** Files that edits are planned on. */
export type Ground = { files: readonly string[]; read: ReadFile; policy: PlanPolicy };

export type Laid =
  | { ok: true; changes: FileChange[] }
  /** `layer`: 0-based index of the layer that cannot be laid. */
  | { ok: false; layer: number; refusals: Refusal[] };

/**
 * Plans each layer on the ones before it; the changes are against `ground`. The same layers give the same bytes.
 * @param from changes that are laid already
 */
export function layEdits(ground: Ground, layers: Layers, from: readonly FileChange[] = []): Laid {
  let changes = [...from];
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
      JSON.stringify([file, after === null ? null : [mode, hashOf(after)]]),
    )
    .toSorted();
  return hashOf(Buffer.from(lines.join('\n')));
}

/** The ground of a project's pristine copy, with its own protections. */
export function groundOf(project: Project): Ground {
  const known = new Set(project.files);
  return {
    files: project.files,
    policy: {
      protectedBecause: (file) => project.protectedBecause(file),
      autoLoaded: (file) => project.autoLoaded(file),
    },
    read: (file) => (known.has(file) ? { bytes: project.read(file), mode: project.mode(file) } : null),
  };
}

/**
 * The same for edits that are new: what the user's folder has where the snapshot has nothing is in their way, for a
 * patch must not write through or over it.
 */
export function userGroundOf(project: Project): Ground {
  const ground = groundOf(project);
  // A folder that is gone by now has nothing that could be in the way.
  const tree = existsSync(project.dir) ? treeReader(project.dir) : () => null;
  return {
    ...ground,
    read(file) {
      const known = ground.read(file);
      if (known !== null) return known;
      const found = tree(file);
      return found !== null && 'bytes' in found ? { special: 'other' } : found;
    },
  };
}
