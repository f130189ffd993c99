import { argumentsOf } from '../analysis/file-index.ts';
import type { Phrase } from '../syntax/language.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, parts } from '../syntax/node.ts';
import { phraseOf } from '../syntax/phrase.ts';
import { textOf } from '../syntax/source-file.ts';
import { quote, replaceNode } from './edit.ts';
import { reads } from './slots.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'unwraps';

/**
 * A superfluous operation goes and its operand stays: `f(x)` to `x`, `x.strip()` to `x`, `x[1:]` to `x`, `await x`
 * to `x`, a conditional to one of its branches. The expression remover of PAR (Kim et al., ICSE 2013); unary
 * operator deletion of MuJava (Ma, Offutt and Kwon, STVR 2005).
 */
export const unwraps: Template = {
  id,
  prior: 0.5,
  *rewrites(place) {
    for (const node of reads(place)) {
      switch (node.role) {
        case 'call':
          yield* call(place, node);
          break;
        case 'subscript':
          yield* only(
            place,
            node,
            child(node, 'object'),
            child(node, 'index')?.role === 'slice' ? 0.4 : 0.25,
          );
          break;
        case 'attribute':
          if (node.field !== 'callee') yield* only(place, node, child(node, 'object'), 0.15);
          break;
        case 'await':
          yield* only(place, node, child(node, 'argument'), 0.4);
          break;
        case 'conditional':
          yield* only(place, node, child(node, 'then'), 0.15);
          yield* only(place, node, child(node, 'else'), 0.15);
          break;
        case 'list':
          if (parts(node).length === 1) yield* only(place, node, parts(node)[0] ?? null, 0.25);
          break;
        default:
          break;
      }
    }
  },
};

function* call(place: Place, node: SyntaxNode): Generator<Rewrite> {
  if (node.parent?.role === 'expressionStatement') return;
  const callee = child(node, 'callee');
  const given = argumentsOf(node) ?? [];
  for (const argument of given) yield* only(place, node, argument, given.length === 1 ? 0.5 : 0.25);
  if (callee?.role === 'attribute' && given.length <= 1)
    yield* only(place, node, child(callee, 'object'), 0.35);
}

function* only(place: Place, node: SyntaxNode, inner: SyntaxNode | null, prior: number): Generator<Rewrite> {
  if (inner === null || inner.role === 'splat') return;
  const { file } = place.site;
  const phrase: Phrase = phraseOf(file, inner);
  const what = `${quote(textOf(file, node))} becomes ${quote(phrase.text)}`;
  yield replaceNode(place, node, phrase, { template: id, prior, what, traits: ['unwraps'] });
}
