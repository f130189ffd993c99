import type { AnalysisEnd, SubtaskEnd } from '../../core/index.ts';
import { type AnalysisState, beginPart, type EventOf, partOf, withPart } from './state.ts';

/** The next subtask begins, also after one that failed: what it found is told. Not after an end of the whole run's. */
export function onSubtaskEnded(state: AnalysisState, { end }: EventOf<'subtask_ended'>): AnalysisState {
  const closed = withPart(state, { end });
  const left = closed.parts.length < closed.subtasks.length;
  if (left && !endsRun(end)) return beginPart(closed);
  return { ...closed, phase: { at: 'ended', end: endOfRun(closed) } };
}

function endsRun(end: SubtaskEnd): boolean {
  switch (end.status) {
    case 'budget_exhausted':
    case 'kernel_lost':
    case 'aborted':
    case 'error':
      return true;
    case 'complete':
    case 'checks_failed':
    case 'retry_limit':
    case 'turn_limit':
    case 'stuck':
      return false;
  }
}

/** `complete` where every subtask is, else as the first that is not. */
function endOfRun({ parts }: AnalysisState): AnalysisEnd {
  const failed = parts.find(({ end }) => end !== null && end.status !== 'complete');
  if (failed?.end == null || failed.end.status === 'complete')
    return { status: 'complete', verification: 'not_run' };
  return { ...failed.end, subtask: failed.subtask.id };
}

/** The run is over; a subtask that is still open ends as the run does. */
export function runEnded(state: AnalysisState, end: AnalysisEnd): AnalysisState {
  const over: AnalysisState = { ...state, phase: { at: 'ended', end }, pending: null, halted: null };
  if (state.parts.length === 0 || partOf(state).end !== null) return over;
  return withPart(over, { end: ofSubtask(end) });
}

function ofSubtask(end: AnalysisEnd): SubtaskEnd {
  if (end.status === 'complete') return end;
  const { subtask: _, ...rest } = end;
  if (rest.status !== 'environment_error') return rest;
  return { status: 'error', detail: rest.detail, fix: rest.fix };
}
