import { AssayError } from '../../core/index.ts';
import { applyPatch } from '../apply-patch.ts';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { OfRun } from '../of-run.ts';
import { oneLine } from '../one-line.ts';
import { type ReadRun, readResult } from '../read-run.ts';
import { kindOfRun } from '../run-kind.ts';

export type ApplyCliOptions = { force?: boolean; undo?: boolean; json?: boolean };

/** `assay apply RUN`: the one command beside `--write` that touches the user's files. */
export async function applyCommand(
  context: CliContext,
  id: string,
  options: ApplyCliOptions,
): Promise<ExitCode> {
  const { terminal } = context;
  if (kindOfRun(context, id) === 'solve') throw noPatch(id);
  const read = await readResult(context, id);
  const { run } = read;
  try {
    const { undo = false } = options;
    const { dir, files, already } = await applyPatch(run, patchOf(read, options), { undo });
    if (options.json) {
      terminal.result(JSON.stringify({ schema: 'assay-apply/1', run: run.id, dir, files, already }));
      return exitCodes.ok;
    }
    for (const file of files) terminal.result(oneLine(file));
    terminal.say(sentence({ dir, count: files.length, already, undo }));
    return exitCodes.ok;
  } catch (error) {
    throw new OfRun({ run: run.id, cut: false, cause: error });
  }
}

const noPatch = (id: string) =>
  new AssayError({
    code: 'usage',
    message: `The run ${id} is an analysis: it has no patch`,
    fix: `assay show ${id} tells what it found and where its files are`,
  });

function sentence(done: { dir: string; count: number; already: boolean; undo: boolean }): string {
  const { dir, count, already, undo } = done;
  if (already) return `the patch is ${undo ? 'not' : 'already'} in ${dir}; nothing was written`;
  const files = count === 1 ? '1 file' : `${count} files`;
  return undo ? `${files} put back in ${dir}` : `${files} written in ${dir}`;
}

function patchOf({ run, result }: ReadRun, { force, undo }: ApplyCliOptions): string {
  if (result.patch === null) {
    throw new AssayError({
      code: 'usage',
      message: `${run.id} has no patch`,
      because: result.reason,
      fix: `assay show ${run.id} tells what it tried`,
    });
  }
  if (result.status !== 'done' && !force && !undo) {
    throw new AssayError({
      code: 'usage',
      message: `The patch of ${run.id} does not make everything pass (${result.status})`,
      fix: `look at it with assay show ${run.id} --patch; to write it all the same: assay apply ${run.id} --force`,
    });
  }
  return result.patch;
}
