import type { SyntaxNode } from '../syntax/node.ts';
import { child, descend, parts } from '../syntax/node.ts';
import type { Shape } from '../syntax/shape.ts';
import { lineAt, textOf } from '../syntax/source-file.ts';
import type { FileIndex } from './file-index.ts';
import { classAround } from './member.ts';
import type { BindingKind, Scope } from './scope.ts';
import { receiverOf } from './scope.ts';
import type { Site } from './site.ts';

/** A name that can be read at some place. */
export type VisibleName = {
  readonly name: string;
  readonly kind: BindingKind | 'clause' | 'lambda' | 'member';
  readonly shape: Shape | null;
  /** 0: bound in a comprehension or lambda around; 1: in this function; 2: around it; 3: in the module. */
  readonly distance: number;
  /** A parameter that its function never uses: a hint that something was forgotten. */
  readonly idle: boolean;
};

/**
 * Names readable at `at`: by scope, the inner ones first, then by how near they are mentioned in the text. A class
 * body's names are not readable from its methods.
 */
export function visibleNames(index: FileIndex, site: Site, at: SyntaxNode): VisibleName[] {
  const found = new Map<string, VisibleName>();
  const add = (name: VisibleName) => {
    if (!found.has(name.name)) found.set(name.name, name);
  };
  let below = at;
  for (let node: SyntaxNode | null = at; node !== null && node !== site.node; node = node.parent) {
    // What a comprehension loops over first is worked out before its names are bound.
    const outside = node.role === 'comprehension' && isFirstSource(node, below, at);
    if (!outside) for (const name of clauseNames(index, node)) add(name);
    below = node;
  }
  const line = lineAt(index.file, at.start);
  const byLine = index.once('names', site.scope, () => new Map<number, VisibleName[]>());
  const bound = byLine.get(line) ?? boundNames(index, site.scope, line);
  byLine.set(line, bound);
  if (found.size === 0) return bound;
  for (const name of bound) add(name);
  return [...found.values()];
}

/** Names bound by the scope and those around it, in the order of `visibleNames`. */
function boundNames(index: FileIndex, inner: Scope, line: number): VisibleName[] {
  const found = new Map<string, VisibleName & { gap: number }>();
  for (let scope: Scope | null = inner; scope !== null; scope = scope.parent) {
    if (scope.kind === 'class' && scope !== inner) continue;
    const distance = scope.kind === 'module' ? 3 : scope === inner ? 1 : 2;
    for (const { name, kind } of scope.bindings.values()) {
      if (found.has(name)) continue;
      const shape = index.shapes.ofName(name, scope);
      const idle = kind === 'parameter' && isIdle(index, scope, name);
      found.set(name, { name, kind, shape, distance, idle, gap: gapTo(index.mentions.get(name), line) });
    }
  }
  return [...found.values()].sort(
    (a, b) => a.distance - b.distance || Number(b.idle) - Number(a.idle) || a.gap - b.gap,
  );
}

function isFirstSource(comprehension: SyntaxNode, below: SyntaxNode, at: SyntaxNode): boolean {
  const first = comprehension.children.find((part) => part.role === 'forClause');
  const right = first === below ? child(below, 'right') : null;
  return right !== null && at.start >= right.start && at.end <= right.end;
}

/** Lines from `line` to the nearest mention. */
function gapTo(lines: readonly number[] | undefined, line: number): number {
  let gap = Number.MAX_SAFE_INTEGER;
  for (const other of lines ?? []) gap = Math.min(gap, Math.abs(other - line));
  return gap;
}

/** Names bound by a comprehension or lambda. */
function clauseNames(index: FileIndex, node: SyntaxNode): VisibleName[] {
  const { file } = index;
  if (node.role === 'comprehension') {
    return node.children
      .filter((part) => part.role === 'forClause')
      .flatMap((clause) => {
        const left = child(clause, 'left');
        return left === null ? [] : descend(left).filter((below) => below.role === 'identifier');
      })
      .map((name) => ({ name: textOf(file, name), kind: 'clause', shape: null, distance: 0, idle: false }));
  }
  if (node.role === 'lambda') {
    const list = child(node, 'parameters');
    return (list === null ? [] : parts(list))
      .flatMap((parameter) =>
        descend(parameter)
          .filter((below) => below.role === 'identifier')
          .slice(0, 1),
      )
      .map((name) => ({ name: textOf(file, name), kind: 'lambda', shape: null, distance: 0, idle: false }));
  }
  return [];
}

function isIdle(index: FileIndex, scope: Scope, name: string): boolean {
  const body = child(scope.node, 'body');
  if (body === null) return false;
  const from = lineAt(index.file, body.start);
  const to = lineAt(index.file, body.end);
  return !(index.mentions.get(name) ?? []).some((line) => line >= from && line <= to);
}

const valueKinds = new Set(['parameter', 'local', 'loop', 'clause', 'lambda']);

/**
 * What holds a value here and can be written as it is: names, no functions, classes or imports, then the attributes
 * of the method's own object (`self.limit`), then module constants. The receiver itself is left out.
 */
export function visibleValues(index: FileIndex, site: Site, at: SyntaxNode): readonly VisibleName[] {
  return index.once('values', at, () => values(index, site, at));
}

function values(index: FileIndex, site: Site, at: SyntaxNode): VisibleName[] {
  const receiver = receiverOf(site.scope);
  const names = visibleNames(index, site, at).filter(
    (name) => valueKinds.has(name.kind) && name.name !== receiver,
  );
  const members = receiver === null ? [] : visibleMembers(index, site, at, receiver);
  const constants = names.findIndex((name) => name.distance === 3);
  const before = constants === -1 ? names.length : constants;
  return [...names.slice(0, before), ...members, ...names.slice(before)];
}

function visibleMembers(index: FileIndex, site: Site, at: SyntaxNode, receiver: string): VisibleName[] {
  const owner = classAround(site.scope);
  const members = owner === null ? undefined : index.classes.get(owner);
  const line = lineAt(index.file, at.start);
  const { write, levels } = index.file.language;
  return [...(members?.values() ?? [])]
    .filter((member) => !member.method)
    .map(({ name }) => ({ name, gap: gapTo(index.memberMentions.get(name), line) }))
    .sort((a, b) => a.gap - b.gap)
    .map(({ name }) => ({
      name: write.member({ text: receiver, level: levels.atom }, name).text,
      kind: 'member',
      shape: index.shapes.ofMember(name, site.scope),
      distance: 2,
      idle: false,
    }));
}
