import { visibleValues } from '../analysis/names.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { parts } from '../syntax/node.ts';
import { phraseOf } from '../syntax/phrase.ts';
import { textOf } from '../syntax/source-file.ts';
import { quote, replaceText } from './edit.ts';
import { reads, slotOf } from './slots.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'elements';

/**
 * An element too many or too few in a tuple, list or set, or a single value where a pair was meant (a sort key without
 * its tie-break). "Add elements to iterable" of PySStuBs (Kamienski et al., "PySStuBs: characterizing single-statement
 * bugs in popular open-source Python projects", MSR 2021).
 */
export const elements: Template = {
  id,
  prior: 0.3,
  *rewrites(place) {
    for (const node of reads(place)) {
      const inside = parts(node);
      const open = node.role === 'tuple' || node.role === 'list' || node.role === 'set';
      if (open && inside.length > 0) {
        yield* fewer(place, node, inside);
        yield* more(place, node, inside);
      } else if (slotOf(place, node) === 'returned' && node.parent?.role === 'lambda') {
        yield* paired(place, node);
      }
    }
  },
};

function* fewer(place: Place, node: SyntaxNode, inside: readonly SyntaxNode[]): Generator<Rewrite> {
  if (inside.length < (node.role === 'tuple' ? 3 : 2)) return;
  for (const [at, element] of inside.entries()) {
    const next = inside[at + 1];
    const start = next === undefined ? (inside[at - 1]?.end ?? element.start) : element.start;
    const end = next?.start ?? element.end;
    const what = `${quote(textOf(place.site.file, element))} is left out of ${quote(textOf(place.site.file, node))}`;
    yield { splices: [{ start, end, text: '' }], template: id, prior: 0.1, what, traits: ['unwraps'] };
  }
}

function* more(place: Place, node: SyntaxNode, inside: readonly SyntaxNode[]): Generator<Rewrite> {
  const last = inside.at(-1);
  if (last === undefined) return;
  const values = visibleValues(place.index, place.site, node).filter((value) => value.distance < 3);
  const held = new Set(inside.map((element) => textOf(place.site.file, element)));
  for (const [rank, { name }] of values
    .filter((value) => !held.has(value.name))
    .slice(0, 8)
    .entries()) {
    yield {
      splices: [{ start: last.end, end: last.end, text: `, ${name}` }],
      template: id,
      prior: 0.15 / (1 + 0.15 * rank),
      what: `${quote(name)} is added to ${quote(textOf(place.site.file, node))}`,
      traits: [],
    };
  }
}

/** `lambda x: f(x)` to `lambda x: (f(x), x)`. */
function* paired(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const own = phraseOf(place.site.file, node).text;
  const values = visibleValues(place.index, place.site, node).filter((value) => value.kind === 'lambda');
  for (const { name } of values.filter((value) => value.name !== own)) {
    yield replaceText(place, node, `(${own}, ${name})`, { template: id, prior: 0.3 });
  }
}
