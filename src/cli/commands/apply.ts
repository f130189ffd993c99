import { AssayError } from '../../core/index.ts';
import { applyPatch } from '../apply-patch.ts';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { readResult } from '../read-run.ts';

/** `assay apply RUN`: the one command beside `--write` that touches the user's files. */
export async function applyCommand(
  context: CliContext,
  id: string,
  options: { force?: boolean },
): Promise<ExitCode> {
  const { run, result } = await readResult(context, id);
  if (result.patch === null) {
    throw new AssayError({
      code: 'usage',
      message: `${run.id} has no patch: ${result.reason}.`,
      fix: `assay show ${run.id} tells what it tried`,
    });
  }
  if (result.status !== 'done' && !options.force) {
    throw new AssayError({
      code: 'usage',
      message: `The patch of ${run.id} does not make everything pass (${result.status}).`,
      fix: `look at it with assay show ${run.id} --patch; to write it all the same: assay apply ${run.id} --force`,
    });
  }
  const { dir, files } = await applyPatch(run, result.patch);
  for (const file of files) context.terminal.result(file);
  context.terminal.say(`${files.length === 1 ? '1 file' : `${files.length} files`} written in ${dir}`);
  return exitCodes.ok;
}
