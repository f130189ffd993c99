import { isClause, isExpression, isLabel, isStatement } from '../syntax/kinds.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { descend } from '../syntax/node.ts';
import type { SourceFile } from '../syntax/source-file.ts';
import { lineAt } from '../syntax/source-file.ts';
import type { Scope } from './scope.ts';

/** One place to edit: a statement or a clause with the expressions of its own, without those of nested bodies. */
export type Site = {
  readonly file: SourceFile;
  readonly node: SyntaxNode;
  readonly scope: Scope;
  /** First and last line (1-based) of the statement itself, nested bodies left out. */
  readonly from: number;
  readonly to: number;
  /** Own expressions, outer ones first. Labels and type annotations are not among them. */
  readonly expressions: readonly SyntaxNode[];
};

/** Every site of a file in source order. What the parser could not read holds none. */
export function sitesOf(file: SourceFile, scopes: ReadonlyMap<SyntaxNode, Scope>): Site[] {
  const sites: Site[] = [];
  const visit = (node: SyntaxNode, scope: Scope) => {
    if (node.role === 'error') return;
    if (isEditable(node)) sites.push(siteOf(file, node, scope));
    const inner = scopes.get(node) ?? scope;
    for (const below of node.children) visit(below, inner);
  };
  const top = scopes.get(file.root);
  if (top !== undefined) for (const item of file.root.children) if (!item.broken) visit(item, top);
  return sites;
}

const isEditable = (node: SyntaxNode) =>
  (isStatement(node) && node.role !== 'decorated' && node.role !== 'import') || isClause(node);

function siteOf(file: SourceFile, node: SyntaxNode, scope: Scope): Site {
  const own = (at: SyntaxNode) =>
    at === node || !(at.role === 'block' || at.role === 'type' || isStatement(at) || isClause(at));
  const expressions: SyntaxNode[] = [];
  let end = node.start;
  for (const at of descend(node, own)) {
    if (at !== node && !own(at)) continue;
    if (at.children.length === 0 || at.role === 'string') end = Math.max(end, at.end);
    if (at !== node && isExpression(at) && !isLabel(at)) expressions.push(at);
  }
  const from = lineAt(file, node.start);
  return {
    file,
    node,
    scope,
    from,
    to: Math.max(from, lineAt(file, Math.max(node.start, end - 1))),
    expressions,
  };
}
