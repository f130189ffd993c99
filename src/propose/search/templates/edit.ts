import type { Phrase } from '../syntax/language.ts';
import type { SyntaxNode } from '../syntax/node.ts';
import { fitted } from '../syntax/phrase.ts';
import type { SourceFile } from '../syntax/source-file.ts';
import { indentAt, lineEnd, lineStart, nextLine, textOf } from '../syntax/source-file.ts';
import type { Place, Rewrite, Splice, Trait } from './template.ts';

export type EditOptions = {
  template: string;
  prior: number;
  what?: string;
  traits?: readonly Trait[];
};

/** A node's text becomes `text`, as it is. */
export function replaceText(place: Place, node: SyntaxNode, text: string, options: EditOptions): Rewrite {
  return {
    splices: [{ start: node.start, end: node.end, text }],
    template: options.template,
    prior: options.prior,
    what: options.what ?? `${quote(textOf(place.site.file, node))} becomes ${quote(text)}`,
    traits: options.traits ?? [],
  };
}

/** An expression becomes `phrase`, in parentheses where its place needs them. */
export function replaceNode(place: Place, node: SyntaxNode, phrase: Phrase, options: EditOptions): Rewrite {
  return replaceText(place, node, fitted(place.site.file, node, phrase), options);
}

/** Two nodes of the same file change places. */
export function swapNodes(place: Place, a: SyntaxNode, b: SyntaxNode, options: EditOptions): Rewrite {
  const { file } = place.site;
  const [first, second] = a.start < b.start ? [a, b] : [b, a];
  return {
    splices: [
      { start: first.start, end: first.end, text: textOf(file, second) },
      { start: second.start, end: second.end, text: textOf(file, first) },
    ],
    template: options.template,
    prior: options.prior,
    what: options.what ?? `${quote(textOf(file, first))} and ${quote(textOf(file, second))} change places`,
    traits: options.traits ?? [],
  };
}

/** Source in a sentence: one line, at most 60 characters. */
export function quote(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return `\`${line.length > 60 ? `${line.slice(0, 57)}...` : line}\``;
}

/**
 * True where whole lines can be put before and after `statement`: nothing else stands on its first and last line
 * but a comment.
 */
export function hasOwnLines(file: SourceFile, statement: SyntaxNode): boolean {
  const before = file.text.slice(lineStart(file, statement.start), statement.start);
  const end = lastCodeEnd(statement);
  const after = file.text.slice(end, lineEnd(file, end)).trim();
  const alone = after === '' || after.startsWith(file.language.lineComment);
  return /^\uFEFF?[ \t\f]*$/.test(before) && alone;
}

/** New lines before a statement, at its indentation. */
export function linesBefore(file: SourceFile, statement: SyntaxNode, lines: readonly string[]): Splice {
  const indent = indentAt(file, statement.start);
  let start = lineStart(file, statement.start);
  if (file.text[start] === '\uFEFF') start += 1;
  return { start, end: start, text: lines.map((line) => indent + line + file.eol).join('') };
}

/** New lines after a statement and its nested bodies, at its indentation. */
export function linesAfter(
  file: SourceFile,
  statement: SyntaxNode,
  lines: readonly string[],
  indent: string = indentAt(file, statement.start),
): Splice {
  const start = nextLine(file, lastCodeEnd(statement));
  const unfinished = start === file.text.length && file.text[start - 1] !== '\n';
  const text = unfinished
    ? lines.map((line) => file.eol + indent + line).join('')
    : lines.map((line) => indent + line + file.eol).join('');
  return { start, end: start, text };
}

/** A block that ends in comments ends, for us, with its last code. */
export function lastCodeEnd(node: SyntaxNode): number {
  const last = node.children.filter((child) => child.role !== 'comment').at(-1);
  return last === undefined ? node.end : lastCodeEnd(last);
}

/** Whole lines of a statement, with its line end. */
export function wholeLines(file: SourceFile, statement: SyntaxNode): { start: number; end: number } {
  let start = lineStart(file, statement.start);
  if (file.text[start] === '\uFEFF') start += 1;
  return { start, end: nextLine(file, lastCodeEnd(statement)) };
}
