import { type AnalysisState, closing, partOf } from './state.ts';

/** The model is asked next, unless its turns are used up. */
export function toAsk(state: AnalysisState, at: 'prompted' | 'reflection_retry' = 'prompted'): AnalysisState {
  const { turns } = state.spec.limits;
  if (partOf(state).turns >= turns) return closing(state, { status: 'turn_limit', limit: turns });
  return { ...state, phase: { at } };
}
