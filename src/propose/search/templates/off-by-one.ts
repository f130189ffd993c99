import type { SyntaxNode } from '../syntax/node.ts';
import { child, childrenOf, parts } from '../syntax/node.ts';
import { atom, operatorOf, phraseOf } from '../syntax/phrase.ts';
import { textOf } from '../syntax/source-file.ts';
import { quote, replaceNode, replaceText } from './edit.ts';
import type { Slot } from './slots.ts';
import { reads, slotOf } from './slots.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'off_by_one';

/** How likely a value in this place is wrong by one. */
const bySlot: Partial<Readonly<Record<Slot, number>>> = {
  bound: 0.7,
  index: 0.7,
  range: 0.75,
  argument: 0.45,
  comparand: 0.45,
  operand: 0.35,
  assigned: 0.35,
  returned: 0.35,
  element: 0.3,
};

/**
 * One more or one less: in a literal, an index, a slice bound, the bounds of a range, an argument. The "off by
 * one" mutator and range checks of PAR (Kim et al., ICSE 2013) and constant replacement (CRP) of Mothra (King and
 * Offutt, SPE 1991). A comparison with a literal is also moved together with its operator (`== 0` to `<= 1`).
 */
export const offByOne: Template = {
  id,
  prior: 0.9,
  *rewrites(place) {
    for (const node of reads(place)) {
      if (node.role === 'integer') yield* literal(place, node);
      else yield* value(place, node);
      if (node.role === 'comparison') yield* boundary(place, node);
    }
  },
};

function* literal(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const number = integerOf(place, node);
  if (number === null) return;
  const prior = 0.1 + (bySlot[slotOf(place, node)] ?? 0.3);
  yield replaceText(place, node, String(number + 1), { template: id, prior });
  if (number > 0) yield replaceText(place, node, String(number - 1), { template: id, prior });
  else
    yield replaceNode(place, node, atom(place.site.file.language, '-1'), {
      template: id,
      prior: prior * 0.7,
    });
}

function* value(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file, scope } = place.site;
  const { write, levels } = file.language;
  const weight = bySlot[slotOf(place, node)];
  if (weight === undefined || node.role === 'slice' || node.role === 'parenthesised') return;
  const shape = place.index.shapes.of(node, scope);
  if (shape !== 'number' && (shape !== null || slotOf(place, node) === 'operand')) return;
  const sure = shape === 'number' ? 1 : 0.6;
  const one = { text: '1', level: levels.atom };
  for (const [operator, share] of [
    ['+', 1],
    ['-', 0.9],
  ] as const) {
    yield replaceNode(place, node, write.binary(operator, phraseOf(file, node), one), {
      template: id,
      prior: weight * sure * share,
      what: `${quote(textOf(file, node))} becomes ${quote(write.binary(operator, phraseOf(file, node), one).text)}`,
    });
  }
  const right = child(node, 'right');
  const left = child(node, 'left');
  const operator = operatorOf(file, node);
  if (node.role !== 'arithmetic' || right?.role !== 'integer' || left === null) return;
  if ((operator === '+' || operator === '-') && textOf(file, right) === '1') {
    yield replaceNode(place, node, phraseOf(file, left), { template: id, prior: 0.1 + weight });
  }
}

function* boundary(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const [left, right, ...more] = parts(node);
  const [operator] = childrenOf(node, 'operator');
  if (left === undefined || right?.role !== 'integer' || operator === undefined || more.length > 0) return;
  const number = integerOf(place, right);
  if (number === null) return;
  const others = file.language.operators.comparison[textOf(file, operator)] ?? [];
  for (const other of others.slice(0, 4)) {
    for (const moved of [number + 1, number - 1]) {
      if (!/^[<>=!]/.test(other)) continue;
      const text = `${textOf(file, left)} ${other} ${moved}`;
      yield replaceText(place, node, text, { template: id, prior: 0.18 });
    }
  }
}

function integerOf(place: Place, node: SyntaxNode): number | null {
  const text = textOf(place.site.file, node);
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
