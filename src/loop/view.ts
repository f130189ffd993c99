import type { RepairEnd, RepairEvent, Usage } from '../core/index.ts';
import { repairMachine } from './repair.ts';
import { type RepairState, startRepair } from './repair-state.ts';
import { handoversOf } from './result.ts';
import { stagesOf } from './stages.ts';
import { failingCount } from './standing.ts';

/** What a terminal or a page shows of a run: a fold of its events. */
export type RepairView = {
  /** `stopped`: stands still until it is resumed. */
  phase: 'baseline' | 'proposing' | 'applying' | 'testing' | 'confirming' | 'stopped' | 'ended';
  /** The proposer at work: the `stage`th of `stages`, from 1. */
  proposer: string;
  stage: number;
  stages: number;
  /** How the proposer before it came to its end, in one line; null for the first. */
  handover: string | null;
  round: number;
  rounds: number;
  /** Tests that fail without a patch; null before the baseline. */
  failingAtStart: number | null;
  /** Tests that fail on the ground the next patch is laid on. */
  failing: number | null;
  total: number | null;
  flaky: number;
  /** `wallMs`: active time up to the last event. */
  usage: Usage;
  /** The last round's outcome in one line. */
  lastOutcome: string | null;
  end: RepairEnd | null;
};

/** Folds one event more into the state that views are made of. The first event must be `run_started`. */
export function foldRepair(state: RepairState | null, event: RepairEvent): RepairState {
  if (state !== null) return repairMachine.evolve(state, event);
  if (event.type === 'run_started') return startRepair(event.spec);
  throw new Error(`the first event of a run is '${event.type}'`);
}

export function viewOf(state: RepairState): RepairView {
  const { phase, round, baseline, spent, flaky } = state;
  const { rounds: _, ...usage } = spent;
  const ids = stagesOf(state.spec);
  const ground = 'base' in phase ? phase.base.report : (state.best?.report ?? baseline);
  return {
    phase: state.halted === null ? phase.at : 'stopped',
    proposer: ids[state.stage] ?? state.spec.proposer,
    stage: state.stage + 1,
    stages: ids.length,
    handover: handoversOf(state).at(-1) ?? null,
    round,
    rounds: state.spec.limits.rounds,
    failingAtStart: baseline === null ? null : failingCount(baseline, flaky),
    failing: ground === null ? null : failingCount(ground, flaky),
    total: baseline?.summary.total ?? null,
    flaky: flaky.length,
    usage,
    lastOutcome: state.tried.at(-1)?.outcome ?? null,
    end: phase.at === 'ended' ? phase.end : null,
  };
}
