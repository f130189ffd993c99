import { visibleValues } from '../analysis/names.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, parts } from '../syntax/node.ts';
import { phraseOf } from '../syntax/phrase.ts';
import { textOf } from '../syntax/source-file.ts';
import { quote, replaceNode, replaceText } from './edit.ts';
import type { Slot } from './slots.ts';
import { reads, slotOf } from './slots.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'slices';

const slots: ReadonlySet<Slot> = new Set<Slot>([
  'argument',
  'assigned',
  'returned',
  'iterable',
  'comparand',
  'operand',
  'element',
  'object',
]);

/**
 * A missing slice or index (`xs[k:]`, `xs[1:]`, `xs[-1]`, a copy `xs[:]`), or a slice with one end open. The range
 * and collection checks of PAR (Kim et al., ICSE 2013), turned to Python's slices.
 */
export const slices: Template = {
  id,
  prior: 0.5,
  *rewrites(place) {
    for (const node of reads(place)) {
      if (node.role === 'slice') continue;
      if (node.role === 'subscript') yield* opened(place, node);
      if (['identifier', 'attribute', 'subscript', 'call'].includes(node.role)) yield* added(place, node);
    }
  },
};

function* opened(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const index = child(node, 'index');
  if (index === null) return;
  if (index.role !== 'slice') {
    const at = textOf(file, index);
    yield replaceText(place, index, `${at}:`, { template: id, prior: 0.15 });
    yield replaceText(place, index, `:${at}`, { template: id, prior: 0.15 });
    return;
  }
  const colon = index.children.find((token) => token.type === ':');
  if (colon === undefined) return;
  const before = file.text.slice(index.start, colon.start).trim();
  const after = file.text.slice(colon.end, index.end).trim();
  if (parts(index).length > 2 || after.includes(':')) return;
  if (before !== '') yield replaceText(place, index, `:${after}`, { template: id, prior: 0.3 });
  if (after !== '') yield replaceText(place, index, `${before}:`, { template: id, prior: 0.3 });
  if (before !== '' && after === '')
    yield replaceText(place, index, `:${before}`, { template: id, prior: 0.35 });
  if (before === '' && after !== '')
    yield replaceText(place, index, `${after}:`, { template: id, prior: 0.35 });
}

function* added(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file, scope } = place.site;
  const { write } = file.language;
  const slot = slotOf(place, node);
  if (!slots.has(slot)) return;
  const shape = place.index.shapes.of(node, scope);
  if (shape === 'number' || shape === 'bool' || shape === 'dict' || shape === 'set' || shape === 'callable')
    return;
  const sure = shape !== null || slot === 'iterable' ? 1 : 0.6;
  const own = phraseOf(file, node);
  const edit = (text: string, prior: number) =>
    replaceNode(
      place,
      node,
      { text, level: file.language.levels.atom },
      { template: id, prior: prior * sure, what: `${quote(own.text)} becomes ${quote(text)}` },
    );
  yield edit(write.slice(own, '1', null).text, 0.42);
  yield edit(write.slice(own, null, '-1').text, 0.3);
  if (slot !== 'object') {
    yield edit(write.slice(own, null, null).text, 0.2);
    yield edit(write.subscript(own, '::-1').text, 0.3);
    yield edit(write.subscript(own, '0').text, 0.25);
    yield edit(write.subscript(own, '-1').text, 0.25);
  }
  const numbers = visibleValues(place.index, place.site, node).filter(
    (name) => name.distance < 3 && (name.shape === 'number' || name.shape === null) && name.name !== own.text,
  );
  for (const { name, shape: other } of numbers.slice(0, 8)) {
    const likely = other === 'number' ? 1 : 0.6;
    yield edit(write.slice(own, name, null).text, 0.35 * likely);
    yield edit(write.slice(own, null, name).text, 0.35 * likely);
    yield edit(write.subscript(own, name).text, 0.25 * likely);
  }
}
