import { type AnalysisState, beginPart, type EventOf, type Phase } from './state.ts';

/** Replies that are no plan, after which the task is worked on as it stands. */
const maxAttempts = 2;

export function onPlanned(
  state: AnalysisState,
  { attempt }: Extract<Phase, { at: 'planning' }>,
  { subtasks, problem }: EventOf<'planned'>,
): AnalysisState {
  if (problem === null && subtasks.length > 0) return beginPart({ ...state, subtasks });
  const because = problem ?? 'the plan has no subtask';
  if (attempt < maxAttempts)
    return { ...state, phase: { at: 'planning', attempt: attempt + 1, problem: because } };
  const warning = `the task was not split, for the model gave no plan: ${because}`;
  return beginPart({ ...state, warnings: [...state.warnings, warning] });
}
