import { child, parts } from '../syntax/node.ts';
import { operatorOf } from '../syntax/phrase.ts';
import { replaceText, swapNodes } from './edit.ts';
import type { Template } from './template.ts';

const id = 'arithmetic';
const priors = [0.7, 0.4, 0.25, 0.2, 0.2];
/** Operators that give something else when their sides are swapped. Of `+` and `*` only sequences do. */
const ordered = new Set(['-', '/', '//', '%', '**', '<<', '>>', '+', '@']);

/**
 * Another arithmetic or bit operator, in an expression or an augmented assignment, or the operands swapped.
 * Arithmetic operator replacement (AOR) of Offutt et al., TOSEM 1996, with the bit and assignment operators of
 * MuJava (Ma, Offutt and Kwon, STVR 2005) and "change operator" of ManySStuBs4J (Karampatsis and Sutton, MSR 2020).
 */
export const arithmetic: Template = {
  id,
  prior: 0.7,
  *rewrites(place) {
    const { file, node: statement, expressions } = place.site;
    const { operators } = file.language;
    for (const node of expressions) {
      if (node.role !== 'arithmetic') continue;
      const operator = child(node, 'operator');
      const text = operatorOf(file, node);
      if (operator === null) continue;
      for (const [rank, other] of (operators.arithmetic[text] ?? []).entries()) {
        yield replaceText(place, operator, other, { template: id, prior: priors[rank] ?? 0.2 });
      }
      const [left, right] = parts(node);
      if (left !== undefined && right !== undefined && ordered.has(text)) {
        yield* swapped(place, left, right, text);
      }
    }
    const value = child(statement, 'value');
    if (statement.role !== 'expressionStatement' || value === null) return;
    if (value.role === 'augmentedAssignment') {
      const operator = child(value, 'operator');
      for (const [rank, other] of (operators.augmented[operatorOf(file, value)] ?? []).entries()) {
        if (operator !== null)
          yield replaceText(place, operator, other, { template: id, prior: priors[rank] ?? 0.2 });
      }
    }
    if (value.role === 'assignment') {
      const sign = value.children.find((token) => token.role === 'token' && token.type === '=');
      for (const [rank, other] of (operators.augmented['='] ?? []).entries()) {
        if (sign !== undefined)
          yield replaceText(place, sign, other, { template: id, prior: 0.35 / (1 + rank) });
      }
    }
  },
};

function* swapped(
  place: Parameters<Template['rewrites']>[0],
  left: Parameters<typeof swapNodes>[1],
  right: Parameters<typeof swapNodes>[2],
  operator: string,
) {
  const { index, site } = place;
  const shapes = [index.shapes.of(left, site.scope), index.shapes.of(right, site.scope)];
  // Numbers are added in any order.
  if (operator === '+' && shapes.includes('number')) return;
  yield swapNodes(place, left, right, { template: id, prior: operator === '+' ? 0.5 : 0.4 });
}
