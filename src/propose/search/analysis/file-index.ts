import type { Arity } from '../syntax/language.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { child, descend, parts } from '../syntax/node.ts';
import type { SourceFile } from '../syntax/source-file.ts';
import { lineAt, textOf } from '../syntax/source-file.ts';
import type { Member } from './member.ts';
import { membersOfClasses } from './member.ts';
import { createMemo, type Memo } from './memo.ts';
import type { Parameter, Scope } from './scope.ts';
import { scopesOf } from './scope.ts';
import type { Shapes } from './shape.ts';
import { shapesOf } from './shape.ts';
import type { Site } from './site.ts';
import { sitesOf } from './site.ts';

/** A function of the file. A method's parameters are without its receiver. */
export type DefinedFunction = {
  readonly arity: Arity;
  readonly method: boolean;
  readonly parameters: readonly Parameter[];
};

/** Everything the templates ask about a file, worked out once. */
export type FileIndex = {
  readonly file: SourceFile;
  /** Answers of templates that hold for more than one place. */
  readonly once: Memo;
  readonly scopes: ReadonlyMap<SyntaxNode, Scope>;
  readonly sites: readonly Site[];
  readonly shapes: Shapes;
  /** Attributes and methods of each class defined here. */
  readonly classes: ReadonlyMap<Scope, ReadonlyMap<string, Member>>;
  /** Functions and methods defined here, by name. */
  readonly functions: ReadonlyMap<string, DefinedFunction>;
  /** Names used after a dot anywhere in the file: how often each, and whether it is ever called. */
  readonly members: ReadonlyMap<string, { count: number; called: boolean; read: boolean }>;
  /** The lines that mention each name. */
  readonly mentions: ReadonlyMap<string, readonly number[]>;
  /** The lines that mention each attribute. */
  readonly memberMentions: ReadonlyMap<string, readonly number[]>;
};

/** Scopes, sites and names of one file; shapes and memos are worked out when they are first asked for. */
export function indexFile(file: SourceFile): FileIndex {
  const scopes = scopesOf(file);
  const classes = membersOfClasses(file, scopes);
  return {
    file,
    once: createMemo(),
    scopes,
    sites: sitesOf(file, scopes),
    classes,
    shapes: shapesOf(file, classes),
    functions: functionsOf(scopes),
    members: membersOf(file),
    mentions: mentionsOf(file, (node) => node.field !== 'property'),
    memberMentions: mentionsOf(file, (node) => node.field === 'property'),
  };
}

function functionsOf(scopes: ReadonlyMap<SyntaxNode, Scope>): FileIndex['functions'] {
  const found = new Map<string, DefinedFunction>();
  for (const scope of scopes.values()) {
    if (scope.kind !== 'function') continue;
    const method = scope.parent?.kind === 'class';
    const plain = scope.parameters.filter((parameter) => !parameter.rest).slice(method ? 1 : 0);
    const rest = scope.parameters.some((parameter) => parameter.rest);
    const min = plain.filter((parameter) => !parameter.optional).length;
    const arity = { min, max: rest ? Number.POSITIVE_INFINITY : plain.length };
    found.set(scope.name, { arity, method, parameters: plain });
  }
  return found;
}

function membersOf(file: SourceFile): FileIndex['members'] {
  const found = new Map<string, { count: number; called: boolean; read: boolean }>();
  for (const node of descend(file.root)) {
    if (node.role !== 'attribute') continue;
    const property = child(node, 'property');
    if (property === null) continue;
    const name = textOf(file, property);
    const known = found.get(name) ?? { count: 0, called: false, read: false };
    known.count += 1;
    if (node.parent?.role === 'call' && node.field === 'callee') known.called = true;
    else known.read = true;
    found.set(name, known);
  }
  return found;
}

function mentionsOf(file: SourceFile, counts: (node: SyntaxNode) => boolean): FileIndex['mentions'] {
  const found = new Map<string, number[]>();
  for (const node of descend(file.root)) {
    if (node.role !== 'identifier' || !counts(node)) continue;
    const name = textOf(file, node);
    const lines = found.get(name) ?? [];
    lines.push(lineAt(file, node.start));
    found.set(name, lines);
  }
  return found;
}

/** Positional arguments of a call, or null where a splat or keyword makes their number unknown. */
export function argumentsOf(call: SyntaxNode): SyntaxNode[] | null {
  const list = child(call, 'arguments');
  if (list === null) return null;
  if (list.role !== 'arguments') return [list];
  const given = parts(list);
  return given.some((part) => part.role === 'splat' || part.role === 'keywordArgument') ? null : given;
}
