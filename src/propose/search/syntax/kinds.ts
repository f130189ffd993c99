import type { Role, SyntaxNode } from './node.ts';

const expressionRoles: ReadonlySet<Role> = new Set<Role>([
  'identifier',
  'integer',
  'float',
  'string',
  'true',
  'false',
  'none',
  'list',
  'tuple',
  'set',
  'dict',
  'comprehension',
  'comparison',
  'arithmetic',
  'boolean',
  'not',
  'unary',
  'conditional',
  'await',
  'yield',
  'lambda',
  'namedExpression',
  'call',
  'attribute',
  'subscript',
  'parenthesised',
]);

const simpleStatementRoles: ReadonlySet<Role> = new Set<Role>([
  'return',
  'raise',
  'assert',
  'delete',
  'pass',
  'break',
  'continue',
  'import',
  'declaration',
  'expressionStatement',
]);

const compoundStatementRoles: ReadonlySet<Role> = new Set<Role>([
  'if',
  'while',
  'for',
  'try',
  'with',
  'match',
  'function',
  'class',
  'decorated',
]);

const clauseRoles: ReadonlySet<Role> = new Set<Role>(['elif', 'else', 'except', 'finally', 'case']);

/** Stands for a value, a target of an assignment included. */
export const isExpression = (node: SyntaxNode): boolean => expressionRoles.has(node.role);
/** A statement without a body, such as `return`. */
export const isSimpleStatement = (node: SyntaxNode): boolean => simpleStatementRoles.has(node.role);
/** A statement with bodies of its own, definitions included. */
export const isCompoundStatement = (node: SyntaxNode): boolean => compoundStatementRoles.has(node.role);
/** Any statement; no clause of one. */
export const isStatement = (node: SyntaxNode): boolean =>
  isSimpleStatement(node) || isCompoundStatement(node);
/** A part of a compound statement with a body of its own: `elif`, `except`, ... */
export const isClause = (node: SyntaxNode): boolean => clauseRoles.has(node.role);
/** `for` or `while`, no comprehension. */
export const isLoop = (node: SyntaxNode): boolean => node.role === 'for' || node.role === 'while';
/** A literal that holds nothing else. */
export const isConstant = (node: SyntaxNode): boolean =>
  node.role === 'integer' ||
  node.role === 'float' ||
  node.role === 'string' ||
  node.role === 'true' ||
  node.role === 'false' ||
  node.role === 'none';

/** True where a value is stored, not read: the left side of an assignment, a loop variable, `del x`. */
export function isTarget(node: SyntaxNode): boolean {
  let at = node;
  while (at.parent !== null && ['tuple', 'list', 'parenthesised', 'splat'].includes(at.parent.role))
    at = at.parent;
  const parent = at.parent;
  if (parent === null) return false;
  switch (parent.role) {
    case 'assignment':
    case 'augmentedAssignment':
    case 'for':
    case 'forClause':
      return at.field === 'left';
    case 'namedExpression':
      return at.field === 'name';
    case 'delete':
    case 'pattern':
      return true;
    default:
      return false;
  }
}

/** True for a name that is no value: of a definition, a parameter, a keyword argument, an attribute, an import. */
export function isLabel(node: SyntaxNode): boolean {
  const parent = node.parent;
  if (parent === null) return false;
  switch (parent.role) {
    case 'function':
    case 'class':
    case 'keywordArgument':
    case 'parameter':
      return node.field === 'name' || (parent.role === 'parameter' && node.field === null);
    case 'attribute':
      return node.field === 'property';
    case 'parameters':
    case 'import':
    case 'declaration':
    case 'pattern':
      return true;
    default:
      return false;
  }
}
