import { rmSync } from 'node:fs';
import type { AnalysisEvent } from '../core/index.ts';
import { type AnalysisOptions, type AnalysisRun, createInbox } from '../loop/index.ts';
import type { Run } from '../store/index.ts';
import type { CliContext } from './context.ts';
import { type ExitCode, exitCodeOfAnalysis } from './exit-codes.ts';
import { inRun, OfRun } from './of-run.ts';
import type { OutputOptions } from './perform-run.ts';
import { layOutFiles } from './solve-files.ts';
import { workFolder } from './solve-kernel.ts';
import { startSolveProgress } from './solve-progress.ts';
import { renderSolve, summariseSolve } from './solve-render.ts';
import { listenForSteering } from './solve-steering.ts';

export type PerformSolveOptions = {
  run: Run<AnalysisEvent>;
  output: OutputOptions;
  loop: (shared: Omit<AnalysisOptions, 'modelOf' | 'openKernel'>) => Promise<AnalysisRun>;
};

/**
 * Runs the loop with progress on stderr and what is typed meanwhile for the model, lays out the files it made, and shows
 * the result. The run is closed then.
 * @throws OfRun where the loop failed, or another process is at work on the run
 */
export async function performSolve(context: CliContext, options: PerformSolveOptions): Promise<ExitCode> {
  const { run, output, loop } = options;
  const { terminal, signal, clock } = context;
  // Before anything in its folder is touched: what another process works with there is that process's.
  inRun({ run: run.id, cut: false }, () => run.lock());
  const inbox = createInbox();
  let cell: number | null = null;
  const steering = listenForSteering(context, {
    send: (text) => inbox.put({ kind: 'steer', text }),
    interrupt: () => {
      if (cell !== null) inbox.put({ kind: 'interrupt' });
      return cell;
    },
  });
  const progress = startSolveProgress({
    terminal,
    clock,
    events: output.events === true,
    typed: steering.typed,
  });
  const { onProgress } = progress;
  const onEvent: typeof progress.onEvent = (event, state) => {
    cell = runningCell(event, cell);
    progress.onEvent(event, state);
  };
  let cut = true;
  try {
    terminal.say(terminal.paintProgress('dim', `run ${run.id}`));
    if (steering.listens) terminal.say(terminal.paintProgress('dim', steering.hint));
    const { result, end, resumable } = await loop({
      run,
      signal,
      clock,
      inbox,
      onEvent,
      onProgress,
    });
    cut = false;
    steering.end();
    progress.stop();
    await layOutFiles(run, result);
    if (output.json) terminal.result(JSON.stringify(result));
    if (output.json || output.events) terminal.say(summariseSolve(result, { resumable }));
    else terminal.result(renderSolve(result, { terminal, resumable }));
    return exitCodeOfAnalysis(end.status);
  } catch (error) {
    throw new OfRun({ run: run.id, cut, cause: error });
  } finally {
    steering.end();
    progress.stop();
    rmSync(workFolder(run.dir), { recursive: true, force: true });
    run.close();
  }
}

/** The cell that runs after an event, `before` it that one. What is typed meanwhile changes nothing in that. */
function runningCell(event: AnalysisEvent, before: number | null): number | null {
  if (event.type === 'steered') return before;
  return event.type === 'effect_started' && event.effect.kind === 'cell' ? event.effect.cell : null;
}
