import type {
  Alternative,
  Clock,
  Edit,
  Proposed,
  Refusal,
  RepairEffect,
  RepairEnd,
  RepairEvent,
  Report,
} from '../core/index.ts';
import type { CallLog, Feedback, Proposer } from '../propose/index.ts';
import { type Left, refusalOf } from './budget.ts';
import { callLog } from './call-log.ts';
import type { Budget, Effects } from './drive.ts';
import { excerptOf } from './excerpt.ts';
import { feedbackOf } from './feedback.ts';
import { type EventOf, type Layers, layersOf, type RepairState } from './repair-state.ts';
import { stageLeft } from './stages.ts';

/** What judging one patched state needs to know. */
export type TestOptions = {
  layers: Layers;
  /** The digest that `apply` gave for these layers; another one now means that the ground has changed. */
  state: string;
  /** Ids left out of the verdict. */
  flaky: readonly string[];
  /** The run without a patch; time limits are derived from it. */
  baseline: Report;
  signal: AbortSignal;
};

export type CandidateBatch = { tried: number; passed: number; hung: number; wallMs: number };

export type ProposeRequest = {
  feedback: Feedback;
  /** Which of the proposers is asked. */
  stage: number;
  left: Left;
  layers: Layers;
  /** Journals candidates that were judged. */
  onBatch: (batch: CandidateBatch) => Promise<void>;
  calls: CallLog;
  signal: AbortSignal;
};

/**
 * What the repair loop does to the world. Reports are whole; the loop cuts them for the journal. Each rejects
 * with an AssayError where it cannot be done at all, and with anything when `signal` aborts.
 */
export type RepairEffects = {
  baseline(options: { again: boolean; signal: AbortSignal }): Promise<Report>;
  propose(request: ProposeRequest): Promise<Proposed>;
  apply(options: {
    layers: Layers;
    edits: Edit[];
    /** Other patches of the proposal, on the same layers, whose diffs are wanted for the result. */
    alternatives: Alternative[];
    signal: AbortSignal;
  }): Promise<ApplyOutcome>;
  test(options: TestOptions): Promise<Report>;
  /** `report`: the visible tests only; nothing in it comes from a held-out test. */
  confirm(options: TestOptions): Promise<Confirmation>;
};

export type ApplyOutcome =
  | {
      kind: 'applied';
      diff: string;
      state: string;
      alternatives: { motivation: string; diff: string }[];
    }
  | { kind: 'refused'; refusals: Refusal[] };

export type Confirmation = {
  agreed: boolean;
  report: Report;
  /** With the held-out tests; an artifact for the user, never shown to a proposer. */
  whole: Report;
  heldOut: { total: number; passed: number } | null;
};

/** Stores a whole report and returns its artifact name. */
export type KeepReport = (report: Report) => Promise<string>;

/** Turns the effects into journal events, timed by `clock`. */
export function eventsOf(options: {
  effects: RepairEffects;
  clock: Clock;
  keep?: KeepReport;
}): Effects<RepairState, RepairEvent, RepairEffect> {
  const { effects, clock, keep } = options;
  const reported = async (report: Report, whole = report) => ({
    report: excerptOf(report),
    ...(keep === undefined ? {} : { artifact: await keep(whole) }),
  });
  return {
    async perform({ effect, state, signal, emit }) {
      const startedMs = clock.monotonicMs();
      const wallMs = () => Math.max(0, clock.monotonicMs() - startedMs);
      switch (effect.kind) {
        case 'baseline': {
          const { again } = effect;
          const report = await reported(await effects.baseline({ again, signal }));
          return [{ type: 'baseline_tested', again, wallMs: wallMs(), ...report }];
        }
        case 'propose': {
          const { round } = effect;
          const onBatch = (batch: CandidateBatch) => emit({ type: 'candidates', round, ...batch });
          const calls = callLog({ round, past: state.calls.past, emit });
          const proposed = await effects.propose({ ...proposalOf(state), onBatch, calls, signal });
          // The loop's own clock counts: a proposer's wall time is its word only.
          const usage = { ...proposed.usage, wallMs: wallMs() };
          return [{ type: 'proposed', round, proposed: { ...proposed, usage } }];
        }
        case 'apply':
          return [await applied({ effects, state, round: effect.round, signal, wallMs })];
        case 'test': {
          const report = await reported(await effects.test({ ...trialOf(state), signal }));
          return [{ type: 'tested', round: effect.round, again: effect.again, wallMs: wallMs(), ...report }];
        }
        case 'confirm': {
          const { agreed, heldOut, report, whole } = await effects.confirm({ ...trialOf(state), signal });
          const kept = await reported(report, whole);
          return [{ type: 'confirmed', round: effect.round, agreed, heldOut, wallMs: wallMs(), ...kept }];
        }
      }
    },
  };
}

