import type { SyntaxNode } from '../syntax/node.ts';
import { child } from '../syntax/node.ts';
import type { Shape } from '../syntax/shape.ts';
import type { SourceFile } from '../syntax/source-file.ts';
import { textOf } from '../syntax/source-file.ts';

/** True for what `len` is asked of; `parent`: of the expression. */
export function isMeasured(file: SourceFile, parent: SyntaxNode): boolean {
  const callee =
    parent.role === 'arguments' && parent.parent !== null ? child(parent.parent, 'callee') : null;
  return callee !== null && textOf(file, callee) === 'len';
}

/** The shape that the use of an expression tells for sure: `x.append(...)`, `range(x)`, `for y in x`. */
export function shapeFromParent(file: SourceFile, node: SyntaxNode, parent: SyntaxNode): Shape | null {
  switch (parent.role) {
    case 'attribute': {
      const property = node.field === 'object' ? child(parent, 'property') : null;
      return property === null ? null : (file.language.shapes.receivers[textOf(file, property)] ?? null);
    }
    case 'augmentedAssignment':
      return child(parent, 'right')?.role === 'integer' ? 'number' : null;
    case 'slice':
      return 'number';
    case 'subscript':
      return node.field === 'object' && child(parent, 'index')?.role === 'slice' ? 'list' : null;
    case 'for':
    case 'forClause':
      return node.field === 'right' ? 'list' : null;
    case 'arguments': {
      const callee = parent.parent === null ? null : child(parent.parent, 'callee');
      const called = callee === null ? '' : textOf(file, callee);
      if (called === 'range') return 'number';
      return ['enumerate', 'reversed', 'sorted', 'sum', 'any', 'all'].includes(called) ? 'list' : null;
    }
    default:
      return null;
  }
}

/** What a call gives, by the name of the function or method. */
export function callShape(file: SourceFile, node: SyntaxNode): Shape | null {
  const { calls, methods } = file.language.shapes;
  const callee = child(node, 'callee');
  if (callee === null) return null;
  if (callee.role === 'identifier') return calls[textOf(file, callee)] ?? null;
  const property = callee.role === 'attribute' ? child(callee, 'property') : null;
  if (property === null) return null;
  const name = textOf(file, property);
  return methods[name] ?? calls[name] ?? null;
}

/** By its brackets; a generator counts as a list. */
export function comprehensionShape(file: SourceFile, node: SyntaxNode): Shape {
  const opening = file.text[node.start];
  if (opening !== '{') return 'list';
  return child(node, 'body')?.role === 'pair' ? 'dict' : 'set';
}
