import path from 'node:path';
import type { AnalysisResult } from '../core/index.ts';
import { analysisFiles } from '../loop/index.ts';

/** What to do now, one step a line; there is always one. */
export function nextOfSolve(result: AnalysisResult, { resumable }: { resumable: boolean }): string[] {
  const { status, run, dir, fix } = result;
  const notebook = path.join(dir, analysisFiles.notebook);
  if (status === 'running') return [`assay show ${run} tells what came of it when it is over`];
  if (resumable) {
    const first = fix === null ? [] : [fix];
    return [...first, `assay resume ${run} goes on with it`];
  }
  switch (status) {
    case 'complete':
      return [`open ${notebook}: every number has the cell it came from`];
    case 'checks_failed':
      return result.cells === 0
        ? ['nothing was computed, so the answer above stands on nothing: try another model (--model)']
        : [
            'the answer above is not borne out: the notebook shows the cells, and the failed checks if there are',
          ];
    case 'retry_limit':
      return ['another model (--model), more tries (--max-retries), or a task in smaller parts'];
    case 'turn_limit':
      return ['more replies (--max-turns), or a task in smaller parts: a heading for each'];
    case 'stuck':
      return ['another model (--model), or a task that says more; the notebook shows what was tried'];
    case 'budget_exhausted':
      return [`run it again with more: ${limitOf(result)}`];
    default:
      return [fix ?? `assay show ${run} shows every step`];
  }
}

function limitOf({ subtasks }: AnalysisResult): string {
  const end = subtasks.map((part) => part.end).find((each) => each?.status === 'budget_exhausted');
  const which = end?.status === 'budget_exhausted' ? end.which : null;
  switch (which) {
    case 'tokens':
      return '--max-tokens';
    case 'cost':
      return '--max-cost';
    case 'wall':
      return '--timeout';
    default:
      return '--max-tokens, --max-cost, --timeout';
  }
}
