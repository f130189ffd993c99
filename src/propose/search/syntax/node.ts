/**
 * What a node is for, whatever the grammar calls it. Templates speak roles only; a language file maps its
 * grammar's names to them.
 */
export type Role =
  // names and literals
  | 'identifier'
  | 'integer'
  | 'float'
  | 'string'
  | 'true'
  | 'false'
  | 'none'
  // containers
  | 'list'
  | 'tuple'
  | 'set'
  | 'dict'
  | 'pair'
  | 'comprehension'
  | 'forClause'
  | 'ifClause'
  // operations
  | 'comparison'
  | 'arithmetic'
  | 'boolean'
  | 'not'
  | 'unary'
  | 'conditional'
  | 'await'
  | 'yield'
  | 'lambda'
  | 'namedExpression'
  // access
  | 'call'
  | 'arguments'
  | 'keywordArgument'
  | 'splat'
  | 'attribute'
  | 'subscript'
  | 'slice'
  | 'parenthesised'
  | 'interpolation'
  // statements
  | 'module'
  | 'block'
  | 'function'
  | 'class'
  | 'decorated'
  | 'decorator'
  | 'parameters'
  | 'parameter'
  | 'if'
  | 'elif'
  | 'else'
  | 'while'
  | 'for'
  | 'try'
  | 'except'
  | 'finally'
  | 'with'
  | 'match'
  | 'case'
  | 'return'
  | 'raise'
  | 'assert'
  | 'delete'
  | 'pass'
  | 'break'
  | 'continue'
  | 'import'
  | 'declaration'
  | 'expressionStatement'
  | 'assignment'
  | 'augmentedAssignment'
  // the rest
  | 'type'
  | 'pattern'
  | 'comment'
  | 'error'
  | 'token'
  | 'other';

/** One node of a parsed file, copied out of the parser's memory. Offsets are UTF-16 indices into the file's text. */
export type SyntaxNode = {
  readonly role: Role;
  /** The grammar's own name; for a token, its text. */
  readonly type: string;
  readonly start: number;
  readonly end: number;
  /** Our name of the field this node fills in its parent, e.g. `left`, `condition`, `callee`. */
  readonly field: string | null;
  readonly parent: SyntaxNode | null;
  readonly children: readonly SyntaxNode[];
  /** The parser had to guess here or below. */
  readonly broken: boolean;
};

/** The child that fills `name`, or null. */
export function child(node: SyntaxNode, name: string): SyntaxNode | null {
  return node.children.find((candidate) => candidate.field === name) ?? null;
}

/** All children that fill `name`, in source order. */
export function childrenOf(node: SyntaxNode, name: string): SyntaxNode[] {
  return node.children.filter((candidate) => candidate.field === name);
}

/** Children that mean something: no punctuation, no comments. */
export function parts(node: SyntaxNode): SyntaxNode[] {
  return node.children.filter((candidate) => candidate.role !== 'token' && candidate.role !== 'comment');
}

/** The node and everything below it, parents first; `into` false leaves a node's children out. */
export function descend(node: SyntaxNode, into?: (node: SyntaxNode) => boolean): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const visit = (at: SyntaxNode) => {
    found.push(at);
    if (into === undefined || into(at)) for (const below of at.children) visit(below);
  };
  visit(node);
  return found;
}

/** The nearest node at or above `node` that `matches`, or null. */
export function closest(node: SyntaxNode, matches: (node: SyntaxNode) => boolean): SyntaxNode | null {
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) if (matches(at)) return at;
  return null;
}
