import { AssayError } from '../../core/index.ts';
import { applyPatch } from '../apply-patch.ts';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { OfRun } from '../of-run.ts';
import { type ReadRun, readResult } from '../read-run.ts';

export type ApplyCliOptions = { force?: boolean; json?: boolean };

/** `assay apply RUN`: the one command beside `--write` that touches the user's files. */
export async function applyCommand(
  context: CliContext,
  id: string,
  options: ApplyCliOptions,
): Promise<ExitCode> {
  const { terminal } = context;
  const read = await readResult(context, id);
  const { run } = read;
  try {
    const { dir, files, already } = await applyPatch(run, patchOf(read, options));
    if (options.json) {
      terminal.result(JSON.stringify({ schema: 'assay-apply/1', run: run.id, dir, files, already }));
      return exitCodes.ok;
    }
    for (const file of files) terminal.result(file);
    const count = files.length === 1 ? '1 file' : `${files.length} files`;
    terminal.say(
      already ? `the patch is in ${dir} already; nothing was written` : `${count} written in ${dir}`,
    );
    return exitCodes.ok;
  } catch (error) {
    throw new OfRun({ run: run.id, cut: false, cause: error });
  }
}

function patchOf({ run, result }: ReadRun, { force }: ApplyCliOptions): string {
  if (result.patch === null) {
    throw new AssayError({
      code: 'usage',
      message: `${run.id} has no patch`,
      because: result.reason,
      fix: `assay show ${run.id} tells what it tried`,
    });
  }
  if (result.status !== 'done' && !force) {
    throw new AssayError({
      code: 'usage',
      message: `The patch of ${run.id} does not make everything pass (${result.status})`,
      fix: `look at it with assay show ${run.id} --patch; to write it all the same: assay apply ${run.id} --force`,
    });
  }
  return result.patch;
}
