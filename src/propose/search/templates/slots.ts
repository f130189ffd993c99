import { isTarget } from '../syntax/kinds.ts';
import type { SyntaxNode } from '../syntax/node.ts';
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
    case 'keywordArgument':
    case 'splat':
      return 'argument';
    case 'assignment':
    case 'augmentedAssignment':
    case 'namedExpression':
    case 'parameter':
      return 'assigned';
    case 'return':
    case 'yield':
      return 'returned';
    case 'lambda':
      return node.field === 'body' ? 'returned' : 'other';
    case 'subscript':
      return node.field === 'object' ? 'object' : 'index';
    case 'slice':
      return 'bound';
    case 'comparison':
      return 'comparand';
    case 'arithmetic':
    case 'unary':
      return 'operand';
    case 'list':
    case 'tuple':
    case 'set':
    case 'pair':
    case 'dict':
      return 'element';
    case 'comprehension':
      return node.field === 'body' ? 'element' : 'other';
    case 'for':
    case 'forClause':
      return 'iterable';
    case 'attribute':
      return 'object';
    case 'call':
      return node.field === 'callee' ? 'callee' : 'argument';
    case 'expressionStatement':
      return 'statement';
    default:
      return 'other';
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
