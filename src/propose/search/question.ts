import type { Clock } from '../../core/index.ts';
import type { ProposerTools } from '../types.ts';
import type { EnoughLimits } from './enough.ts';
import { passingOf, roomLeft } from './enough.ts';
import type { JudgeEnd, JudgeState, JudgeTotal, Trial } from './judge.ts';
import { judge, noneJudged } from './judge.ts';
import type { Localisation } from './localise.ts';
import type { Suggestion } from './stream.ts';
import type { Trials } from './trials.ts';

/** One more stretch of a question's trials, made from what was judged before it. */
export type Stage = {
  trials(state: JudgeState<Suggestion>): Iterator<Trial<Suggestion>>;
  /** Trials of this stage at most. */
  most: number;
};

/** Which single or double edit makes these failing tests pass, and keeps passing what passes? */
export type Question = {
  readonly localisation: Localisation;
  /** Goes on where the last call stopped, with stages that are added behind. `done`: every stage is used up. */
  search(share: { trials: number; deadlineMs: number }, more?: readonly Stage[]): Promise<JudgeEnd>;
  /** What passed and counts, by place. */
  passing(): Trial<Suggestion>[];
};

export type QuestionOptions = {
  trials: Trials;
  stages: readonly Stage[];
  /** Failing tests that it leaves out. */
  ignore: readonly string[];
  tools: ProposerTools;
  clock: Clock;
  limits: EnoughLimits & { batchSize: number };
  deadlineMs: number;
  total: JudgeTotal;
};

export function openQuestion(options: QuestionOptions): Question {
  const { clock, limits, total } = options;
  const { localisation } = options.trials;
  const state = noneJudged<Suggestion>();
  const later = [...options.stages];
  let stage: { trials: Iterator<Trial<Suggestion>>; until: number } | null = null;
  return {
    localisation,
    passing: () => passingOf(state, limits).map(({ trial }) => trial),
    async search(share, more = []) {
      later.push(...more);
      const until = state.generated + share.trials;
      for (;;) {
        if (stage === null) {
          const next = later.shift();
          if (next === undefined) return 'done';
          // Not before the last stage was judged to its end: what was found then decides what is tried.
          stage = { trials: next.trials(state), until: state.generated + next.most };
        }
        const mine = stage.until <= until;
        const end = await judge({
          ...options,
          trials: stage.trials,
          batchSize: limits.batchSize,
          room: (now) => roomLeft(now, limits, clock.monotonicMs() - total.startedMs),
          share: { trials: Math.min(stage.until, until) - state.generated, deadlineMs: share.deadlineMs },
          state,
          at: ({ origin }) => `${origin.site.file.path}:${origin.site.from}`,
        });
        const over = end === 'done' || (end === 'share' && mine && state.generated >= stage.until);
        if (!over) return end;
        stage = null;
      }
    },
  };
}

/** Pairs grown from what came nearest. */
export const pairStage = (trials: Trials): Stage => ({
  most: Number.POSITIVE_INFINITY,
  trials: ({ partial }) => {
    const nearest = [...partial].sort((a, b) => b.result.testsPassed - a.result.testsPassed);
    return trials.pairs(nearest.map(({ trial }) => trial.origin));
  },
});
