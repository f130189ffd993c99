import type { Group, Groups } from './groups.ts';
import type { JudgeEnd, Trial } from './judge.ts';
import type { Localisation } from './localise.ts';
import { openQuestion, pairStage, type Question } from './question.ts';
import type { SearchContext } from './search-context.ts';
import type { Suggestion } from './stream.ts';
import { openTrials } from './trials.ts';

/** What makes one group of failing tests pass. */
export type PartFound = { group: Group; passing: Trial<Suggestion>[]; localisation: Localisation };

/** `found`: null where no group came to anything within its share; `end`: why the last search stopped. */
export type PartEnd = { found: PartFound | null; end: JudgeEnd };

type Asked = { group: Group; question: Question };

/**
 * Asks for each group by itself: that its tests pass and that what passes goes on passing, the other failing tests
 * left out. Every group has a small share first, so that one that cannot be mended does not keep the others waiting.
 */
export async function searchGroups(context: SearchContext, groups: Groups): Promise<PartEnd> {
  const { limits } = context;
  // Tests that share their suspects were asked for with pairs of edits already, all at once.
  const first = await asked(context, groups.first, groups.apart);
  const finer = await asked(context, groups.finer, false);
  for (const { among, trials } of [
    { among: first, trials: limits.part.first },
    { among: finer, trials: limits.part.first },
    { among: first, trials: limits.part.more },
    { among: finer, trials: limits.part.more },
  ]) {
    const ended = await searchEach(context, among, trials);
    if (ended !== null) return ended;
  }
  return { found: null, end: 'share' };
}

/** null: each has used up its share, and there is more to try elsewhere. */
async function searchEach(
  context: SearchContext,
  among: readonly Asked[],
  trials: number,
): Promise<PartEnd | null> {
  for (const [at, { group, question }] of among.entries()) {
    const end = await question.search(shareOf(context, { parts: among.length - at + 1, trials }));
    const passing = question.passing();
    if (passing.length > 0) return { found: { group, passing, localisation: question.localisation }, end };
    if (end === 'candidates' || end === 'wall' || end === 'aborted') return { found: null, end };
  }
  return null;
}

async function asked(context: SearchContext, groups: readonly Group[], withPairs: boolean): Promise<Asked[]> {
  const { feedback, limits } = context;
  const questions: Asked[] = [];
  for (const group of groups) {
    const failing = feedback.failing.filter(({ id }) => group.includes(id));
    const ignore = feedback.failing.map(({ id }) => id).filter((id) => !group.includes(id));
    const trials = await openTrials({ ...context, feedback: { ...feedback, failing }, ignore });
    const all = trials.singles();
    const rest = { trials: () => all, most: Number.POSITIVE_INFINITY };
    const singles = { trials: () => all, most: limits.part.first + limits.part.more / 2 };
    const stages = withPairs ? [singles, pairStage(trials), rest] : [rest];
    questions.push({ group, question: openQuestion({ ...context, trials, stages, ignore }) });
  }
  return questions;
}

/** An equal part of the time and the candidates that are left, and `trials` at most. */
export function shareOf(
  { tools, total, clock, deadlineMs }: SearchContext,
  { parts, trials }: { parts: number; trials: number },
): { trials: number; deadlineMs: number } {
  const { candidates } = tools.budget;
  const left = candidates === null ? trials : Math.ceil((candidates - total.tried) / parts);
  const nowMs = clock.monotonicMs();
  return { trials: Math.min(trials, Math.max(0, left)), deadlineMs: nowMs + (deadlineMs - nowMs) / parts };
}
