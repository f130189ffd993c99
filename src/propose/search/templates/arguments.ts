import { visibleNames, visibleValues } from '../analysis/names.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, parts } from '../syntax/node.ts';
import { textOf } from '../syntax/source-file.ts';
import { quote } from './edit.ts';
import { reads } from './slots.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'arguments';

/**
 * An argument too many or too few, for functions of this file. "Same function more args" and "same function less
 * args" of ManySStuBs4J (Karampatsis and Sutton, MSR 2020); the parameter adder and remover of PAR (Kim et al., ICSE
 * 2013).
 */
export const argumentCount: Template = {
  id,
  prior: 0.35,
  *rewrites(place) {
    for (const node of reads(place)) {
      const list = node.role === 'call' ? child(node, 'arguments') : null;
      if (list?.role !== 'arguments') continue;
      yield* fewer(place, list);
      yield* more(place, node, list);
    }
  },
};

function* fewer(place: Place, list: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const given = parts(list);
  for (const [at, argument] of given.entries()) {
    const next = given[at + 1];
    const before = given[at - 1];
    const start = next === undefined ? (before?.end ?? argument.start) : argument.start;
    const end = next?.start ?? argument.end;
    const what = `the argument ${quote(textOf(file, argument))} is dropped`;
    const prior = argument.role === 'keywordArgument' ? 0.2 : 0.15;
    yield { splices: [{ start, end, text: '' }], template: id, prior, what, traits: ['unwraps'] };
  }
}

function* more(place: Place, call: SyntaxNode, list: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const callee = child(call, 'callee');
  const name = callee === null ? null : (child(callee, 'property') ?? callee);
  const known = name === null ? undefined : calleeOf(place, textOf(file, name));
  const given = parts(list);
  if (known === undefined || given.some((part) => part.role === 'splat')) return;
  const open = known.filter((parameter) => !given.some((part) => named(place, part) === parameter.name));
  const positional = given.filter((part) => part.role !== 'keywordArgument').length;
  const values = visibleValues(place.index, place.site, call).filter(({ distance }) => distance < 3);
  const at = given.at(-1)?.end ?? list.start + 1;
  const comma = given.length === 0 ? '' : ', ';
  const edit = (text: string, prior: number): Rewrite => ({
    splices: [{ start: at, end: at, text: comma + text }],
    template: id,
    prior,
    what: `${quote(text)} is passed to ${quote(callee === null ? '' : textOf(file, callee))}`,
    traits: [],
  });
  for (const parameter of open.slice(Math.min(positional, open.length)).slice(0, 3)) {
    if (values.some((value) => value.name === parameter.name)) {
      yield edit(`${parameter.name}=${parameter.name}`, 0.35);
    }
  }
  if (positional !== given.length || positional >= known.length) return;
  for (const [rank, value] of values.slice(0, 10).entries()) yield edit(value.name, 0.25 / (1 + 0.1 * rank));
}

function named(place: Place, part: SyntaxNode): string | null {
  const label = part.role === 'keywordArgument' ? child(part, 'name') : null;
  return label === null ? null : textOf(place.site.file, label);
}

/** The parameters of a function or method of this file, without the receiver. */
function calleeOf(place: Place, name: string): { name: string }[] | undefined {
  for (const scope of place.index.scopes.values()) {
    const made = scope.kind === 'function' && scope.parent?.kind === 'class' && scope.parent.name === name;
    if (made && scope.name === place.site.file.language.constructorName) {
      return scope.parameters.filter((parameter) => !parameter.rest).slice(1);
    }
    const plain = scope.parameters.filter((parameter) => !parameter.rest);
    if (scope.kind === 'function' && scope.name === name)
      return plain.slice(scope.parent?.kind === 'class' ? 1 : 0);
  }
  const known = visibleNames(place.index, place.site, place.site.node).some(
    (visible) => visible.name === name,
  );
  const arity = place.site.file.language.builtins.get(name);
  if (known || arity === undefined) return undefined;
  return Array.from({ length: Math.min(arity.max, 3) }, () => ({ name: '' }));
}
