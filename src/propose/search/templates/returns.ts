import { visibleValues } from '../analysis/names.ts';
import { functionAround } from '../analysis/scope.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child } from '../syntax/node.ts';
import { atom, phraseOf } from '../syntax/phrase.ts';
import { textOf } from '../syntax/source-file.ts';
import { isGenerator, returnedTexts, statementsOf } from './bodies.ts';
import { conditionsAt } from './conditions.ts';
import { hasOwnLines, linesAfter, quote, replaceText } from './edit.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'returns';

/**
 * A wrong or missing return: another value, a condition for a fixed truth value, a value that was computed but not
 * returned, a return at the end of a function. Return statement replacement (RSR) of Mothra (King and Offutt, SPE
 * 1991); the return value mutators of PraPR (Ghanbari, Benton and Zhang, ISSTA 2019); "mutate return statement" of
 * TBar (Liu et al., ISSTA 2019).
 */
export const returns: Template = {
  id,
  prior: 0.6,
  *rewrites(place) {
    const { node, scope } = place.site;
    if (node.role === 'return') yield* otherValue(place, node);
    if (node.role === 'expressionStatement' && functionAround(scope) !== null) yield* forgotten(place, node);
    yield* atEnd(place, node);
  },
};

function* otherValue(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const { write } = file.language;
  const value = child(node, 'value');
  const own = value === null ? '' : textOf(file, value);
  const edit = (text: string, prior: number, traits: Rewrite['traits'] = []): Rewrite => {
    const statement = write.returns(text);
    const what = `${quote(textOf(file, node))} becomes ${quote(statement)}`;
    return replaceText(place, node, statement, { template: id, prior, what, traits });
  };
  const constant =
    value === null || ['true', 'false', 'none', 'integer', 'list', 'string', 'dict'].includes(value.role);
  for (const [rank, { name, distance }] of visibleValues(place.index, place.site, node).entries()) {
    if (distance === 3 || name === own) continue;
    const fade = 1 / (1 + 0.08 * rank);
    yield edit(name, (constant ? 0.4 : 0.3) * fade);
    if (value?.role === 'list') yield edit(write.list([name]), 0.45 * fade);
  }
  if (value?.role === 'true' || value?.role === 'false' || value === null) {
    for (const [rank, { phrase, weight }] of truths(place, node).entries()) {
      yield edit(phrase, (0.42 * weight) / (1 + 0.04 * rank));
    }
  }
  for (const text of returnedTexts(place)) if (text !== own && text !== '') yield edit(text, 0.25);
  const { none, emptyList, emptyText, emptyDict, true: yes, false: no } = write.literals;
  for (const text of [none, no, yes, emptyList, '0', emptyText, emptyDict]) {
    if (text !== own) yield edit(text, constant ? 0.15 : 0.08, ['constant']);
  }
}

/** Conditions a function of truth values might mean. */
function truths(place: Place, node: SyntaxNode): { phrase: string; weight: number }[] {
  const { file } = place.site;
  const { language } = file;
  const found: { phrase: string; weight: number }[] = [];
  for (const { name, shape, distance, kind } of visibleValues(place.index, place.site, node)) {
    if (distance === 3 || kind === 'clause') continue;
    const own = atom(language, name);
    if (shape === 'number' || shape === null) {
      const zero = atom(language, '0');
      const sure = shape === 'number' ? 1 : 0.5;
      for (const [operator, weight] of [
        ['==', 1],
        ['>', 0.7],
        ['!=', 0.6],
        ['>=', 0.5],
        ['<', 0.5],
        ['<=', 0.4],
      ] as const) {
        found.push({ phrase: language.write.compare(operator, own, zero).text, weight: weight * sure });
      }
    }
    found.push({ phrase: language.write.not(own).text, weight: 0.7 });
  }
  for (const { phrase, weight } of conditionsAt(place, node))
    found.push({ phrase: phrase.text, weight: weight * 0.6 });
  return found.sort((a, b) => b.weight - a.weight).slice(0, 30);
}

/** `f(x)` to `return f(x)`. */
function* forgotten(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const value = child(node, 'value');
  if (value === null || !['call', 'identifier', 'await', 'comparison', 'arithmetic'].includes(value.role))
    return;
  const statement = file.language.write.returns(phraseOf(file, value).text);
  yield replaceText(place, node, statement, { template: id, prior: value.role === 'call' ? 0.35 : 0.6 });
}

/** A return after the last statement of a function. */
function* atEnd(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const block = node.parent;
  if (block?.role !== 'block' || block.parent?.role !== 'function') return;
  if (statementsOf(block).at(-1) !== node || !hasOwnLines(file, node)) return;
  if (node.role === 'return' || node.role === 'raise' || isGenerator(place)) return;
  const { write } = file.language;
  const values = visibleValues(place.index, place.site, node).filter(({ distance }) => distance < 3);
  const texts = [
    ...new Set([
      ...values.map(({ name }) => name),
      ...returnedTexts(place),
      write.literals.false,
      write.literals.true,
      write.literals.emptyList,
      '0',
    ]),
  ];
  for (const [rank, text] of texts.filter((one) => one !== '').entries()) {
    const statement = write.returns(text);
    yield {
      splices: [linesAfter(file, node, [statement])],
      template: id,
      prior: 0.5 / (1 + 0.1 * rank),
      what: `${quote(statement)} is put at the end`,
      traits: [],
    };
  }
}
