import type { Scope } from './analysis/scope.ts';
import { createHeap } from './heap.ts';
import type { Suspect } from './suspects.ts';
import type { Rewrite, Template } from './templates/template.ts';

/** A rewrite with where it is and how promising. */
export type Suggestion = Suspect & {
  readonly rewrite: Rewrite;
  /** Higher is tried earlier. */
  readonly score: number;
};

export type StreamOptions = {
  /** Files by the weight of their most suspected line; read and parsed only when their turn comes. */
  files: readonly { weight: number; suspects(): readonly Suspect[] }[];
  templates: readonly Template[];
  /** Raises or lowers a template by what the failures say, e.g. a guard after an attribute error on None. */
  hint(template: Template): number;
};

type Entry =
  | { kind: 'file'; suspects(): readonly Suspect[] }
  | { kind: 'suspect'; suspect: Suspect }
  | { kind: 'template'; suspect: Suspect; template: Template }
  | { kind: 'suggestion'; suggestion: Suggestion };

/** More than 1: a suspected line's unlikely edits come before an unsuspected line's likely ones. */
const suspicionExponent = 1.2;
/** After this many suggestions from one function its next ones count half: a long one must not starve the others. */
const crowd = 600;
/** An insertion of this many characters counts half. */
const long = 240;

/**
 * All rewrites of all suspects, the most promising first: suspicion x prior x smallness. Lazy: a site's templates
 * are asked only when their best rewrite could come next, so a long file costs what is taken from it.
 */
export function* suggestions(options: StreamOptions): Generator<Suggestion> {
  const heap = createHeap<Entry>();
  const taken = new Map<Scope, number>();
  const best = Math.max(...options.templates.map((template) => template.prior * options.hint(template)));
  const tempered = (weight: number) => weight ** suspicionExponent;
  const base = (suspect: Suspect) => tempered(suspect.suspicion.weight);
  for (const { weight, suspects } of options.files) {
    heap.push(tempered(weight) * best, { kind: 'file', suspects });
  }
  for (let top = heap.pop(); top !== undefined; top = heap.pop()) {
    const entry = top.value;
    switch (entry.kind) {
      case 'file':
        for (const suspect of entry.suspects()) heap.push(base(suspect) * best, { kind: 'suspect', suspect });
        break;
      case 'suspect':
        for (const template of options.templates) {
          const bound = base(entry.suspect) * template.prior * options.hint(template);
          heap.push(bound, { kind: 'template', suspect: entry.suspect, template });
        }
        break;
      case 'template': {
        const { suspect, template } = entry;
        for (const rewrite of template.rewrites(suspect)) {
          const score = base(suspect) * rewrite.prior * options.hint(template) * smallness(rewrite);
          heap.push(score, { kind: 'suggestion', suggestion: { ...suspect, rewrite, score } });
        }
        break;
      }
      case 'suggestion': {
        const { suggestion } = entry;
        const before = taken.get(suggestion.site.scope) ?? 0;
        const crowded = suggestion.score / (1 + before / crowd);
        if (crowded < heap.peek() && crowded < top.score) {
          heap.push(crowded, entry);
          break;
        }
        taken.set(suggestion.site.scope, before + 1);
        yield suggestion;
      }
    }
  }
}

/** Long insertions are less often right than short ones: 1 for none, towards 0 for very long ones. */
function smallness(rewrite: Rewrite): number {
  const written = rewrite.splices.reduce((sum, splice) => sum + splice.text.trim().length, 0);
  return 1 / (1 + written / long);
}
