import type { RepairEnd } from '../core/index.ts';
import type { Base, Phase, RepairState, Trial } from './repair-state.ts';

/** The phase of one kind. */
export type At<P extends Phase['at']> = Extract<Phase, { at: P }>;

/** Next: another patch of the same proposal, else a new proposal; each is a round of its own. */
export function tryNext(state: RepairState, base: Base, rest: Trial['rest']): RepairState {
  const { rounds } = state.spent;
  const limit = state.spec.limits.rounds;
  if (rounds >= limit)
    return ended(state, { status: 'budget_exhausted', which: 'rounds', used: rounds, limit });
  const round = rounds + 1;
  const [alternative, ...others] = rest;
  if (alternative === undefined) return { ...state, round, phase: { at: 'proposing', base } };
  return {
    ...state,
    round,
    phase: { at: 'applying', base, trial: { ...alternative, rest: others, first: false } },
  };
}

export const noteTrial = (
  state: RepairState,
  { motivation, edits }: Trial,
  outcome: string,
): RepairState => ({
  ...state,
  tried: [...state.tried, { round: state.round, motivation, outcome, edits }],
});

export const ended = (state: RepairState, end: RepairEnd): RepairState => ({
  ...state,
  phase: { at: 'ended', end },
});
