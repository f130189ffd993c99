import type { Clock, Coverage } from '../../core/index.ts';
import type { Feedback, ProposerTools } from '../types.ts';
import type { EnoughLimits } from './enough.ts';
import type { JudgeTotal } from './judge.ts';
import type { Sources } from './sources.ts';

export type SearchLimits = EnoughLimits & {
  /** Candidates sent to the evaluator at a time, at most. */
  batchSize: number;
  /** Single edits tried before pairs of edits get their turn; the other single edits follow. */
  singles: number;
  /** Single edits that could mend everything, tried before parts, where groups of tests seem to have bugs of their own. */
  shared: number;
  /** Candidates for each group of failing tests: at first, and where no group came to anything. */
  part: { first: number; more: number };
};

export type SearchOptions = {
  feedback: Feedback;
  tools: ProposerTools;
  coverage: Coverage;
  limits: SearchLimits;
  clock: Clock;
  startedMs: number;
};

/** What a search for whole repairs and the searches for partial ones share. */
export type SearchContext = SearchOptions & {
  sources: Sources;
  total: JudgeTotal;
  deadlineMs: number;
};
