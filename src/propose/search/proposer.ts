import type { Clock, Proposed, Usage } from '../../core/index.ts';
import type { Feedback, Proposer } from '../types.ts';
import { editOf } from './edits.ts';
import { motivate, motivatePart } from './motivation.ts';
import { literalsOfTests, rank } from './rank.ts';
import type { SearchResult } from './search.ts';
import { search } from './search.ts';
import type { SearchLimits } from './search-context.ts';

export type SearchProposerOptions = {
  /** Default: up to 64 a batch, 8 passing candidates, and after the first one as many candidates again (200 to 600). */
  limits?: Partial<SearchLimits>;
  clock?: Clock;
};

const defaults: SearchLimits = {
  batchSize: 64,
  passing: 8,
  extra: { min: 200, max: 600, minMs: 15_000, maxMs: 30_000 },
  singles: 4000,
  shared: 800,
  part: { first: 400, more: 2000 },
};

/** Frameworks of the languages that it knows templates of. */
const spoken: readonly string[] = ['pytest', 'unittest'];

const noUsage: Usage = { tokens: 0, costUsd: 0, candidates: 0, wallMs: 0 };

const systemClock: Clock = { monotonicMs: () => performance.now(), now: () => new Date() };

/**
 * Proposes patches without a model: localises the fault by coverage and stack traces, tries template edits on the
 * syntax tree through `tools.evaluate`, and returns the passing candidate that is most to be trusted, with the
 * others as alternatives. Deterministic: the same feedback, files and evaluation give the same proposal. The
 * passing is the warm evaluator's word; the loop runs the tests cold.
 */
export function searchProposer(options: SearchProposerOptions = {}): Proposer {
  const clock = options.clock ?? systemClock;
  const limits = { ...defaults, ...options.limits };
  return {
    id: 'search',
    async propose(feedback, tools) {
      const startedMs = clock.monotonicMs();
      const { framework } = feedback.report;
      if (!spoken.includes(framework)) {
        const reason = `the built-in search repairs Python, and these tests run with ${framework}`;
        return { kind: 'no_proposal', reason, exhausted: null, usage: noUsage };
      }
      const usage = (candidates: number): Usage => ({
        tokens: 0,
        costUsd: 0,
        candidates,
        wallMs: Math.max(0, clock.monotonicMs() - startedMs),
      });
      let result: SearchResult;
      try {
        const coverage = await tools.coverage();
        result = await search({ feedback, tools, coverage, limits, clock, startedMs });
      } catch (error) {
        if (!tools.signal.aborted) throw error;
        return { kind: 'no_proposal', reason: 'stopped', exhausted: null, usage: usage(0) };
      }
      const found = proposalOf(feedback, result);
      return found === null
        ? nothing(result, usage(result.tried))
        : { kind: 'proposal', ...found, usage: usage(result.tried) };
    },
  };
}

/** What passes, the most trusted first; null where nothing does. */
function proposalOf(feedback: Feedback, { passing, part, localisation }: SearchResult) {
  const mended = part === null ? feedback.failing : feedback.failing.filter(({ id }) => part.includes(id));
  const ranked = rank(passing, { testLiterals: literalsOfTests(mended) }).map((suggestion) => ({
    motivation:
      part === null
        ? motivate(suggestion, localisation)
        : motivatePart(suggestion, localisation, feedback.failing.length),
    edits: [editOf(suggestion.site.file, suggestion.rewrite.splices)],
  }));
  const [best, ...alternatives] = ranked;
  // Each alternative would cost a round, and of a part that is kept the next proposal is worth more than its others.
  return best === undefined ? null : { ...best, alternatives: part === null ? alternatives : [] };
}

function nothing({ tried, end, localisation }: SearchResult, usage: Usage): Proposed {
  if (end === 'aborted') return { kind: 'no_proposal', reason: 'stopped', exhausted: null, usage };
  const { files } = localisation;
  const where = `${files.slice(0, 3).join(', ')}${files.length > 3 ? `, ${files.length - 3} more files` : ''}`;
  const reason =
    files.length === 0
      ? 'no failing test ran a file that may be edited and is in a language the search speaks'
      : `${tried} candidates tried in ${where}; none passes every test`;
  return {
    kind: 'no_proposal',
    reason,
    exhausted: end === 'candidates' || end === 'wall' ? end : null,
    usage,
  };
}
