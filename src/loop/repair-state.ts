import type {
  Alternative,
  Edit,
  ModelResult,
  Projection,
  Refusal,
  RepairEffect,
  RepairEnd,
  RepairEvent,
  RepairSpec,
  Report,
  Usage,
} from '../core/index.ts';
import type { CallBudget } from '../propose/index.ts';
import { noUsage, type Spent } from './budget.ts';

/** Edits that are laid one after the other on the pristine project; each layer was planned on the ones before it. */
export type Layers = readonly (readonly Edit[])[];

/** The ground a proposal is made on: the pristine project with the patch so far. */
export type Base = { layers: Layers; diff: string; motivation: string | null; report: Report };

/** One patch on its way through applying, testing and confirming. */
export type Trial = {
  motivation: string;
  edits: Edit[];
  /** Other patches of the proposal, tried before the proposer is asked again. */
  rest: Alternative[];
  /** The proposal's own first choice, not one of its other patches. */
  first: boolean;
};

/** A trial that applied: its whole diff and the digest of the patched state. */
export type Applied = Trial & { diff: string; state: string };

export type Phase =
  | { at: 'baseline'; first: Report | null }
  | { at: 'proposing'; base: Base }
  | { at: 'applying'; base: Base; trial: Trial }
  /** `first`: the report that equals the last round's, while the tests run once more. */
  | { at: 'testing'; base: Base; trial: Applied; first: Report | null }
  | { at: 'confirming'; base: Base; trial: Applied; report: Report }
  | { at: 'ended'; end: RepairEnd };

/** An earlier try, for the feedback. */
export type Tried = { round: number; motivation: string; outcome: string; edits: Edit[] };

/** A patch that is better than none: fewest failing tests, no new failures. */
export type Best = Base & {
  motivation: string;
  failing: number;
  /** Why a confirmation did not agree; null where none was asked or it did. For the user, never for a proposer. */
  unconfirmed: string | null;
};

/** A call to a model that was journaled; `request`: the sha256 of what was asked. */
export type PastCall = { request: string; result: ModelResult; usage: Usage; left: CallBudget };

/**
 * The calls to models inside the `propose` that is due. `inFlight`: at most what a call costs that has no result yet.
 * `left`: of the budgets, when the last one began.
 */
export type Calls = { past: PastCall[]; inFlight: Projection | null; any: boolean; left: CallBudget };

export const noCalls: Calls = {
  past: [],
  inFlight: null,
  any: false,
  left: { tokens: null, costUsd: null },
};

/** The effect that was started and not yet settled. */
export type Pending = { id: number; attempt: number; effect: RepairEffect; projection: Projection };

export type RepairState = {
  spec: RepairSpec;
  phase: Phase;
  /** The round that is worked on; 0: the baseline. */
  round: number;
  /** `rounds`: patches that were tested. */
  spent: Spent;
  /** Which of the proposers that take over from one another is at work, from 0. */
  stage: number;
  /** What had been spent when it began. */
  stageStart: Spent;
  /** How the stages before it ended. */
  handedOver: RepairEnd[];
  pending: Pending | null;
  /** Charged by batches of the effect in flight already, so that its reply does not charge it again. */
  counted: Usage;
  calls: Calls;
  /** The part of `spent` that crashes took: attempts charged at their projected maximum. */
  lost: Usage;
  baseline: Report | null;
  /** Active time of one test run, the longest baseline. */
  testWallMs: number;
  /** Differed between two baseline runs: named, and left out of the verdict. */
  flaky: string[];
  /** Differed between two runs of one patch: named, and held against the patch. */
  unsteady: string[];
  /** The last round's report, the baseline's in round 0. */
  last: Report | null;
  best: Best | null;
  /** Digests of every patched state that was tested. */
  seen: string[];
  tried: Tried[];
  /** Why the last proposal could not be applied; empty once one could. */
  refusals: Refusal[];
  /** The edits that `refusals` number. */
  refused: Edit[];
  /** Proposals in a row that cost no test round: malformed, or refused. */
  unpatchable: number;
  /** Replies of this stage that were no patch. */
  malformed: number;
  /** The server of this stage's model took no tools in an earlier proposal. */
  toolsRefused: boolean;
  /** How often each refused proposal came, by its edits. */
  rejected: Record<string, number>;
  confirmations: number;
  /** Held-out counts of the last confirmation. */
  heldOut: { total: number; passed: number } | null;
  alternatives: { motivation: string; diff: string }[];
  steering: string[];
  /** What the run stands still with, until it is resumed: it was stopped, or a model cannot be had now. */
  halted: Halt | null;
  /** Replies of a recording, by their number, that were recorded for requests that say something else. */
  otherReplies: readonly number[];
  /** Files of the user's that had changed when the run was last taken up. */
  changed: readonly string[];
};

export type Halt = Extract<RepairEnd, { status: 'aborted' | 'environment_error' }>;

/** No proposal has been refused or unreadable yet: at the start of a run, and of each stage. */
export const noTrouble: Pick<
  RepairState,
  'refusals' | 'refused' | 'unpatchable' | 'malformed' | 'toolsRefused' | 'rejected'
> = { refusals: [], refused: [], unpatchable: 0, malformed: 0, toolsRefused: false, rejected: {} };

export function startRepair(spec: RepairSpec): RepairState {
  return {
    spec,
    phase: { at: 'baseline', first: null },
    round: 0,
    spent: { ...noUsage, rounds: 0 },
    stage: 0,
    stageStart: { ...noUsage, rounds: 0 },
    handedOver: [],
    pending: null,
    counted: noUsage,
    calls: noCalls,
    lost: noUsage,
    baseline: null,
    testWallMs: 0,
    flaky: [],
    unsteady: [],
    last: null,
    best: null,
    seen: [],
    tried: [],
    ...noTrouble,
    confirmations: 0,
    heldOut: null,
    alternatives: [],
    steering: [],
    halted: null,
    otherReplies: [],
    changed: [],
  };
}

/** Events of one type. */
export type EventOf<T extends RepairEvent['type']> = Extract<RepairEvent, { type: T }>;

/** What a trial is tested as: its edits on top of its base. */
export const layersOf = (base: Base, trial: Trial): Layers => [...base.layers, trial.edits];
