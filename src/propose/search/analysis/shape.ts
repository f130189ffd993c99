import type { SyntaxNode } from '../syntax/node.ts';
import { child, descend, parts } from '../syntax/node.ts';
import { operatorOf } from '../syntax/phrase.ts';
import type { Shape } from '../syntax/shape.ts';
import type { SourceFile } from '../syntax/source-file.ts';
import { textOf } from '../syntax/source-file.ts';
import type { Member } from './member.ts';
import { classAround } from './member.ts';
import type { Binding, Scope } from './scope.ts';
import { receiverOf } from './scope.ts';

export type Shapes = {
  of(node: SyntaxNode, scope: Scope): Shape | null;
  ofName(name: string, scope: Scope): Shape | null;
  /** Of an attribute that the method around reaches by its receiver. */
  ofMember(name: string, scope: Scope): Shape | null;
};

/** Guesses for one file; each answer is worked out once. */
export function shapesOf(file: SourceFile, classes: ReadonlyMap<Scope, ReadonlyMap<string, Member>>): Shapes {
  const members = new Map<Member, Shape | null>();
  const known = new Map<Binding, Shape | null>();
  const of = (node: SyntaxNode, scope: Scope, depth = 0): Shape | null => {
    if (depth > 6) return null;
    switch (node.role) {
      case 'integer':
      case 'float':
        return 'number';
      case 'string':
        return 'text';
      case 'true':
      case 'false':
      case 'comparison':
      case 'not':
        return 'bool';
      case 'none':
        return 'none';
      case 'list':
        return 'list';
      case 'tuple':
        return 'tuple';
      case 'set':
        return 'set';
      case 'dict':
        return 'dict';
      case 'comprehension':
        return comprehensionShape(file, node);
      case 'lambda':
        return 'callable';
      case 'parenthesised': {
        const value = child(node, 'value');
        return value === null ? null : of(value, scope, depth + 1);
      }
      case 'unary':
        return 'number';
      case 'arithmetic': {
        const left = child(node, 'left');
        const right = child(node, 'right');
        const operator = operatorOf(file, node);
        const first = left === null ? null : of(left, scope, depth + 1);
        const second = right === null ? null : of(right, scope, depth + 1);
        if (first === 'text' && operator === '%') return 'text';
        if (first === 'list' || second === 'list') return 'list';
        if (first === 'text' || second === 'text') return 'text';
        if (first === 'set') return 'set';
        if (['-', '*', '/', '//', '%', '**'].includes(operator)) return 'number';
        return first ?? second;
      }
      case 'boolean':
      case 'conditional': {
        const last = parts(node).at(-1);
        return last === undefined ? null : of(last, scope, depth + 1);
      }
      case 'call':
        return callShape(file, node);
      case 'subscript': {
        const object = child(node, 'object');
        const index = child(node, 'index');
        if (object === null || index?.role !== 'slice') return null;
        return of(object, scope, depth + 1);
      }
      case 'attribute': {
        const object = child(node, 'object');
        const property = child(node, 'property');
        if (object === null || property === null || textOf(file, object) !== receiverOf(scope)) return null;
        return ofMember(textOf(file, property), scope, depth + 1);
      }
      case 'identifier':
        return ofName(textOf(file, node), scope, depth + 1);
      default:
        return null;
    }
  };
  const ofName = (name: string, scope: Scope, depth = 0): Shape | null => {
    for (let at: Scope | null = scope; at !== null; at = at.parent) {
      const binding = at.bindings.get(name);
      if (binding === undefined) continue;
      const before = known.get(binding);
      if (before !== undefined) return before;
      known.set(binding, null);
      const shape = bindingShape(file, binding, at, (node, where) => of(node, where, depth + 1));
      known.set(binding, shape);
      return shape;
    }
    return null;
  };
  const ofMember = (name: string, scope: Scope, depth = 0): Shape | null => {
    const owner = classAround(scope);
    const member = owner === null ? undefined : classes.get(owner)?.get(name);
    if (member === undefined) return null;
    const before = members.get(member);
    if (before !== undefined) return before;
    members.set(member, null);
    const shapes = member.values.map((value) => of(value.node, value.scope, depth + 1));
    const shape = member.method ? 'callable' : (shapes.find((one) => one !== null && one !== 'none') ?? null);
    members.set(member, shape);
    return shape;
  };
  return {
    of: (node, scope) => of(node, scope),
    ofName: (name, scope) => ofName(name, scope),
    ofMember: (name, scope) => ofMember(name, scope),
  };
}

