import { argumentsOf } from '../analysis/file-index.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, childrenOf } from '../syntax/node.ts';
import { phraseOf } from '../syntax/phrase.ts';
import { textOf } from '../syntax/source-file.ts';
import { quote, replaceNode, replaceText } from './edit.ts';
import { reads, slotOf } from './slots.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'lookups';

/**
 * A key that may be missing: `d[k]` to `d.get(k, 0)`, `d[k].append(x)` to `d.setdefault(k, []).append(x)`, a default
 * added to a lookup. The collection size and null checkers of PAR (Kim et al., ICSE 2013), turned to Python's
 * dictionaries.
 */
export const lookups: Template = {
  id,
  prior: 0.45,
  *rewrites(place) {
    for (const node of reads(place)) {
      if (node.role === 'subscript') yield* bracket(place, node);
      if (node.role === 'call') yield* withDefault(place, node);
    }
    const value = child(place.site.node, 'value');
    if (place.site.node.role !== 'expressionStatement' || value === null) return;
    if (value.role === 'augmentedAssignment') yield* counted(place, value);
    if (value.role === 'assignment') yield* collected(place, value);
  },
};

function* bracket(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file, scope } = place.site;
  const { write } = file.language;
  const object = child(node, 'object');
  const [key, ...more] = childrenOf(node, 'index');
  if (
    object === null ||
    key === undefined ||
    more.length > 0 ||
    key.role === 'slice' ||
    key.role === 'integer'
  )
    return;
  const shape = place.index.shapes.of(object, scope);
  if (shape !== null && shape !== 'dict') return;
  const sure = shape === 'dict' ? 1 : 0.5;
  const { emptyList, emptyDict, emptySet, emptyText, false: no } = write.literals;
  const edit = (phrase: ReturnType<typeof write.lookup>, prior: number) =>
    replaceNode(place, node, phrase, {
      template: id,
      prior: prior * sure,
      what: `${quote(textOf(file, node))} becomes ${quote(phrase.text)}`,
    });
  const own = phraseOf(file, object);
  const text = textOf(file, key);
  if (slotOf(place, node) === 'object') {
    for (const first of [emptyList, emptySet, emptyDict])
      yield edit(write.lookupOrPut(own, text, first), 0.35);
  }
  yield edit(write.lookup(own, text, null), 0.35);
  for (const [rank, otherwise] of ['0', emptyList, emptyDict, emptyText, no, text].entries()) {
    yield edit(write.lookup(own, text, otherwise), 0.35 / (1 + 0.12 * rank));
  }
}

/** `d.get(k)` to `d.get(k, 0)`, and a lookup with a default to one without. */
function* withDefault(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const { write } = file.language;
  const callee = child(node, 'callee');
  const object = callee === null ? null : child(callee, 'object');
  const [key, otherwise] = argumentsOf(node) ?? [];
  if (object === null || key === undefined) return;
  const own = phraseOf(file, object);
  const text = textOf(file, key);
  if (textOf(file, node) === write.lookup(own, text, null).text) {
    const { emptyList, emptyDict, emptyText, false: no } = write.literals;
    for (const value of ['0', emptyList, emptyText, emptyDict, no, '1', text]) {
      yield replaceText(place, node, write.lookup(own, text, value).text, { template: id, prior: 0.3 });
    }
    yield replaceText(place, node, write.subscript(own, text).text, { template: id, prior: 0.2 });
  } else if (otherwise !== undefined) {
    if (textOf(file, node) !== write.lookup(own, text, textOf(file, otherwise)).text) return;
    yield replaceText(place, node, write.subscript(own, text).text, { template: id, prior: 0.15 });
    yield replaceText(place, node, write.lookup(own, text, null).text, { template: id, prior: 0.15 });
  }
}

/** `d[k] += x` to `d[k] = d.get(k, 0) + x`. */
function* counted(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const { write } = file.language;
  const left = child(node, 'left');
  const right = child(node, 'right');
  const operator = child(node, 'operator');
  const object = left?.role === 'subscript' ? child(left, 'object') : null;
  const key = left === null ? null : child(left, 'index');
  if (left === null || right === null || operator === null || object === null || key === null) return;
  const plain = textOf(file, operator).slice(0, -1);
  for (const first of ['0', write.literals.emptyList, write.literals.emptyText]) {
    const before = write.lookup(phraseOf(file, object), textOf(file, key), first);
    const sum = write.binary(plain, before, phraseOf(file, right));
    const text = write.assign(textOf(file, left), '=', sum.text);
    yield replaceText(place, node, text, { template: id, prior: 0.3 });
  }
}

/** `d[k] = [x]` to `d.setdefault(k, []).append(x)`: the earlier ones stay. */
function* collected(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const { write, putMethods } = file.language;
  const left = child(node, 'left');
  const right = child(node, 'right');
  const object = left?.role === 'subscript' ? child(left, 'object') : null;
  const key = left === null ? null : child(left, 'index');
  if (right === null || object === null || key === null || key.role === 'slice') return;
  const own = phraseOf(file, object);
  const text = textOf(file, right);
  for (const [shape, empty] of [
    ['list', write.literals.emptyList],
    ['set', write.literals.emptySet],
  ] as const) {
    const method = putMethods[shape];
    if (method === undefined) continue;
    const filled = right.role === shape && right.children.length === 3;
    const item = filled ? text.slice(1, -1) : text;
    const put = write.member(write.lookupOrPut(own, textOf(file, key), empty), method).text;
    yield replaceText(place, node, write.call(put, [item]).text, {
      template: id,
      prior: filled ? 0.4 : 0.15,
    });
  }
  if (left === null) return;
  const before = write.lookup(own, textOf(file, key), '0');
  const sum = write.binary('+', before, phraseOf(file, right)).text;
  yield replaceText(place, node, write.assign(textOf(file, left), '=', sum), { template: id, prior: 0.3 });
}
