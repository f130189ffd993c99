import type { RepairEnd } from '../core/index.ts';
import { type Base, noCalls, noTrouble, type Phase, type RepairState, type Trial } from './repair-state.ts';
import { endsStageOnly, isLastStage, stageWall } from './stages.ts';
import { failingCount } from './standing.ts';

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
  if (alternative === undefined) return ask({ ...state, round }, base);
  return {
    ...state,
    round,
    phase: { at: 'applying', base, trial: { ...alternative, rest: others, first: false } },
  };
}

/** The proposer is due, unless its stage has used up the time it may take. */
export function ask(state: RepairState, base: Base): RepairState {
  const { used, limit } = stageWall(state);
  if (!isLastStage(state) && used >= limit)
    return giveUp(state, base, { status: 'budget_exhausted', which: 'wall', used, limit });
  return { ...state, phase: { at: 'proposing', base } };
}

/** The proposer at work can do no more: the next one takes over, or the run ends. `base`: the ground it worked on. */
export function giveUp(state: RepairState, base: Base, end: RepairEnd): RepairState {
  if (isLastStage(state) || !endsStageOnly(end, state)) return ended(state, end);
  const ground = bestGround(state, base, null);
  const next = {
    ...state,
    stage: state.stage + 1,
    stageStart: state.spent,
    handedOver: [...state.handedOver, end],
    calls: noCalls,
    // As at the start of a run: a patch that changes nothing on this ground is one that says nothing new.
    last: ground.report,
    ...noTrouble,
  };
  return tryNext(next, ground, []);
}

/** The patch just kept unless an earlier one of the same proposal was better; else the ground as it was. */
export function bestGround(state: RepairState, base: Base, kept: Base | null): Base {
  const count = (ground: Base) => failingCount(ground.report, state.flaky);
  const best = state.best?.unconfirmed === null ? state.best : null;
  if (kept !== null && (best === null || count(kept) <= best.failing)) return kept;
  return best !== null && best.failing < count(base) ? best : base;
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
