import type {
  Coverage,
  Edit,
  Evaluate,
  ModelResult,
  Projection,
  Proposed,
  Refusal,
  Report,
  TestResult,
  Usage,
} from '../core/index.ts';
import type { ModelProgress } from './model/types.ts';

/** What a proposer is told. Rebuilt from state each round; never "tests failed" alone. */
export type Feedback = {
  task: string | null;
  round: number;
  roundsLeft: number;
  /** The last report: failing tests with whole stack traces. */
  report: Report;
  /**
   * `report.tests` that fail, without the flaky ones, and after them the expected tests that left no result (type
   * `NotFinished`, no trace): a hang, a crash or an import error kept them from their end.
   */
  failing: TestResult[];
  /** Ids of `failing` that fail alike (same exception, same message but for noise), the largest group first. */
  groups?: string[][];
  flaky: string[];
  /** The whole patch so far, canonical; empty in the first round. */
  diff: string;
  attempts: Attempt[];
  /** Why the last proposal could not be applied, if that is what happened. */
  refusals: Refusal[];
  /** The edits that `refusals` number; absent where the reply held none. */
  refused?: Edit[];
  /** A message of the user to the run, newest last. */
  steering: string[];
  /** Replies of this proposer in this run that were no patch, so far. Default 0. */
  malformedReplies?: number;
  /** Its model's server takes no tools, as an earlier proposal found. Default: not known. */
  toolsRefused?: boolean;
};

/** One earlier try and what it did. `edits`: what was tried, so that a deterministic proposer does not repeat it. */
export type Attempt = { round: number; motivation: string; outcome: string; edits?: Edit[] };

/** What a proposer may use. Handed in by the loop: a proposer imports no lab. */
export type ProposerTools = {
  /** The files as they are now: the pristine project with the patch so far. Text only; null for binary or missing. */
  files: readonly string[];
  read(path: string): string | null;
  /** Why a patch may not touch this path, or null. */
  protectedBecause(path: string): string | null;
  evaluate: Evaluate;
  coverage(): Promise<Coverage>;
  /** What is left to spend. */
  budget: { candidates: number | null; wallMs: number; tokens: number | null; costUsd: number | null };
  signal: AbortSignal;
  /** Where calls to models are journaled. */
  calls: CallLog;
  /** Shown to the user, never folded. */
  onProgress?: (progress: ProposeProgress) => void;
  seed: number;
};

/**
 * The calls to models inside one `propose`. A proposer asks `past` before it calls, in the order of its calls: what a
 * killed process had from the model, and paid for, is given again.
 */
export type CallLog = {
  /** The next result that was journaled for this very request, or null: then it has to be asked for. */
  past(request: string): ModelResult | null;
  /**
   * What was left of the budgets when the next of these calls was first made, null where there is none any more: what
   * depends on it is to come out as it did then. Absent: there never is one.
   */
  leftThen?(): CallBudget | null;
  /** Before a call; resolves when it is on disk. `projection`: what it costs at most. */
  calling(options: { model: string; projection: Projection }): Promise<void>;
  /** After it. `request`: the sha256 that `past` is asked with. */
  called(options: { model: string; request: string; result: ModelResult; usage: Usage }): Promise<void>;
};

/** What calls to models spend; null: no limit. */
export type CallBudget = { tokens: number | null; costUsd: number | null };

export type ProposeProgress = SearchProgress | ({ kind: 'model'; model: string } & ModelProgress);

export type SearchProgress = {
  kind: 'search';
  /** Candidates made, judged, passing all tests, and hung so far. */
  generated: number;
  tried: number;
  passing: number;
  hung: number;
  perSecond: number;
  /** What is being looked at, e.g. `src/prices.py:41`. */
  at: string;
};

/** Whatever proposes the next patch. Must not throw for an expected failure: that is a `no_proposal` or `malformed`. */
export type Proposer = {
  /** As given on the command line, e.g. `search`. */
  readonly id: string;
  /**
   * What one call to `propose` costs at most, where it cannot stop by itself half-way (a model call: its tokens
   * and price). A proposer that watches `tools.budget` needs none.
   */
  project?(feedback: Feedback): Projection;
  propose(feedback: Feedback, tools: ProposerTools): Promise<Proposed>;
};
