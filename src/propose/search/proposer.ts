import type { Clock, Proposed, Usage } from '../../core/index.ts';
import type { Proposer } from '../types.ts';
import { editOf } from './edits.ts';
import { motivate } from './motivation.ts';
import { literalsOfTests, rank } from './rank.ts';
import type { SearchLimits, SearchResult } from './search.ts';
import { search } from './search.ts';

export type SearchProposerOptions = {
  /** Default: up to 64 a batch, 8 passing candidates, and after the first one as much again (200 to 600 candidates, 5 to 20 s). */
  limits?: Partial<SearchLimits>;
  clock?: Clock;
};

const defaults: SearchLimits = {
  batchSize: 64,
  passing: 8,
  extra: { min: 200, max: 600, minMs: 5000, maxMs: 20_000 },
  singles: 4000,
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
      const context = { testLiterals: literalsOfTests(feedback.failing) };
      const passing = result.state.passing.map(({ trial }) => trial.origin);
      const ranked = rank(passing, context).map((suggestion) => ({
        motivation: motivate(suggestion, result.localisation),
        edits: [editOf(suggestion.site.file, suggestion.rewrite.splices)],
      }));
      const [best, ...alternatives] = ranked;
      if (best === undefined) return nothing(result, usage(result.state.tried));
      return { kind: 'proposal', ...best, alternatives, usage: usage(result.state.tried) };
    },
  };
}

function nothing({ state, end, localisation }: SearchResult, usage: Usage): Proposed {
  if (end === 'aborted') return { kind: 'no_proposal', reason: 'stopped', exhausted: null, usage };
  const { files } = localisation;
  const where = `${files.slice(0, 3).join(', ')}${files.length > 3 ? `, ${files.length - 3} more files` : ''}`;
  const reason =
    files.length === 0
      ? 'no failing test ran a file that may be edited and is in a language the search speaks'
      : `${state.tried} candidates tried in ${where}; none passes every test`;
  return {
    kind: 'no_proposal',
    reason,
    exhausted: end === 'candidates' || end === 'wall' ? end : null,
    usage,
  };
}