function bindingShape(
  file: SourceFile,
  binding: Binding,
  scope: Scope,
  of: (node: SyntaxNode, scope: Scope) => Shape | null,
): Shape | null {
  if (binding.kind === 'function' || binding.kind === 'class') return 'callable';
  if (binding.annotation !== null) {
    const text = textOf(file, binding.annotation);
    const match = file.language.shapes.annotations.find(([pattern]) => pattern.test(text));
    if (match !== undefined) return match[1];
  }
  for (const value of binding.values) {
    const shape = of(value, scope);
    if (shape !== null && shape !== 'none') return shape;
  }
  return shapeByUse(file, binding.name, scope, of);
}

/** `x.append(...)` makes `x` a list, `x + 1`, `range(x)` and `xs[:x]` a number, `for y in x` and `x[:1]` a list. */
function shapeByUse(
  file: SourceFile,
  name: string,
  scope: Scope,
  of: (node: SyntaxNode, scope: Scope) => Shape | null,
): Shape | null {
  let guess: Shape | null = null;
  for (const node of descend(scope.node)) {
    if (node.role !== 'identifier' || textOf(file, node) !== name || node.parent === null) continue;
    const sure = shapeFromParent(file, node, node.parent);
    if (sure !== null) return sure;
    // A length may be a text's as well: surer signs can still come.
    if (isMeasured(file, node.parent)) guess = 'list';
    if (guess === null && (node.parent.role === 'comparison' || node.parent.role === 'arithmetic')) {
      const others = parts(node.parent).filter((part) => part !== node);
      if (others.some((part) => of(part, scope) === 'number')) guess = 'number';
    }
  }
  return guess;
}

function isMeasured(file: SourceFile, parent: SyntaxNode): boolean {
  const callee =
    parent.role === 'arguments' && parent.parent !== null ? child(parent.parent, 'callee') : null;
  return callee !== null && textOf(file, callee) === 'len';
}

function shapeFromParent(file: SourceFile, node: SyntaxNode, parent: SyntaxNode): Shape | null {
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

function callShape(file: SourceFile, node: SyntaxNode): Shape | null {
  const { calls, methods } = file.language.shapes;
  const callee = child(node, 'callee');
  if (callee === null) return null;
  if (callee.role === 'identifier') return calls[textOf(file, callee)] ?? null;
  const property = callee.role === 'attribute' ? child(callee, 'property') : null;
  if (property === null) return null;
  const name = textOf(file, property);
  return methods[name] ?? calls[name] ?? null;
}

function comprehensionShape(file: SourceFile, node: SyntaxNode): Shape {
  const opening = file.text[node.start];
  if (opening !== '{') return 'list';
  return child(node, 'body')?.role === 'pair' ? 'dict' : 'set';
}

/** How well a value of shape `b` could stand for one of shape `a`: 1 alike, 0.55 unknown, 0.2 unlike. */
export function likeness(a: Shape | null, b: Shape | null): number {
  if (a === null || b === null) return 0.55;
  if (a === b) return 1;
  const pair = new Set([a, b]);
  if (pair.has('list') && (pair.has('tuple') || pair.has('set'))) return 0.5;
  if (pair.has('number') && pair.has('bool')) return 0.4;
  if (pair.has('none')) return 0.4;
  return 0.2;
}