async function applied(options: {
  effects: RepairEffects;
  state: RepairState;
  round: number;
  signal: AbortSignal;
  wallMs: () => number;
}): Promise<EventOf<'applied'> | EventOf<'refused'>> {
  const { effects, state, round, signal, wallMs } = options;
  const { phase } = state;
  if (phase.at !== 'applying') throw new Error(`nothing to apply while ${phase.at}`);
  const { motivation, edits, rest, first } = phase.trial;
  const { layers } = phase.base;
  const outcome = await effects.apply({ layers, edits, alternatives: first ? rest : [], signal });
  if (outcome.kind === 'refused')
    return { type: 'refused', round, refusals: outcome.refusals, wallMs: wallMs() };
  const { diff, state: digest, alternatives } = outcome;
  const others = first ? { alternatives } : {};
  return { type: 'applied', round, motivation, diff, state: digest, ...others, wallMs: wallMs() };
}

function proposalOf(state: RepairState) {
  const { phase } = state;
  if (phase.at !== 'proposing') throw new Error(`no proposal is due while ${phase.at}`);
  const left = stageLeft(state);
  // Time kept back to test and confirm what is proposed; never more than half, so that there is something to propose.
  const wallMs = Math.max(left.wallMs - 2 * state.testWallMs, left.wallMs / 2);
  return {
    feedback: feedbackOf(state),
    stage: state.stage,
    left: { ...left, wallMs },
    layers: phase.base.layers,
  };
}

function trialOf(state: RepairState) {
  const { phase, flaky, baseline } = state;
  if ((phase.at !== 'testing' && phase.at !== 'confirming') || baseline === null)
    throw new Error(`no test is due while ${phase.at}`);
  const { base, trial } = phase;
  return { layers: layersOf(base, trial), state: trial.state, flaky, baseline };
}

/**
 * A test run is projected at the time the unpatched one took, a proposal at what its proposer says.
 * @param proposers one for each stage
 */
export function repairBudget(
  proposers: readonly Pick<Proposer, 'project'>[],
): Budget<RepairState, RepairEffect, RepairEnd> {
  return {
    project(state, effect) {
      switch (effect.kind) {
        case 'baseline':
        case 'test':
        case 'confirm':
          return { wallMs: state.testWallMs };
        case 'propose':
          // It may use any of them, so none may be used up; what it does not project, it watches by itself. Candidates
          // are for the search alone, which says when they are used up: that is no reason not to ask a model.
          return {
            tokens: 0,
            costUsd: 0,
            wallMs: 0,
            ...proposers[state.stage]?.project?.(feedbackOf(state)),
          };
        case 'apply':
          return {};
      }
    },
    refuse(state, projection) {
      const excess = refusalOf({ limits: state.spec.limits, spent: state.spent, projection });
      if (excess === null) return null;
      const { which, used, limit } = excess;
      const name = which === 'costUsd' ? 'cost' : which === 'wallMs' ? 'wall' : which;
      return { status: 'budget_exhausted', which: name, used, limit };
    },
  };
}
