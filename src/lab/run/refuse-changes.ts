import type { FileChange } from '../../core/index.ts';
import type { Project } from '../types.ts';

/**
 * Paths a patch may not touch, whoever let it come this far: protected ones, and new ones that the framework or the
 * interpreter would load by itself.
 */
export function refusedPaths(project: Project, changes: readonly FileChange[]): string[] {
  const existing = new Set(project.files);
  return changes
    .filter(
      ({ path, after }) =>
        project.protectedBecause(path) !== null ||
        (after !== null && !existing.has(path) && project.autoLoaded(path)),
    )
    .map((change) => change.path);
}
