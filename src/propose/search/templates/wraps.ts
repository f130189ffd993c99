import { functionAround } from '../analysis/scope.ts';
import type { Phrase } from '../syntax/language.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child } from '../syntax/node.ts';
import { atom, bind, phraseOf } from '../syntax/phrase.ts';
import type { Shape } from '../syntax/shape.ts';
import { textOf } from '../syntax/source-file.ts';
import type { EditOptions } from './edit.ts';
import { quote, replaceNode } from './edit.ts';
import type { Slot } from './slots.ts';
import { reads, slotOf } from './slots.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'wraps';

const slots: ReadonlySet<Slot> = new Set<Slot>([
  'argument',
  'range',
  'assigned',
  'returned',
  'comparand',
  'operand',
  'iterable',
  'index',
  'element',
  'bound',
]);

/** Calls that make sense around a value of a shape, the likelier first. */
const byShape: Readonly<Partial<Record<Shape, readonly string[]>>> = {
  number: ['abs', 'int', 'str', 'float', 'round', 'bool'],
  text: ['len', 'int', 'float', 'list', 'str', 'set', 'reversed', 'sorted'],
  list: [
    'len',
    'sorted',
    'list',
    'set',
    'sum',
    'reversed',
    'max',
    'min',
    'tuple',
    'enumerate',
    'any',
    'all',
    'iter',
  ],
  tuple: ['len', 'list', 'tuple', 'sorted', 'sum', 'max', 'min', 'set'],
  set: ['len', 'sorted', 'list', 'set', 'sum', 'max', 'min'],
  dict: ['len', 'sorted', 'list', 'dict', 'set'],
  bool: ['int', 'bool'],
};
const unknown = [
  'abs',
  'len',
  'list',
  'sorted',
  'str',
  'int',
  'set',
  'float',
  'reversed',
  'bool',
  'tuple',
  'sum',
  'dict',
  'iter',
  'next',
];
/** Calls that give something to loop over: of no use as a number, and the only ones of use in a loop. */
const iterables: ReadonlySet<string> = new Set([
  'sorted',
  'list',
  'set',
  'reversed',
  'tuple',
  'enumerate',
  'dict',
  'iter',
]);

/**
 * A missing call around a value: `abs(x)`, `len(x)`, `sorted(x)`, `await x`, a conversion, a method such as `.items()` or `.strip()`. Absolute value insertion (ABS) of Offutt et al., TOSEM
 * 1996; the expression changer of PAR (Kim et al., ICSE 2013); type conversions as in PyTER (Oh and Oh, ESEC/FSE
 * 2022).
 */
export const wraps: Template = {
  id,
  prior: 0.8,
  *rewrites(place) {
    for (const node of reads(place)) {
      const slot = slotOf(place, node);
      if (!slots.has(slot) || node.role === 'slice' || node.role === 'parenthesised') continue;
      yield* calls(place, node, slot);
      yield* ownFunctions(place, node, slot);
      yield* methods(place, node, slot);
      yield* fallbacks(place, node, slot);
      yield* negative(place, node, slot);
    }
    for (const node of reads(place)) if (node.role === 'call') yield* awaits(place, node);
  },
};

function options(prior: number, place: Place, node: SyntaxNode, phrase: Phrase): EditOptions {
  const what = `${quote(textOf(place.site.file, node))} becomes ${quote(phrase.text)}`;
  return { template: id, prior, what };
}

function* calls(place: Place, node: SyntaxNode, slot: Slot): Generator<Rewrite> {
  const { file, scope } = place.site;
  const { write } = file.language;
  if (node.role === 'string' || node.role === 'integer' || node.role === 'none') return;
  const shape = place.index.shapes.of(node, scope);
  const names = (shape === null ? unknown : (byShape[shape] ?? [])).filter((name) => suits(name, slot));
  const used = node.role === 'call' ? textOf(file, child(node, 'callee') ?? node) : '';
  const simple = node.role === 'comparison' || node.role === 'boolean' ? 0.4 : 1;
  for (const [rank, name] of names.entries()) {
    if (name === used) continue;
    const phrase = write.call(name, [phraseOf(file, node).text]);
    const prior = ((shape === null ? 0.18 : 0.35) * simple) / (1 + rank * (slot === 'operand' ? 0.4 : 0.2));
    yield replaceNode(place, node, phrase, options(prior, place, node, phrase));
  }
}

