import { visibleValues } from '../analysis/names.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child } from '../syntax/node.ts';
import { phraseOf } from '../syntax/phrase.ts';
import { textOf } from '../syntax/source-file.ts';
import { quote, replaceNode } from './edit.ts';
import { siblingsAt } from './siblings.ts';
import type { Slot } from './slots.ts';
import { reads, slotOf } from './slots.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'bounds';

const slots: ReadonlySet<Slot> = new Set<Slot>([
  'assigned',
  'returned',
  'argument',
  'range',
  'index',
  'bound',
  'element',
]);

/**
 * A missing limit: `max(best, x)`, `max(0, x)`, `min(x, len(xs) - 1)`. The range checker of PAR (Kim et al., ICSE
 * 2013), written as a value instead of a condition.
 */
export const bounds: Template = {
  id,
  prior: 0.7,
  *rewrites(place) {
    for (const node of reads(place)) {
      const slot = slotOf(place, node);
      if (!slots.has(slot) || node.role === 'slice' || node.role === 'parenthesised') continue;
      yield* limited(place, node, slot);
    }
  },
};

/** `x = y` to `x = max(x, y)`, and a value held above zero, one, or below another. */
function* limited(place: Place, node: SyntaxNode, slot: Slot): Generator<Rewrite> {
  const { file, scope } = place.site;
  const { write } = file.language;
  const shape = place.index.shapes.of(node, scope);
  if (shape !== 'number' && shape !== null) return;
  if (node.role === 'none' || node.role === 'true' || node.role === 'false') return;
  const sure = shape === 'number' ? 1 : 0.5;
  const own = phraseOf(file, node);
  const target = node.parent?.role === 'assignment' ? child(node.parent, 'left') : null;
  const limits: [string, number][] = [];
  if (target?.role === 'identifier') limits.push([textOf(file, target), 0.7]);
  const literal = node.role === 'integer';
  if (!literal) limits.push(['0', 0.4], ['1', 0.15]);
  const values = visibleValues(place.index, place.site, node).filter((name) => name.shape === 'number');
  for (const { name } of values.slice(0, 8)) limits.push([name, literal ? 0.1 : 0.2]);
  limits.push(...otherLimits(place, node, slot));
  for (const [limit, prior] of limits) {
    if (limit === own.text) continue;
    for (const name of ['max', 'min']) {
      const phrase = write.call(name, [limit, own.text]);
      const what = `${quote(own.text)} becomes ${quote(phrase.text)}`;
      yield replaceNode(place, node, phrase, { template: id, prior: prior * sure, what });
    }
  }
}

/** Limits that are no names: the last place of what is indexed, what the statement looks into, sibling calls. */
function otherLimits(place: Place, node: SyntaxNode, slot: Slot): [string, number][] {
  const { file } = place.site;
  const { write } = file.language;
  const limits: [string, number][] = [];
  const object = slot === 'index' && node.parent !== null ? child(node.parent, 'object') : null;
  if (object !== null) limits.push([`${write.call('len', [textOf(file, object)]).text} - 1`, 0.3]);
  if (slot === 'index') {
    const numbers = visibleValues(place.index, place.site, node).filter((name) => name.shape === 'number');
    for (const { name } of numbers.slice(0, 4)) limits.push([`${name} - 1`, 0.15]);
  }
  for (const other of place.site.expressions) {
    if (other.role !== 'subscript' && other.role !== 'attribute') continue;
    if (other.field === 'callee' || child(other, 'index')?.role === 'slice' || contains(other, node))
      continue;
    limits.push([textOf(file, other), 0.12]);
  }
  for (const { callee, byName } of siblingsAt(place, node)) {
    if (byName !== null && byName.length > 0) limits.push([write.call(callee, byName).text, 0.1]);
  }
  return limits;
}

const contains = (outer: SyntaxNode, inner: SyntaxNode) =>
  outer.start <= inner.start && inner.end <= outer.end;
