import { z } from 'zod';
import { AssayError, type FileChange, type RepairEvent } from '../core/index.ts';
import { repairFiles } from '../loop/index.ts';
import { applyDiff, applyToTree, treeReader } from '../patch/index.ts';
import type { Run } from '../store/index.ts';

const filesSchema = z.object({ dir: z.string(), files: z.record(z.string(), z.string()) });

/**
 * Writes a run's patch to the user's files: all of it or nothing, and only where the files are as they were when the
 * run began.
 *
 * @returns the paths that were written.
 * @throws AssayError `changed` where a file is not what it was; `environment` where the disk refuses.
 */
export async function applyPatch(
  run: Run<RepairEvent>,
  diff: string,
): Promise<{ dir: string; files: string[] }> {
  const recorded = await run.readFile(repairFiles.files);
  if (recorded === null) {
    throw new AssayError({
      code: 'input',
      message: `${run.id} does not say what your files were at its start.`,
      fix: `look at the patch (assay show ${run.id} --patch) and apply it with git apply`,
    });
  }
  const { dir, files } = filesSchema.parse(JSON.parse(recorded.toString('utf8')));
  const applied = applyDiff(diff, treeReader(dir, { hardLinks: true }));
  if (!applied.ok) throw changed(dir, applied.path, applied.because);
  const { changes } = applied;
  applyToTree({ root: dir, changes, expectedHashes: new Map(Object.entries(files)) });
  return { dir, files: changes.map((change: FileChange) => change.path) };
}

function changed(dir: string, path: string, because: string): AssayError {
  return new AssayError({
    code: 'changed',
    message: `${path} in ${dir} is not what it was when the run began; nothing was written.`,
    because,
    fix: 'put the file back as it was, or run assay fix again on what it is now',
  });
}
