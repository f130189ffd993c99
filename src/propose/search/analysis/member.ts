import { isTarget } from '../syntax/kinds.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, descend } from '../syntax/node.ts';
import type { SourceFile } from '../syntax/source-file.ts';
import { textOf } from '../syntax/source-file.ts';
import type { Scope } from './scope.ts';
import { functionAround } from './scope.ts';

/** An attribute of a class's objects, as its methods use it. */
export type Member = {
  readonly name: string;
  /** What its methods store into it, with where. */
  readonly values: { node: SyntaxNode; scope: Scope }[];
  readonly method: boolean;
};

/** The members of every class of a file, by the class's scope. */
export function membersOfClasses(
  file: SourceFile,
  scopes: ReadonlyMap<SyntaxNode, Scope>,
): ReadonlyMap<Scope, ReadonlyMap<string, Member>> {
  const classes = new Map<Scope, Map<string, Member>>();
  for (const scope of scopes.values()) {
    if (scope.kind !== 'class') continue;
    const found = new Map<string, Member>();
    for (const binding of scope.bindings.values()) {
      const values = binding.values.map((node) => ({ node, scope }));
      found.set(binding.name, { name: binding.name, values, method: binding.kind === 'function' });
    }
    classes.set(scope, found);
  }
  for (const scope of scopes.values()) {
    const owner = scope.kind === 'function' ? scope.parent : null;
    const known = owner === null ? undefined : classes.get(owner);
    const receiver = scope.parameters[0]?.name;
    if (known === undefined || receiver === undefined) continue;
    for (const node of descend(scope.node)) collect(file, node, receiver, scope, known);
  }
  return classes;
}

function collect(
  file: SourceFile,
  node: SyntaxNode,
  receiver: string,
  scope: Scope,
  known: Map<string, Member>,
): void {
  const object = node.role === 'attribute' ? child(node, 'object') : null;
  const property = node.role === 'attribute' ? child(node, 'property') : null;
  if (object === null || property === null || textOf(file, object) !== receiver) return;
  const name = textOf(file, property);
  const member = known.get(name) ?? { name, values: [], method: false };
  known.set(name, member);
  const assigned = node.parent?.role === 'assignment' && isTarget(node) ? child(node.parent, 'right') : null;
  if (assigned !== null) member.values.push({ node: assigned, scope });
}

/** The class whose method is around, or null. */
export function classAround(scope: Scope): Scope | null {
  for (
    let at = functionAround(scope);
    at !== null;
    at = at.parent === null ? null : functionAround(at.parent)
  ) {
    if (at.parent?.kind === 'class') return at.parent;
  }
  return null;
}
