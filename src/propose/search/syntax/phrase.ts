import type { Language, Phrase } from './language.ts';
import type { SyntaxNode } from './node.ts';
import { child } from './node.ts';
import type { SourceFile } from './source-file.ts';
import { textOf } from './source-file.ts';

/** The phrase's text, in parentheses where it binds less tightly than `level` asks. */
export function bind(phrase: Phrase, level: number): string {
  return phrase.level >= level ? phrase.text : `(${phrase.text})`;
}

/** An expression of a file as a phrase. */
export function phraseOf(file: SourceFile, node: SyntaxNode): Phrase {
  return { text: textOf(file, node), level: levelOf(file, node) };
}

/** How tightly an expression binds. */
export function levelOf(file: SourceFile, node: SyntaxNode): number {
  const { levels } = file.language;
  switch (node.role) {
    case 'boolean':
    case 'arithmetic':
      return levels.binary[operatorOf(file, node)] ?? levels.lowest;
    case 'comparison':
      return levels.comparison;
    case 'not':
      return levels.not;
    case 'unary':
      return levels.unary;
    case 'await':
      return levels.await;
    case 'conditional':
      return levels.conditional;
    case 'lambda':
      return levels.lambda;
    case 'yield':
    case 'namedExpression':
      return levels.lowest;
    case 'tuple':
      // A tuple without parentheses binds least of all.
      return file.text[node.start] === '(' ? levels.atom : levels.lowest;
    default:
      return levels.atom;
  }
}

/** How tightly whatever stands in `node`'s place must bind to mean the same. */
export function levelAsked(file: SourceFile, node: SyntaxNode): number {
  const { levels } = file.language;
  const parent = node.parent;
  if (parent === null) return levels.lowest;
  switch (parent.role) {
    case 'boolean':
    case 'arithmetic': {
      const operator = operatorOf(file, parent);
      const level = levels.binary[operator] ?? levels.atom;
      const tight = levels.rightAssociative.includes(operator) ? 'left' : 'right';
      return node.field === tight ? level + 1 : level;
    }
    case 'comparison':
      return levels.comparison + 1;
    case 'not':
      return levels.not;
    case 'unary':
      return levels.unary;
    case 'await':
      return levels.await + 1;
    case 'conditional':
      return node.field === 'else' ? levels.conditional : levels.conditional + 1;
    case 'attribute':
    case 'call':
      return levels.atom;
    case 'subscript':
      return node.field === 'object' ? levels.atom : levels.lambda;
    case 'splat':
      return (levels.binary['|'] ?? levels.atom) as number;
    case 'comprehension':
    case 'forClause':
    case 'ifClause':
      return levels.conditional + 1;
    case 'return':
    case 'parenthesised':
    case 'expressionStatement':
      return levels.lowest;
    default:
      return levels.lambda;
  }
}

/** `phrase` as it must be written to stand in `node`'s place. */
export function fitted(file: SourceFile, node: SyntaxNode, phrase: Phrase): string {
  return bind(phrase, levelAsked(file, node));
}

/** The operator's text of an operation with exactly one. */
export function operatorOf(file: SourceFile, node: SyntaxNode): string {
  const operator = child(node, 'operator');
  return operator === null ? '' : textOf(file, operator);
}

/** A phrase that never needs parentheses: a name, a literal, a call. */
export function atom(language: Language, text: string): Phrase {
  return { text, level: language.levels.atom };
}
