import { statSync } from 'node:fs';
import { z } from 'zod';
import { AssayError, type FileChange, type RepairEvent } from '../core/index.ts';
import { repairFiles } from '../loop/index.ts';
import { applyDiff, applyToTree, invertChanges, treeReader, treeState } from '../patch/index.ts';
import { isScrubbed, type Run } from '../store/index.ts';

const filesSchema = z.object({ dir: z.string(), files: z.record(z.string(), z.string()) });

/** `files`: the paths of the patch. `already`: they were as they were to be, and nothing was written. */
export type Written = { dir: string; files: string[]; already: boolean };

/**
 * Writes a run's patch to the user's files, or with `undo` takes it out again: all of it or nothing, and only where
 * the files are as they were when the run began, or as the patch left them. What an earlier attempt was cut in is
 * finished.
 *
 * @throws AssayError `changed` where a file is not what it was; `environment` where the disk refuses; `input` where
 * the run folder does not tell enough.
 */
export async function applyPatch(
  run: Run<RepairEvent>,
  diff: string,
  { undo = false }: { undo?: boolean } = {},
): Promise<Written> {
  if (isScrubbed(diff)) throw scrubbed(run.id);
  const { dir, files } = await filesAtStart(run);
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw gone(run.id, dir);
  const hashes = new Map(Object.entries(files));
  const applied = applyDiff(diff, treeReader(dir, { hardLinks: true }), hashes);
  if (!applied.ok)
    throw undo ? notAsLeft(run.id, dir, applied.path) : changed(dir, applied.path, applied.because);
  const { changes } = applied;
  const written = { dir, files: changes.map((change: FileChange) => change.path) };
  if (treeState(dir, changes) === (undo ? 'before' : 'after')) return { ...written, already: true };
  if (undo) applyToTree({ root: dir, changes: invertChanges(changes), finish: true });
  else applyToTree({ root: dir, changes, expectedHashes: hashes, finish: true });
  return { ...written, already: false };
}

async function filesAtStart(run: Run<RepairEvent>): Promise<z.infer<typeof filesSchema>> {
  const recorded = await run.readFile(repairFiles.files);
  const parsed = filesSchema.safeParse(recorded === null ? null : tryJson(recorded.toString('utf8')));
  if (parsed.success) return parsed.data;
  throw new AssayError({
    code: 'input',
    message: `${run.id} does not say what your files were at its start`,
    because: `${repairFiles.files} in its folder is ${recorded === null ? 'missing' : 'damaged'}`,
    fix: `look at the patch (assay show ${run.id} --patch) and apply it with git apply`,
  });
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function changed(dir: string, path: string, because: string): AssayError {
  return new AssayError({
    code: 'changed',
    message: `${path} in ${dir} is not what it was when the run began; nothing was written`,
    because,
    fix: 'put the file back as it was, or run assay fix again on what it is now',
  });
}

function notAsLeft(id: string, dir: string, path: string): AssayError {
  return new AssayError({
    code: 'changed',
    message: `${path} in ${dir} is not as the patch left it; nothing was written`,
    because: 'it was changed after the patch was applied, and that change would be lost',
    fix: `take your own change out first, or only the patch: assay show ${id} --patch | git apply -R`,
  });
}

function gone(id: string, dir: string): AssayError {
  return new AssayError({
    code: 'changed',
    message: `The folder ${dir} is gone`,
    fix: `put it back, or apply the patch elsewhere: assay show ${id} --patch | git apply`,
  });
}

/** Written as it stands, it would put the mark into the user's file in place of the secret. */
function scrubbed(id: string): AssayError {
  return new AssayError({
    code: 'input',
    message: `The patch of ${id} cannot be written; nothing was`,
    because: 'its lines hold a secret, which the run folder does not keep',
    fix: `run assay fix again with --write, which writes before the secret is left out; or make the change by hand: assay show ${id} --patch`,
  });
}
