import { visibleValues } from '../analysis/names.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child } from '../syntax/node.ts';
import { atom, phraseOf } from '../syntax/phrase.ts';
import { textOf } from '../syntax/source-file.ts';
import { quote, replaceNode } from './edit.ts';
import type { Slot } from './slots.ts';
import { reads, slotOf } from './slots.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'terms';

const slots: ReadonlySet<Slot> = new Set<Slot>([
  'argument',
  'range',
  'assigned',
  'returned',
  'index',
  'bound',
  'comparand',
  'operand',
  'element',
]);

/**
 * A missing or superfluous term: `x` to `x - n`, `n + x`, `x ** 2`, and `x + n` to `x`. The expression adder and
 * remover of PAR (Kim et al., ICSE 2013), applied to arithmetic; "change operand" of ManySStuBs4J (Karampatsis and
 * Sutton, MSR 2020).
 */
export const terms: Template = {
  id,
  prior: 0.5,
  *rewrites(place) {
    for (const node of reads(place)) {
      if (node.role === 'arithmetic') yield* dropped(place, node);
      if (slots.has(slotOf(place, node))) yield* added(place, node);
    }
  },
};

function* dropped(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  for (const side of [child(node, 'right'), child(node, 'left')]) {
    if (side === null) continue;
    const phrase = phraseOf(file, side);
    const what = `${quote(textOf(file, node))} becomes ${quote(phrase.text)}`;
    yield replaceNode(place, node, phrase, { template: id, prior: 0.45, what });
  }
}

function* added(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file, scope } = place.site;
  const { write, language } = { write: file.language.write, language: file.language };
  if (['none', 'true', 'false', 'parenthesised', 'slice', 'lambda', 'not', 'boolean'].includes(node.role))
    return;
  const shape = place.index.shapes.of(node, scope);
  if (shape === 'bool' || shape === 'dict' || shape === 'callable') return;
  const own = phraseOf(file, node);
  const sum = (operator: string, first: boolean, other: string, prior: number) => {
    const phrase = atom(language, other);
    const made = first ? write.binary(operator, phrase, own) : write.binary(operator, own, phrase);
    const what = `${quote(own.text)} becomes ${quote(made.text)}`;
    return replaceNode(place, node, made, { template: id, prior, what });
  };
  const sequence = shape === 'list' || shape === 'text' || shape === 'tuple';
  const others = visibleValues(place.index, place.site, node).filter(
    (name) => name.distance < 3 && name.name !== own.text && name.kind !== 'clause',
  );
  for (const [rank, { name, shape: other }] of others.slice(0, 12).entries()) {
    const fade = 1 / (1 + 0.08 * rank);
    if (sequence) {
      if (other !== shape && other !== null) continue;
      yield sum('+', true, name, 0.35 * fade);
      yield sum('+', false, name, 0.35 * fade);
      continue;
    }
    if (other !== 'number' && other !== null) continue;
    const sure = (shape === 'number' ? 1 : 0.6) * (other === 'number' ? 1 : 0.5) * fade;
    yield sum('-', false, name, 0.35 * sure);
    yield sum('+', false, name, 0.35 * sure);
    if (shape === null && other === null) yield sum('+', true, name, 0.35 * sure);
    yield sum('*', false, name, 0.2 * sure);
    yield sum('//', false, name, 0.08 * sure);
    yield sum('%', false, name, 0.08 * sure);
  }
  if (sequence) return;
  const long = visibleValues(place.index, place.site, node).filter(
    (name) => name.shape === 'list' || name.shape === 'text',
  );
  for (const { name } of long.slice(0, 4)) {
    const length = write.call('len', [name]).text;
    yield sum('-', false, length, 0.12);
    yield sum('+', false, length, 0.1);
  }
  if (node.role === 'integer' || node.role === 'float') return;
  const sure = shape === 'number' ? 1 : 0.5;
  yield sum('**', false, '2', 0.3 * sure);
  yield sum('*', false, '2', 0.25 * sure);
  yield sum('//', false, '2', 0.2 * sure);
  yield sum('/', false, '2', 0.1 * sure);
  yield sum('/', false, '100', 0.1 * sure);
  yield sum('*', false, '100', 0.1 * sure);
}
