import type { Suggestion } from './stream.ts';
import type { Suspect } from './suspects.ts';
import { lineAt } from './syntax/source-file.ts';
import type { Splice } from './templates/template.ts';

/** How many rewrites are combined with each other, and how far apart they may stand. */
const seedsMost = 16;
const partnersMost = 120;
const nearLines = 12;

/**
 * Two edits of one file made together, for bugs that no single edit fixes. Seeds are edits that already made some
 * failing test pass, then the most promising ones; each is joined with the most promising edits near it. Lazy, the
 * more promising pairs first.
 */
export function* pairs(seeds: readonly Suggestion[], all: readonly Suggestion[]): Generator<Suggestion> {
  const made = [...seeds, ...all.slice(0, seedsMost)].slice(0, seedsMost);
  const partners = made.map((seed) => all.filter((other) => isNear(seed, other)).slice(0, partnersMost));
  for (let round = 0; round < partnersMost; round += 1) {
    for (const [at, seed] of made.entries()) {
      const other = partners[at]?.[round];
      const joined = other === undefined ? null : join(seed, other);
      if (joined !== null) yield joined;
    }
  }
}

function isNear(a: Suggestion, b: Suggestion): boolean {
  if (a === b || a.site.file !== b.site.file) return false;
  return a.site.scope === b.site.scope && Math.abs(lineOf(a) - lineOf(b)) <= nearLines;
}

const lineOf = ({ site, rewrite }: Suggestion) =>
  lineAt(site.file, rewrite.splices[0]?.start ?? site.node.start);

/** Both edits as one, or null where they touch. */
function join(a: Suggestion, b: Suggestion): Suggestion | null {
  const splices = [...a.rewrite.splices, ...b.rewrite.splices].sort(
    (x, y) => x.start - y.start || x.end - y.end,
  );
  if (!splices.every((splice, at) => at === 0 || isAfter(splice, splices[at - 1]))) return null;
  const [first, second] = lineOf(a) <= lineOf(b) ? [a, b] : [b, a];
  const suspect: Suspect = first.suspicion.weight >= second.suspicion.weight ? first : second;
  return {
    index: first.index,
    site: first.site,
    suspicion: suspect.suspicion,
    score: a.score * b.score,
    rewrite: {
      splices,
      template: 'pair',
      prior: a.rewrite.prior * b.rewrite.prior,
      what: `${first.rewrite.what} and ${second.rewrite.what}`,
      traits: [...new Set([...a.rewrite.traits, ...b.rewrite.traits])],
    },
  };
}

const isAfter = (splice: Splice, before: Splice | undefined) =>
  before === undefined || (splice.start > before.end && splice.start > before.start);
