import { parameterNodes } from '../analysis/scope.ts';
import { isStatement } from '../syntax/kinds.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child } from '../syntax/node.ts';
import { atom } from '../syntax/phrase.ts';
import { textOf } from '../syntax/source-file.ts';
import { statementsOf } from './bodies.ts';
import { hasOwnLines, linesBefore, quote } from './edit.ts';
import type { Place, Rewrite, Template } from './template.ts';

const id = 'defaults';

/**
 * A default that all calls share and change (`def f(xs=[])`) is made anew in each call, in the way that the Python
 * Language Reference gives under "Function definitions": None as the default, and a test for it in the body. The
 * anti-pattern is `MutableDefaultArgs` of DyLin (Eghbali, Burk and Pradel, FSE 2025), B006 of flake8-bugbear and
 * `dangerous-default-value` of Pylint; only where the language has it.
 */
export const defaults: Template = {
  id,
  prior: 0.8,
  *rewrites(place) {
    const { node, file } = place.site;
    if (node.role !== 'function' || !file.language.sharesDefaults) return;
    const body = child(node, 'body');
    const first = body === null ? undefined : firstCode(statementsOf(body));
    if (first === undefined || !hasOwnLines(file, first)) return;
    for (const parameter of parameterNodes(node)) {
      const value = child(parameter, 'value');
      const name = child(parameter, 'name');
      if (value === null || name === null || !isChangeable(value)) continue;
      yield madeAnew(place, textOf(file, name), value, first);
    }
  },
};

function madeAnew(place: Place, name: string, value: SyntaxNode, first: SyntaxNode): Rewrite {
  const { file } = place.site;
  const { write } = file.language;
  const own = textOf(file, value);
  const missing = write.isNone(atom(file.language, name)).text;
  const lines = write.guard(missing, write.assign(name, '=', own), file.indent);
  return {
    splices: [
      { start: value.start, end: value.end, text: write.literals.none },
      linesBefore(file, first, lines),
    ],
    template: id,
    prior: 0.8,
    what: `the default ${quote(own)} of ${quote(name)} is made anew in each call`,
    traits: [],
  };
}

const isChangeable = (node: SyntaxNode) =>
  ['list', 'dict', 'set', 'call', 'comprehension'].includes(node.role);

/** The first statement after a documentation string. */
function firstCode(statements: readonly SyntaxNode[]): SyntaxNode | undefined {
  const isText = (node: SyntaxNode) => child(node, 'value')?.role === 'string';
  return statements.find(
    (node) => isStatement(node) && !(node.role === 'expressionStatement' && isText(node)),
  );
}
