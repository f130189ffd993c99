import type { Role, SyntaxNode } from '../syntax/node.ts';
import { child, descend, parts } from '../syntax/node.ts';
import { operatorOf } from '../syntax/phrase.ts';
import type { Shape } from '../syntax/shape.ts';
import type { SourceFile } from '../syntax/source-file.ts';
import { textOf } from '../syntax/source-file.ts';
import type { Member } from './member.ts';
import { classAround } from './member.ts';
import type { Binding, Scope } from './scope.ts';
import { receiverOf } from './scope.ts';
import { callShape, comprehensionShape, isMeasured, shapeFromParent } from './shape-signs.ts';

export type Shapes = {
  of(node: SyntaxNode, scope: Scope): Shape | null;
  ofName(name: string, scope: Scope): Shape | null;
  /** Of an attribute that the method around reaches by its receiver. */
  ofMember(name: string, scope: Scope): Shape | null;
};

/** Guesses for one file; each answer is worked out once. */
export function shapesOf(file: SourceFile, classes: ReadonlyMap<Scope, ReadonlyMap<string, Member>>): Shapes {
  const guesses: Guesses = { file, classes, ofMembers: new Map(), ofBindings: new Map() };
  return {
    of: (node, scope) => shapeOf(guesses, { node, scope, depth: 0 }),
    ofName: (name, scope) => shapeOfName(guesses, { name, scope, depth: 0 }),
    ofMember: (name, scope) => shapeOfMember(guesses, { name, scope, depth: 0 }),
  };
}

/** What was worked out already; null also while it is being worked out, so that names in a circle end. */
type Guesses = {
  file: SourceFile;
  classes: ReadonlyMap<Scope, ReadonlyMap<string, Member>>;
  ofMembers: Map<Member, Shape | null>;
  ofBindings: Map<Binding, Shape | null>;
};

/** `depth`: how many expressions and names led here. */
type NodeAt = { node: SyntaxNode; scope: Scope; depth: number };
type NameAt = { name: string; scope: Scope; depth: number };

const deepest = 6;

/** Shapes that the role alone tells. */
const shapeOfRole: Readonly<Partial<Record<Role, Shape>>> = {
  integer: 'number',
  float: 'number',
  unary: 'number',
  string: 'text',
  true: 'bool',
  false: 'bool',
  comparison: 'bool',
  not: 'bool',
  none: 'none',
  list: 'list',
  tuple: 'tuple',
  set: 'set',
  dict: 'dict',
  lambda: 'callable',
};

function shapeOf(guesses: Guesses, { node, scope, depth }: NodeAt): Shape | null {
  if (depth > deepest) return null;
  const { file } = guesses;
  const inside = (part: SyntaxNode | null | undefined) =>
    part ? shapeOf(guesses, { node: part, scope, depth: depth + 1 }) : null;
  switch (node.role) {
    case 'comprehension':
      return comprehensionShape(file, node);
    case 'parenthesised':
      return inside(child(node, 'value'));
    case 'arithmetic':
      return arithmeticShape(
        operatorOf(file, node),
        inside(child(node, 'left')),
        inside(child(node, 'right')),
      );
    case 'boolean':
    case 'conditional':
      return inside(parts(node).at(-1));
    case 'call':
      return callShape(file, node);
    case 'subscript':
      return child(node, 'index')?.role === 'slice' ? inside(child(node, 'object')) : null;
    case 'attribute': {
      const object = child(node, 'object');
      const property = child(node, 'property');
      if (object === null || property === null || textOf(file, object) !== receiverOf(scope)) return null;
      return shapeOfMember(guesses, { name: textOf(file, property), scope, depth: depth + 1 });
    }
    case 'identifier':
      return shapeOfName(guesses, { name: textOf(file, node), scope, depth: depth + 1 });
    default:
      return shapeOfRole[node.role] ?? null;
  }
}

function arithmeticShape(operator: string, left: Shape | null, right: Shape | null): Shape | null {
  if (left === 'text' && operator === '%') return 'text';
  if (left === 'list' || right === 'list') return 'list';
  if (left === 'text' || right === 'text') return 'text';
  if (left === 'set') return 'set';
  if (['-', '*', '/', '//', '%', '**'].includes(operator)) return 'number';
  return left ?? right;
}

function shapeOfName(guesses: Guesses, { name, scope, depth }: NameAt): Shape | null {
  const { file, ofBindings } = guesses;
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const binding = at.bindings.get(name);
    if (binding === undefined) continue;
    const before = ofBindings.get(binding);
    if (before !== undefined) return before;
    ofBindings.set(binding, null);
    const shape = bindingShape(file, binding, at, (node, where) =>
      shapeOf(guesses, { node, scope: where, depth: depth + 1 }),
    );
    ofBindings.set(binding, shape);
    return shape;
  }
  return null;
}

function shapeOfMember(guesses: Guesses, { name, scope, depth }: NameAt): Shape | null {
  const { classes, ofMembers } = guesses;
  const owner = classAround(scope);
  const member = owner === null ? undefined : classes.get(owner)?.get(name);
  if (member === undefined) return null;
  const before = ofMembers.get(member);
  if (before !== undefined) return before;
  ofMembers.set(member, null);
  const shapes = member.values.map((value) =>
    shapeOf(guesses, { node: value.node, scope: value.scope, depth: depth + 1 }),
  );
  const shape = member.method ? 'callable' : (shapes.find((one) => one !== null && one !== 'none') ?? null);
  ofMembers.set(member, shape);
  return shape;
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
