import type { AnalysisEvent } from '../core/index.ts';
import type { AnalysisState } from '../loop/index.ts';
import { describeSolveEvent } from './solve-describe.ts';

/** Tells an analysis event by event, each with the state after it: as lines, with one above what is of another subtask. */
export function solveStory(): (event: AnalysisEvent, state: AnalysisState) => string[] {
  let current: string | null = null;
  return (event, { subtasks, spec }) => {
    const lines = describeSolveEvent(event, spec.checks);
    if (event.type !== 'effect_started' || !('subtask' in event.effect)) return lines;
    const { subtask } = event.effect;
    if (subtask === current || subtasks.length < 2) return lines;
    current = subtask;
    const at = subtasks.findIndex(({ id }) => id === subtask);
    return [`subtask ${at + 1} of ${subtasks.length}: ${subtasks[at]?.title ?? subtask}`, ...lines];
  };
}
