import { functionAround } from '../analysis/scope.ts';
import { isLoop, isStatement } from '../syntax/kinds.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, closest, descend } from '../syntax/node.ts';
import { textOf } from '../syntax/source-file.ts';
import type { Place } from './template.ts';

/** The statements of a block or module, in order. */
export function statementsOf(block: SyntaxNode): SyntaxNode[] {
  return block.children.filter((node) => isStatement(node));
}

/** The statement right before or after, in the same block. */
export function neighbour(statement: SyntaxNode, step: 1 | -1): SyntaxNode | null {
  const siblings = statement.parent === null ? [] : statementsOf(statement.parent);
  return siblings[siblings.indexOf(statement) + step] ?? null;
}

/** The loop around, inside the same function, or null. */
export function loopAround(node: SyntaxNode): SyntaxNode | null {
  const found =
    node.parent === null ? null : closest(node.parent, (at) => isLoop(at) || at.role === 'function');
  return found !== null && isLoop(found) ? found : null;
}

/** Statements and expressions of the function around, nested functions left out. */
export function insideFunction(place: Place): readonly SyntaxNode[] {
  const home = homeOf(place);
  return place.index.once('inside', home, () =>
    descend(home, (at) => at === home || (at.role !== 'function' && at.role !== 'class')),
  );
}

/** The function around, or the module. */
export function homeOf({ site }: Place): SyntaxNode {
  return functionAround(site.scope)?.node ?? site.file.root;
}

/** The texts this function returns elsewhere, each once; '' for a bare return. */
export function returnedTexts(place: Place): readonly string[] {
  return place.index.once('returned', homeOf(place), () => {
    const values = insideFunction(place)
      .filter((node) => node.role === 'return')
      .map((node) => child(node, 'value'));
    return [...new Set(values.map((value) => (value === null ? '' : textOf(place.site.file, value))))];
  });
}

/** True for a function that yields: its returns carry no value. */
export function isGenerator(place: Place): boolean {
  return insideFunction(place).some((node) => node.role === 'yield');
}
