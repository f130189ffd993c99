import type { Usage } from '../../core/index.ts';
import { addUsage, noUsage } from '../budget.ts';
import { onCut } from './on-cell.ts';
import { type AnalysisState, closing, type EventOf, withNote } from './state.ts';
import { runEnded } from './subtask-end.ts';
import { toAsk } from './turns.ts';

export const addSpent = (state: AnalysisState, usage: Usage): AnalysisState => ({
  ...state,
  spent: addUsage(state.spent, usage),
});
export const charge = (state: AnalysisState, wallMs: number) => addSpent(state, { ...noUsage, wallMs });
export const idOf = ({ parts }: AnalysisState): string | null => parts.at(-1)?.subtask.id ?? null;

/** While a plan is made no subtask has begun: the run itself ends, when it next asks for something. */
export function onExhausted(state: AnalysisState, { which }: EventOf<'exhausted'>): AnalysisState {
  const { limits } = state.spec;
  const key = which === 'cost' ? 'costUsd' : which === 'wall' ? 'wallMs' : which;
  const used = state.spent[key] ?? 0;
  const end = { status: 'budget_exhausted' as const, which, used, limit: limits[key] ?? used };
  if (state.phase.at === 'planning')
    return { ...state, phase: { at: 'ended', end: { ...end, subtask: null } } };
  return closing(state, end);
}

/** A message takes back a claim to be done that is not decided yet: the model has to hear it. */
export function onSteered(state: AnalysisState, text: string): AnalysisState {
  const heard = { ...state, steering: [...state.steering, text] };
  if (state.phase.at === 'planning' || state.phase.at === 'ended') return heard;
  const noted = withNote(heard, text, 'user');
  const claimed =
    state.phase.at === 'subtask_complete' ||
    (state.phase.at === 'closing' && state.phase.end.status === 'complete');
  return claimed ? toAsk(noted) : noted;
}

/** Another process has no kernel yet. A cell that was cut is not run again by itself: nobody knows what it did. */
export function onResumed(state: AnalysisState, { lost }: EventOf<'resumed'>): AnalysisState {
  const charged = lost === null ? state : { ...addSpent(state, lost), lost: addUsage(state.lost, lost) };
  const kernel = { ...state.kernel, is: 'none' as const, losses: 0 };
  const resumed = { ...charged, kernel, calls: { ...state.calls, inFlight: null }, halted: null };
  const cut = state.pending?.effect;
  if (cut?.kind !== 'cell' || cut.purpose === 'check' || state.phase.at !== 'code_executing') return resumed;
  return onCut({ ...resumed, pending: null }, cut);
}

export function onFailed(
  state: AnalysisState,
  { code, detail, fix }: EventOf<'effect_failed'>,
): AnalysisState {
  const subtask = idOf(state);
  switch (code) {
    case 'provider':
    case 'environment': {
      // The failures that led here are asked for again: they may have gone away by then.
      const answered = state.calls.past.findLastIndex(({ result }) => result.ok) + 1;
      const calls = { past: state.calls.past.slice(0, answered), inFlight: null };
      return { ...state, calls, halted: { status: 'environment_error', detail, fix, subtask } };
    }
    case 'internal': {
      const end = { status: 'error' as const, detail, fix };
      if (subtask === null || state.phase.at === 'closing') return runEnded(state, { ...end, subtask });
      return closing(state, end);
    }
  }
}
