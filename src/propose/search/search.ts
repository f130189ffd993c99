import type { Clock, Coverage } from '../../core/index.ts';
import type { Feedback, ProposerTools } from '../types.ts';
import type { JudgeEnd, JudgeState, Trial } from './judge.ts';
import { judge } from './judge.ts';
import type { Localisation } from './localise.ts';
import type { Suggestion } from './stream.ts';
import type { Trials } from './trials.ts';
import { openTrials } from './trials.ts';

export type SearchLimits = {
  /** Candidates sent to the evaluator at a time, at most. */
  batchSize: number;
  /** Passing candidates after which the search ends. */
  passing: number;
  /**
   * What is spent after the first passing candidate: as many candidates and as much time again as it took, but
   * within these bounds.
   */
  extra: { min: number; max: number; minMs: number; maxMs: number };
  /** Single edits tried before pairs of edits get their turn; the other single edits follow. */
  singles: number;
};

export type SearchResult = {
  state: JudgeState<Suggestion>;
  end: JudgeEnd;
  localisation: Localisation;
};

export type SearchOptions = {
  feedback: Feedback;
  tools: ProposerTools;
  coverage: Coverage;
  limits: SearchLimits;
  clock: Clock;
  startedMs: number;
};

/** Localises, makes candidates and has them judged, until enough pass or the budget or the candidates run out. */
export async function search(options: SearchOptions): Promise<SearchResult> {
  const { tools, limits, clock, startedMs } = options;
  const trials = await openTrials(options);
  try {
    const state: JudgeState<Suggestion> = {
      generated: 0,
      tried: 0,
      hung: 0,
      passing: [],
      partial: [],
      firstPass: null,
      startedMs,
    };
    const end = await judge({
      trials: staged(trials, state, limits),
      tools,
      clock,
      batchSize: limits.batchSize,
      enough: (now) => isEnough(now, limits, clock.monotonicMs() - startedMs),
      deadlineMs: startedMs + tools.budget.wallMs,
      state,
      at: ({ origin }) => `${origin.site.file.path}:${origin.site.from}`,
    });
    return { state, end, localisation: trials.localisation };
  } finally {
    trials.close();
  }
}

/** Single edits, then pairs grown from what came nearest, then the less promising single edits. */
function* staged(
  { singles, pairs }: Trials,
  state: JudgeState<Suggestion>,
  limits: SearchLimits,
): Generator<Trial<Suggestion>> {
  for (let taken = 0; taken < limits.singles; taken += 1) {
    const next = singles.next();
    if (next.done === true) break;
    yield next.value;
  }
  const nearest = [...state.partial].sort((a, b) => b.result.testsPassed - a.result.testsPassed);
  yield* pairs(nearest.map(({ trial }) => trial.origin));
  yield* singles;
}

function isEnough(state: JudgeState<Suggestion>, limits: SearchLimits, spentMs: number): boolean {
  const { passing, tried, firstPass } = state;
  if (firstPass === null) return false;
  if (passing.length >= limits.passing) return true;
  const { min, max, minMs, maxMs } = limits.extra;
  return (
    tried >= firstPass.tried + clamp(firstPass.tried, min, max) ||
    spentMs >= firstPass.ms + clamp(firstPass.ms, minMs, maxMs)
  );
}

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));
