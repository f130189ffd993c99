import type { RepairEvent, RepairResult } from '../core/index.ts';
import type { RepairOptions, RepairRun } from '../loop/index.ts';
import type { Run } from '../store/index.ts';
import { applyPatch, type Written } from './apply-patch.ts';
import type { CliContext } from './context.ts';
import { type ExitCode, exitCodeOfRepair } from './exit-codes.ts';
import { nextOf, withAdvice } from './next-steps.ts';
import { OfRun } from './of-run.ts';
import { startProgress } from './progress.ts';
import { renderFix, standingOf, summariseFix } from './render-fix.ts';
import { rememberPatches } from './whole-patches.ts';

export type OutputOptions = { json?: boolean; events?: boolean; write?: boolean };

export type PerformOptions = {
  run: Run<RepairEvent>;
  output: OutputOptions;
  loop: (shared: Omit<RepairOptions, 'proposers'>) => Promise<RepairRun>;
  /** What is done with the result with `--json`. Default: printed. */
  emit?: (result: RepairResult) => void;
};

export type Performed = { result: RepairResult; code: ExitCode };

/**
 * Runs the loop with progress on stderr, then writes the patch where that was asked for, and shows the result. The run
 * is closed then.
 * @throws OfRun where the loop or the writing failed.
 */
export async function performRun(context: CliContext, options: PerformOptions): Promise<Performed> {
  const { run, output, loop } = options;
  const { terminal, signal, clock } = context;
  const progress = startProgress({ terminal, clock, events: output.events === true });
  const { onEvent, onProgress } = progress;
  const emit = options.emit ?? ((result) => terminal.result(JSON.stringify(result)));
  const wholePatch = rememberPatches(run);
  let cut = true;
  try {
    terminal.say(terminal.paintProgress('dim', `run ${run.id}`));
    const { result, end, resumable, state } = await loop({ run, signal, clock, onEvent, onProgress });
    cut = false;
    progress.stop();
    const written =
      output.write === true && end.status === 'done'
        ? await tryToWrite(run, result.patch && wholePatch(result.patch))
        : null;
    const failed = written !== null && 'error' in written;
    const next = nextOf(context, state, result);
    const advised = withAdvice(result, next);
    // One object for each call: where writing failed, that is what has to be told.
    if (output.json && !failed) emit(advised);
    if (output.json || output.events) terminal.say(summariseFix(result, { resumable, next }));
    else {
      const standing = standingOf(state);
      const shown = { terminal, written: written !== null && !failed, standing, resumable, next };
      terminal.result(renderFix(result, shown));
    }
    if (failed) throw written.error;
    return { result: advised, code: exitCodeOfRepair(end.status) };
  } catch (error) {
    throw new OfRun({ run: run.id, cut, cause: error });
  } finally {
    progress.stop();
    run.close();
  }
}

async function tryToWrite(
  run: Run<RepairEvent>,
  patch: string | null,
): Promise<Written | { error: unknown } | null> {
  try {
    return patch === null ? null : await applyPatch(run, patch);
  } catch (error) {
    return { error };
  }
}
