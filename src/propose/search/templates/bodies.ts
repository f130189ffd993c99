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
export function* insideFunction(place: Place): Generator<SyntaxNode> {
  const home = functionAround(place.site.scope)?.node ?? place.site.file.root;
  yield* descend(home, (at) => at === home || (at.role !== 'function' && at.role !== 'class'));
}

/** The texts this function returns elsewhere, each once; '' for a bare return. */
export function returnedTexts(place: Place): string[] {
  const found = new Set<string>();
  for (const node of insideFunction(place)) {
    if (node.role !== 'return') continue;
    const value = child(node, 'value');
    found.add(value === null ? '' : textOf(place.site.file, value));
  }
  return [...found];
}

/** True for a function that yields: its returns carry no value. */
export function isGenerator(place: Place): boolean {
  for (const node of insideFunction(place)) if (node.role === 'yield') return true;
  return false;
}