function suits(name: string, slot: Slot): boolean {
  if (slot === 'iterable') return iterables.has(name);
  return (
    !(slot === 'operand' || slot === 'range' || slot === 'bound') || !iterables.has(name) || name === 'list'
  );
}

/** A function of this file that takes one value. */
function* ownFunctions(place: Place, node: SyntaxNode, slot: Slot): Generator<Rewrite> {
  const { file } = place.site;
  if (slot === 'operand' || ['string', 'integer', 'none', 'true', 'false'].includes(node.role)) return;
  const around = functionAround(place.site.scope)?.name;
  for (const [name, { arity, method }] of place.index.functions) {
    if (method || arity.min > 1 || arity.max < 1 || name === around) continue;
    const phrase = file.language.write.call(name, [phraseOf(file, node).text]);
    yield replaceNode(place, node, phrase, options(0.15, place, node, phrase));
  }
}

function* methods(place: Place, node: SyntaxNode, slot: Slot): Generator<Rewrite> {
  const { file, scope } = place.site;
  if (!['identifier', 'attribute', 'call', 'subscript'].includes(node.role) || slot === 'operand') return;
  const shape = place.index.shapes.of(node, scope);
  for (const [name, wanted, prior] of file.language.wrappingMethods) {
    if (shape !== null ? shape !== wanted : node.role === 'call') continue;
    if (node.role === 'call' && textOf(file, node).endsWith(`.${name}()`)) continue;
    const iterated = wanted === 'dict' && slot === 'iterable' ? 1.6 : 1;
    const phrase = atom(file.language, `${file.language.write.member(phraseOf(file, node), name).text}()`);
    const sure = shape === null ? 0.35 : 1;
    yield replaceNode(place, node, phrase, options(prior * sure * iterated, place, node, phrase));
  }
}

/** `x` to `x or []`: another value where there is none. */
function* fallbacks(place: Place, node: SyntaxNode, slot: Slot): Generator<Rewrite> {
  const { file, scope } = place.site;
  const { write } = file.language;
  if (!['identifier', 'attribute', 'call', 'subscript'].includes(node.role)) return;
  if (!['iterable', 'argument', 'assigned', 'returned', 'object'].includes(slot)) return;
  const shape = place.index.shapes.of(node, scope);
  if (shape === 'bool' || shape === 'callable') return;
  const { emptyList, emptyDict, emptyText } = write.literals;
  const own = phraseOf(file, node);
  const others = slot === 'iterable' ? [emptyList, emptyDict] : [emptyList, emptyDict, emptyText, '0'];
  for (const [rank, other] of others.entries()) {
    const phrase = write.or(own, atom(file.language, other));
    yield replaceNode(place, node, phrase, options(0.16 / (1 + 0.3 * rank), place, node, phrase));
  }
}

/** `x` to `-x`: unary operator insertion. */
function* negative(place: Place, node: SyntaxNode, slot: Slot): Generator<Rewrite> {
  const { file, scope } = place.site;
  if (!['identifier', 'attribute', 'call', 'subscript', 'arithmetic'].includes(node.role)) return;
  if (!['element', 'returned', 'argument', 'assigned', 'operand'].includes(slot)) return;
  const shape = place.index.shapes.of(node, scope);
  if (shape !== null && shape !== 'number') return;
  const { levels } = file.language;
  const phrase = { text: `-${bind(phraseOf(file, node), levels.unary)}`, level: levels.unary };
  const prior = (shape === 'number' ? 0.2 : 0.12) * (slot === 'operand' ? 0.4 : 1);
  yield replaceNode(place, node, phrase, options(prior, place, node, phrase));
}

function* awaits(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file, scope } = place.site;
  const around = functionAround(scope)?.node;
  if (around === undefined || node.parent?.role === 'await') return;
  if (!textOf(file, around).startsWith(file.language.asyncKeyword)) return;
  const phrase = file.language.write.await(phraseOf(file, node));
  yield replaceNode(place, node, phrase, options(0.8, place, node, phrase));
}
