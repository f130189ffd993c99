import type { TestResult } from '../../core/index.ts';
import type { Suggestion } from './stream.ts';
import { textOf } from './syntax/source-file.ts';
import { changedTokens, tokensOf } from './tokens.ts';

/** What ranking needs beside the candidate itself. */
export type RankContext = {
  /** Numbers and quoted texts of the failing tests' messages: a patch that copies one answers the test, not the task. */
  readonly testLiterals: ReadonlySet<string>;
};

/** Numbers (two digits and more) and quoted texts in what the failing tests print. */
export function literalsOfTests(failing: readonly TestResult[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { failure } of failing) {
    for (const token of tokensOf(failure?.message ?? '')) {
      if (/^\d{2,}$/.test(token) || /^(".+"|'.+')$/s.test(token))
        found.add(token.replace(/^['"]|['"]$/g, ''));
    }
  }
  return found;
}

/**
 * How little a passing candidate is to be trusted, lower is better. Small edits of a likely kind at a suspected
 * place come first; what deletes, unwraps, makes a condition constant or copies a literal from a failing test
 * comes last: such edits pass weak suites without being right (Smith et al., "Is the cure worse than the
 * disease?", ESEC/FSE 2015; Qi et al., ISSTA 2015, on deletions).
 */
export function distrust(suggestion: Suggestion, context: RankContext): number {
  const { rewrite, suspicion } = suggestion;
  let points = 0.25 * Math.log2(1 + sizeOf(suggestion)) - Math.log2(rewrite.prior);
  points -= Math.log2(Math.max(0.01, suspicion.weight));
  for (const trait of rewrite.traits) points += traitCost[trait];
  if (copiesLiteral(suggestion, context)) points += 4;
  return points;
}

/**
 * Orders passing candidates, the most trusted first. After the first, one at another place and of another kind is
 * preferred: when the first is refused, what is much like it will be refused as well.
 */
export function rank(passing: readonly Suggestion[], context: RankContext): Suggestion[] {
  const left = passing.map((suggestion) => ({ suggestion, points: distrust(suggestion, context) }));
  const ranked: Suggestion[] = [];
  const alike = (one: Suggestion) =>
    ranked.filter(({ site }) => site === one.site).length * sameSite +
    ranked.filter(({ rewrite }) => rewrite.template === one.rewrite.template).length * sameTemplate;
  while (left.length > 0) {
    const points = left.map((one) => one.points + alike(one.suggestion));
    const best = points.indexOf(Math.min(...points));
    ranked.push(...left.splice(best, 1).map(({ suggestion }) => suggestion));
  }
  return ranked;
}

const sameSite = 1;
const sameTemplate = 0.7;

const traitCost = { deletes: 5, unwraps: 1.5, constant: 3, new_literal: 1 } as const;

/** Tokens changed. */
export function sizeOf({ rewrite, site }: Suggestion): number {
  return rewrite.splices.reduce(
    (sum, splice) => sum + changedTokens(textOf(site.file, splice), splice.text),
    0,
  );
}

function copiesLiteral({ rewrite, site }: Suggestion, { testLiterals }: RankContext): boolean {
  return rewrite.splices.some((splice) => {
    const before = new Set(tokensOf(textOf(site.file, splice)));
    return tokensOf(splice.text).some(
      (token) => !before.has(token) && testLiterals.has(token.replace(/^['"]|['"]$/g, '')),
    );
  });
}
