import { groupsOf } from './groups.ts';
import type { JudgeEnd, JudgeTotal, Trial } from './judge.ts';
import { languageOf } from './languages/index.ts';
import type { Localisation } from './localise.ts';
import { searchGroups, shareOf } from './part-search.ts';
import { openQuestion, pairStage, type Stage } from './question.ts';
import { reachOf } from './reach.ts';
import type { SearchContext, SearchOptions } from './search-context.ts';
import { openSources } from './sources.ts';
import type { Suggestion } from './stream.ts';
import { openTrials } from './trials.ts';

export type SearchResult = {
  /** Candidates that pass, by place: all failing tests, or those of `part`. */
  passing: Suggestion[];
  /** The failing tests that `passing` mends, where that is not all of them. */
  part: readonly string[] | null;
  /** Of the tests that are to pass. */
  localisation: Localisation;
  tried: number;
  end: JudgeEnd;
};

/**
 * Localises, makes candidates and has them judged, until enough pass or the budget or the candidates run out.
 *
 * Whole repairs come first: where failing tests fall into groups, these are the edits of code that every failing test
 * ran, for no other single edit can mend all of them. Then each group is asked for by itself, with the other failing
 * tests left out. What is least likely to help comes last.
 */
export async function search(options: SearchOptions): Promise<SearchResult> {
  const { tools, startedMs } = options;
  const sources = openSources(tools);
  const total: JudgeTotal = { generated: 0, tried: 0, hung: 0, passing: 0, startedMs };
  try {
    return await searchWith({ ...options, sources, total, deadlineMs: startedMs + tools.budget.wallMs });
  } finally {
    sources.close();
  }
}

async function searchWith(context: SearchContext): Promise<SearchResult> {
  const { feedback, coverage, tools, limits, sources, total, deadlineMs } = context;
  const trials = await openTrials(context);
  const { localisation } = trials;
  const failing = feedback.failing.map(({ id }) => id);
  const editable = (path: string) => languageOf(path) !== null && tools.protectedBecause(path) === null;
  const reach = reachOf({ coverage, failing, editable });
  const groups = groupsOf({ feedback, coverage, reach, files: localisation.files, index: sources.index });
  const ask = (stages: readonly Stage[]) => openQuestion({ ...context, trials, stages, ignore: [] });
  const all = trials.singles();
  const rest: Stage = { trials: () => all, most: Number.POSITIVE_INFINITY };
  const everything = { trials: Number.POSITIVE_INFINITY, deadlineMs };
  const result = (passing: readonly Trial<Suggestion>[], end: JudgeEnd): SearchResult => ({
    passing: passing.map(({ origin }) => origin),
    part: null,
    localisation,
    tried: total.tried,
    end,
  });
  if (groups.first.length === 0) {
    const whole = ask([{ trials: () => all, most: limits.singles }, pairStage(trials), rest]);
    const end = await whole.search(everything);
    return result(whole.passing(), end);
  }
  const common = trials.singles(reach.byAll);
  const commonFirst: Stage = { trials: () => common, most: limits.singles };
  const whole = groups.apart
    ? ask([{ trials: () => common, most: limits.shared }])
    : ask([commonFirst, pairStage(trials), commonFirst]);
  const first = await whole.search(shareOf(context, { parts: 2, trials: Number.POSITIVE_INFINITY }));
  if (whole.passing().length > 0 || !(first === 'done' || first === 'share'))
    return result(whole.passing(), first);
  const { found, end } = await searchGroups(context, groups);
  if (found !== null) {
    // By chance, or where what a test ran could not be seen, it may mend the others too.
    const again = ask([{ trials: () => found.passing.values(), most: Number.POSITIVE_INFINITY }]);
    await again.search(everything);
    const mending = again.passing();
    if (mending.length > 0) return result(mending, end);
    return { ...result(found.passing, end), part: found.group, localisation: found.localisation };
  }
  if (end !== 'share') return result([], end);
  const last = await whole.search(everything, groups.apart ? [pairStage(trials), rest] : [rest]);
  return result(whole.passing(), last);
}
