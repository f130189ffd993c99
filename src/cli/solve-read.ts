import { type AnalysisEvent, type AnalysisResult, AssayError, analysisEventSchema } from '../core/index.ts';
import { type AnalysisState, analysisResultOf, foldAnalysis } from '../loop/index.ts';
import type { Run } from '../store/index.ts';
import type { CliContext } from './context.ts';
import { OfRun } from './of-run.ts';
import { openRunOf } from './open-run.ts';

export type ReadAnalysis = {
  run: Run<AnalysisEvent>;
  events: AnalysisEvent[];
  result: AnalysisResult;
  /** It has no end yet, and no process works on it. */
  resumable: boolean;
};

/** @throws as `openRun` */
export const openAnalysis = (context: CliContext, id: string) => openRunOf(context, id, analysisEventSchema);

/**
 * An analysis as its folder tells it: everything is a fold of its events.
 * @throws as `openRun`
 */
export function readAnalysis(context: CliContext, id: string): ReadAnalysis {
  const { run, events } = openAnalysis(context, id);
  let state: AnalysisState | null = null;
  for (const event of events) state = foldAnalysis(state, event);
  if (state === null) throw cutBefore(run.id);
  const result = analysisResultOf({ state, run: run.id, dir: run.dir });
  if (state.phase.at === 'ended') return { run, events, result, resumable: false };
  if (!run.live) return { run, events, result, resumable: true };
  const running = { ...result, status: 'running', reason: 'a process works on it now' };
  return { run, events, result: running, resumable: false };
}

export function cutBefore(run: string): OfRun {
  const cause = new AssayError({
    code: 'input',
    message: `${run} was cut before it began: its journal is empty.`,
    fix: 'start it again with assay solve; `assay runs prune` removes what is left',
  });
  return new OfRun({ run, cut: false, cause });
}
