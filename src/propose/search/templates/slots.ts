import { isTarget } from '../syntax/kinds.ts';
import type { Role, SyntaxNode } from '../syntax/node.ts';
import { child } from '../syntax/node.ts';
import { textOf } from '../syntax/source-file.ts';
import type { Place } from './template.ts';

/** What an expression is used for where it stands. */
export type Slot =
  | 'condition'
  | 'argument'
  | 'range'
  | 'assigned'
  | 'returned'
  | 'index'
  | 'bound'
  | 'comparand'
  | 'operand'
  | 'element'
  | 'iterable'
  | 'object'
  | 'callee'
  | 'target'
  | 'statement'
  | 'other';

/** Slots that the parent alone decides. */
const slotUnder: Readonly<Partial<Record<Role, Slot>>> = {
  keywordArgument: 'argument',
  splat: 'argument',
  assignment: 'assigned',
  augmentedAssignment: 'assigned',
  namedExpression: 'assigned',
  parameter: 'assigned',
  return: 'returned',
  yield: 'returned',
  slice: 'bound',
  comparison: 'comparand',
  arithmetic: 'operand',
  unary: 'operand',
  list: 'element',
  tuple: 'element',
  set: 'element',
  pair: 'element',
  dict: 'element',
  for: 'iterable',
  forClause: 'iterable',
  attribute: 'object',
  expressionStatement: 'statement',
};

/** The slot of an expression; parentheses, `await` and conditionals are looked through. */
export function slotOf(place: Place, node: SyntaxNode): Slot {
  if (isTarget(node)) return 'target';
  const parent = node.parent;
  if (parent === null) return 'other';
  switch (parent.role) {
    case 'if':
    case 'elif':
    case 'while':
    case 'assert':
    case 'ifClause':
    case 'boolean':
    case 'not':
      return node.field === 'message' ? 'other' : 'condition';
    case 'conditional':
      return node.field === 'condition' ? 'condition' : slotOf(place, parent);
    case 'parenthesised':
    case 'await':
      return slotOf(place, parent);
    case 'arguments':
      return isRange(place, parent) ? 'range' : 'argument';
    case 'lambda':
      return node.field === 'body' ? 'returned' : 'other';
    case 'subscript':
      return node.field === 'object' ? 'object' : 'index';
    case 'comprehension':
      return node.field === 'body' ? 'element' : 'other';
    case 'call':
      return node.field === 'callee' ? 'callee' : 'argument';
    default:
      return slotUnder[parent.role] ?? 'other';
  }
}

function isRange(place: Place, list: SyntaxNode): boolean {
  const callee = list.parent === null ? null : child(list.parent, 'callee');
  return callee !== null && textOf(place.site.file, callee) === 'range';
}

/** Expressions of a place that are read, not stored into. */
export function reads(place: Place): SyntaxNode[] {
  return place.site.expressions.filter((node) => !isTarget(node));
}
