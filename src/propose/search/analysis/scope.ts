import { isTarget } from '../syntax/kinds.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, descend, parts } from '../syntax/node.ts';
import type { SourceFile } from '../syntax/source-file.ts';
import { textOf } from '../syntax/source-file.ts';

/** What bound a name. */
export type BindingKind = 'parameter' | 'local' | 'loop' | 'import' | 'function' | 'class';

export type Binding = {
  readonly name: string;
  readonly kind: BindingKind;
  /** Offset of the first place that binds it. */
  readonly offset: number;
  /** What is assigned to it as a whole, in source order. */
  readonly values: SyntaxNode[];
  /** Its annotation, if any. */
  annotation: SyntaxNode | null;
};

/** A function, a class or the module, with the names it binds itself. */
export type Scope = {
  readonly node: SyntaxNode;
  readonly kind: 'module' | 'class' | 'function';
  /** Empty for the module. */
  readonly name: string;
  readonly parent: Scope | null;
  readonly parameters: readonly Parameter[];
  readonly bindings: ReadonlyMap<string, Binding>;
};

export type Parameter = { readonly name: string; readonly optional: boolean; readonly rest: boolean };

/** Every scope of a file, by its node, the module's first. */
export function scopesOf(file: SourceFile): ReadonlyMap<SyntaxNode, Scope> {
  const scopes = new Map<SyntaxNode, Scope>();
  const visit = (node: SyntaxNode, parent: Scope | null) => {
    const scope = scopeOf(file, node, parent);
    scopes.set(node, scope);
    for (const below of descend(node, (at) => at === node || !opensScope(at))) {
      if (below !== node && opensScope(below)) visit(below, scope);
    }
  };
  visit(file.root, null);
  return scopes;
}

const opensScope = (node: SyntaxNode) => node.role === 'function' || node.role === 'class';

function scopeOf(file: SourceFile, node: SyntaxNode, parent: Scope | null): Scope {
  const bindings = new Map<string, Binding>();
  const parameters = node.role === 'function' ? parametersOf(file, node) : [];
  const bind = (name: string, kind: BindingKind, offset: number, value: SyntaxNode | null) => {
    const known = bindings.get(name);
    if (known !== undefined) {
      if (value !== null) known.values.push(value);
      return;
    }
    bindings.set(name, { name, kind, offset, values: value === null ? [] : [value], annotation: null });
  };
  for (const { name } of parameters) bind(name, 'parameter', node.start, null);
  for (const parameter of parameterNodes(node)) {
    const name = parameterName(file, parameter);
    const known = name === null ? undefined : bindings.get(name);
    const value = child(parameter, 'value');
    if (known === undefined) continue;
    known.annotation = child(parameter, 'type');
    if (value !== null) known.values.push(value);
  }
  for (const at of descend(
    node,
    (below) => below === node || !(opensScope(below) || below.role === 'lambda'),
  )) {
    if (at !== node) bindFrom(file, at, bind, bindings);
  }
  const kind = node.role === 'function' || node.role === 'class' ? node.role : 'module';
  const label = child(node, 'name');
  return { node, kind, name: label === null ? '' : textOf(file, label), parent, parameters, bindings };
}

type Bind = (name: string, kind: BindingKind, offset: number, value: SyntaxNode | null) => void;

function bindFrom(file: SourceFile, at: SyntaxNode, bind: Bind, bindings: Map<string, Binding>): void {
  if (at.role === 'function' || at.role === 'class') {
    const label = child(at, 'name');
    if (label !== null) bind(textOf(file, label), at.role, at.start, null);
    return;
  }
  if (at.role === 'import') {
    for (const name of importedNames(file, at)) bind(name, 'import', at.start, null);
    return;
  }
  if (at.role !== 'identifier' || !isTarget(at)) return;
  const parent = at.parent;
  const name = textOf(file, at);
  if (parent?.role === 'assignment') {
    bind(name, 'local', at.start, lastOfChain(parent));
    const binding = bindings.get(name);
    const annotation = child(parent, 'type');
    if (binding !== undefined && annotation !== null) binding.annotation = annotation;
    return;
  }
  if (inComprehension(at)) return;
  const holder = statementTarget(at);
  const value = parent?.role === 'namedExpression' ? child(parent, 'value') : null;
  bind(name, holder?.role === 'for' ? 'loop' : 'local', at.start, value);
}

/** In `a = b = []` both names hold the last value. */
function lastOfChain(assignment: SyntaxNode): SyntaxNode | null {
  const right = child(assignment, 'right');
  return right !== null && right.role === 'assignment' ? lastOfChain(right) : right;
}

function statementTarget(node: SyntaxNode): SyntaxNode | null {
  let at: SyntaxNode | null = node.parent;
  while (at !== null && ['tuple', 'list', 'parenthesised', 'splat'].includes(at.role)) at = at.parent;
  return at;
}

function inComprehension(node: SyntaxNode): boolean {
  return statementTarget(node)?.role === 'forClause';
}

function importedNames(file: SourceFile, node: SyntaxNode): string[] {
  const names: string[] = [];
  for (const part of node.children) {
    if (part.field !== 'name') continue;
    const alias = child(part, 'alias');
    const text = textOf(file, alias ?? part);
    names.push(text.split('.')[0] ?? text);
  }
  return names;
}

/** The nodes of a function's parameters. */
export function parameterNodes(node: SyntaxNode): SyntaxNode[] {
  const list = child(node, 'parameters');
  return list === null ? [] : parts(list);
}

function parameterName(file: SourceFile, parameter: SyntaxNode): string | null {
  const name = child(parameter, 'name') ?? descend(parameter).find((node) => node.role === 'identifier');
  return name === undefined ? null : textOf(file, name);
}

function parametersOf(file: SourceFile, node: SyntaxNode): Parameter[] {
  return parameterNodes(node).flatMap((parameter) => {
    const name = parameterName(file, parameter);
    const rest = parameter.role === 'splat' || parts(parameter)[0]?.role === 'splat';
    return name === null ? [] : [{ name, optional: child(parameter, 'value') !== null, rest }];
  });
}

/** The function or method around, skipping class bodies; null in the module. */
export function functionAround(scope: Scope): Scope | null {
  for (let at: Scope | null = scope; at !== null; at = at.parent) if (at.kind === 'function') return at;
  return null;
}

/** The first parameter of a method, by which it reaches its own object; else null. */
export function receiverOf(scope: Scope): string | null {
  const method = functionAround(scope);
  if (method?.parent?.kind !== 'class') return null;
  return method.parameters[0]?.name ?? null;
}
