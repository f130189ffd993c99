import { functionAround } from '../analysis/scope.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, closest } from '../syntax/node.ts';
import { textOf } from '../syntax/source-file.ts';
import { loopAround, returnedTexts } from './bodies.ts';
import { quote, replaceText } from './edit.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'jumps';

/**
 * Another way to go on: `break` for `continue`, a return for a jump, a jump for a bare `pass`; `elif` for `if` and
 * the other way round. Statement replacement of Mothra's control operators (King and Offutt, SPE 1991).
 */
export const jumps: Template = {
  id,
  prior: 0.6,
  *rewrites(place) {
    const { node, scope } = place.site;
    const inLoop = loopAround(node) !== null;
    switch (node.role) {
      case 'break':
      case 'continue':
      case 'pass':
        yield* another(place, inLoop);
        break;
      case 'return':
        if (inLoop && functionAround(scope) !== null) {
          const { jumps: words } = place.site.file.language.write;
          for (const text of [words.continue, words.break]) {
            yield replaceText(place, node, text, { template: id, prior: 0.25 });
          }
        }
        break;
      case 'if':
      case 'elif':
        yield* chained(place, node);
        break;
      default:
        break;
    }
  },
};

function* another(place: Place, inLoop: boolean): Generator<Rewrite> {
  const { node, file, scope } = place.site;
  const { write } = file.language;
  const own = textOf(file, node);
  const prior = node.role === 'pass' ? 0.3 : 0.6;
  for (const text of inLoop ? [write.jumps.break, write.jumps.continue, write.jumps.pass] : []) {
    if (text !== own) yield replaceText(place, node, text, { template: id, prior });
  }
  if (closest(node, (at) => at.role === 'except') !== null) {
    yield replaceText(place, node, write.jumps.rethrow, { template: id, prior: 0.45 });
  }
  if (functionAround(scope) === null) return;
  const values = [...new Set(['', ...returnedTexts(place), write.literals.false, write.literals.true])];
  for (const value of values) {
    yield replaceText(place, node, write.returns(value === '' ? null : value), {
      template: id,
      prior: prior * 0.6,
    });
  }
}

/** `elif` to `if`: both are asked. `if` right after an `if` to `elif`: only one is. */
function* chained(place: Place, node: SyntaxNode): Generator<Rewrite> {
  const { file } = place.site;
  const keyword = node.children.find((token) => token.role === 'token');
  if (keyword === undefined || child(node, 'condition') === null) return;
  const block = node.parent;
  const siblings = block?.children.filter((at) => at.role !== 'comment') ?? [];
  const before = siblings[siblings.indexOf(node) - 1];
  const { chained: word } = file.language;
  if (node.role === 'elif' && before !== undefined) {
    const text = file.text.slice(keyword.start, keyword.end).replace(word.elif, word.if);
    const what = `${quote(word.elif)} becomes ${quote(word.if)}`;
    yield replaceText(place, keyword, text, { template: id, prior: 0.3, what });
  }
  if (node.role === 'if' && before?.role === 'if') {
    const what = `${quote(word.if)} becomes ${quote(word.elif)}`;
    yield replaceText(place, keyword, word.elif, { template: id, prior: 0.3, what });
  }
}
