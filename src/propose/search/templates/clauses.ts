import { functionAround } from '../analysis/scope.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, descend, parts } from '../syntax/node.ts';
import { phraseOf } from '../syntax/phrase.ts';
import { textOf } from '../syntax/source-file.ts';
import { conditionsAt } from './conditions.ts';
import { quote, replaceNode } from './edit.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'clauses';

/**
 * A condition gets a further clause (`or not xs`, `x is None or ...`), a loop without a condition gets one, a
 * comprehension gains or loses its filter. The tightened and loosened conditions of SPR (Long and Rinard, ESEC/FSE
 * 2015); "more specific if" and "less specific if" of ManySStuBs4J (Karampatsis and Sutton, MSR 2020); the
 * expression adder of PAR (Kim et al., ICSE 2013).
 */
export const clauses: Template = {
  id,
  prior: 0.5,
  *rewrites(place) {
    for (const node of place.site.expressions) {
      if (isCondition(node)) yield* further(place, node, 1);
      else if (isPartOfCondition(node)) yield* further(place, node, 0.45);
      if (node.role === 'comprehension') yield* filters(place, node);
    }
    const condition = child(place.site.node, 'condition');
    if (place.site.node.role === 'while' && condition?.role === 'true') yield* loop(place, condition);
  },
};

function isCondition(node: SyntaxNode): boolean {
  if (node.field !== 'condition') return false;
  return node.role !== 'true' && node.role !== 'false';
}

/** `b` in `a or b`, which may have been meant as `b and c`. */
function isPartOfCondition(node: SyntaxNode): boolean {
  return node.parent?.role === 'boolean' && node.role !== 'boolean';
}

function* further(place: Place, node: SyntaxNode, share: number): Generator<Rewrite> {
  const { file } = place.site;
  const { write } = file.language;
  const own = phraseOf(file, node);
  for (const { phrase, weight, first } of conditionsAt(place, node)) {
    if (phrase.text === own.text) continue;
    const what = (word: string) => `${quote(own.text)} gets ${quote(`${word} ${phrase.text}`)}`;
    yield replaceNode(place, node, first ? write.or(phrase, own) : write.or(own, phrase), {
      template: id,
      prior: 0.42 * weight * share,
      what: what('or'),
    });
    yield replaceNode(place, node, first ? write.and(phrase, own) : write.and(own, phrase), {
      template: id,
      prior: 0.4 * weight * share,
      what: what('and'),
    });
  }
}

/** `while True` gets a condition that can end it. */
function* loop(place: Place, condition: SyntaxNode): Generator<Rewrite> {
  const around = place.site.node;
  for (const { phrase, weight } of conditionsAt(place, around)) {
    yield replaceNode(place, condition, phrase, { template: id, prior: 0.5 * weight });
  }
}

function* filters(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file, scope } = place.site;
  const clausesOf = parts(node).filter((part) => part.role === 'forClause' || part.role === 'ifClause');
  const last = clausesOf.at(-1);
  if (last === undefined) return;
  for (const clause of clausesOf.filter((part) => part.role === 'ifClause')) {
    yield {
      splices: [{ start: blanksBefore(file.text, clause.start), end: clause.end, text: '' }],
      template: id,
      prior: 0.2,
      what: `${quote(textOf(file, clause))} is dropped`,
      traits: ['deletes'],
    };
  }
  const home = functionAround(scope)?.node ?? file.root;
  const filtersElsewhere = descend(home).filter(
    (at) => at.role === 'comparison' || at.field === 'condition' || at.role === 'not',
  );
  const names = descend(node).filter((at) => at.field === 'left' && at.role === 'identifier');
  const tests = [...filtersElsewhere, ...names].map((at) => textOf(file, at));
  for (const test of [...new Set(tests)].slice(0, 16)) {
    yield {
      splices: [{ start: last.end, end: last.end, text: ` if ${test}` }],
      template: id,
      prior: 0.2,
      what: `${quote(textOf(file, node))} takes only ${quote(test)}`,
      traits: [],
    };
  }
}

function blanksBefore(text: string, at: number): number {
  let start = at;
  while (start > 0 && /\s/.test(text[start - 1] ?? '')) start -= 1;
  return start;
}
