import type { SyntaxNode } from '../syntax/node.ts';
import { child, descend, parts } from '../syntax/node.ts';
import type { Shape } from '../syntax/shape.ts';
import { textOf } from '../syntax/source-file.ts';
import type { FileIndex } from './file-index.ts';
import type { BindingKind, Scope } from './scope.ts';
import type { Site } from './site.ts';

/** A name that can be read at some place. */
export type VisibleName = {
  readonly name: string;
  readonly kind: BindingKind | 'clause' | 'lambda';
  readonly shape: Shape | null;
  /** 0: bound in a comprehension or lambda around; 1: in this function; 2: around it; 3: in the module. */
  readonly distance: number;
};

/** Names readable at `at`, nearest first. A class body's names are not readable from its methods. */
export function visibleNames(index: FileIndex, site: Site, at: SyntaxNode): VisibleName[] {
  const found = new Map<string, VisibleName>();
  const add = (name: VisibleName) => {
    if (!found.has(name.name)) found.set(name.name, name);
  };
  for (let node: SyntaxNode | null = at; node !== null && node !== site.node; node = node.parent) {
    for (const name of clauseNames(index, node)) add(name);
  }
  let distance = 1;
  for (let scope: Scope | null = site.scope; scope !== null; scope = scope.parent) {
    if (scope.kind === 'class' && scope !== site.scope) continue;
    const here = scope.kind === 'module' ? 3 : distance;
    for (const binding of scope.bindings.values()) {
      add({
        name: binding.name,
        kind: binding.kind,
        shape: index.shapes.ofName(binding.name, scope),
        distance: here,
      });
    }
    distance = 2;
  }
  return [...found.values()];
}

/** Names bound by a comprehension or lambda. */
function clauseNames(index: FileIndex, node: SyntaxNode): VisibleName[] {
  const { file } = index;
  if (node.role === 'comprehension') {
    return node.children
      .filter((part) => part.role === 'forClause')
      .flatMap((clause) => {
        const left = child(clause, 'left');
        return left === null ? [] : [...descend(left)].filter((below) => below.role === 'identifier');
      })
      .map((name) => ({ name: textOf(file, name), kind: 'clause', shape: null, distance: 0 }));
  }
  if (node.role === 'lambda') {
    const list = child(node, 'parameters');
    return (list === null ? [] : parts(list))
      .flatMap((parameter) =>
        [...descend(parameter)].filter((below) => below.role === 'identifier').slice(0, 1),
      )
      .map((name) => ({ name: textOf(file, name), kind: 'lambda', shape: null, distance: 0 }));
  }
  return [];
}

const valueKinds = new Set(['parameter', 'local', 'loop', 'clause', 'lambda']);

/** Visible names that hold values: no functions, classes or imports. Module constants come last. */
export function visibleValues(index: FileIndex, site: Site, at: SyntaxNode): VisibleName[] {
  return visibleNames(index, site, at).filter((name) => valueKinds.has(name.kind));
}
