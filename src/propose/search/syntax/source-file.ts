import type { Language } from './language.ts';
import type { SyntaxNode } from './node.ts';
import type { SyntaxParser } from './parser.ts';

/** One file of the project, parsed. `text` is the file as it is: byte order mark, line ends and tabs untouched. */
export type SourceFile = {
  readonly path: string;
  readonly text: string;
  readonly language: Language;
  readonly root: SyntaxNode;
  /** The line end this file uses most. */
  readonly eol: string;
  /** One level of this file's own indentation. */
  readonly indent: string;
  /** Offset where each line begins; line 1 is at index 0. */
  readonly lineStarts: readonly number[];
};

/** Parses one file; a text with syntax errors gives a tree with `error` nodes. `path`: relative to the project. */
export function parseFile(path: string, text: string, parser: SyntaxParser): SourceFile {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return {
    path,
    text,
    language: parser.language,
    root: parser.parse(text),
    eol: usualLineEnd(text),
    indent: usualIndent(text),
    lineStarts,
  };
}

/** 1-based line of an offset. */
export function lineAt(file: SourceFile, offset: number): number {
  let low = 0;
  let high = file.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((file.lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

/** The text of a node; offsets are in UTF-16 units. */
export function textOf(file: SourceFile, node: { start: number; end: number }): string {
  return file.text.slice(node.start, node.end);
}

/** Offset of the first character of the line that holds `offset`. */
export function lineStart(file: SourceFile, offset: number): number {
  return file.lineStarts[lineAt(file, offset) - 1] ?? 0;
}

/** Offset just past the text of the line that holds `offset`: before its line end. */
export function lineEnd(file: SourceFile, offset: number): number {
  const next = file.text.indexOf('\n', offset);
  const end = next === -1 ? file.text.length : next;
  return end > offset && file.text[end - 1] === '\r' ? end - 1 : end;
}

/** Offset of the next line's first character, or the end of the file. */
export function nextLine(file: SourceFile, offset: number): number {
  const next = file.text.indexOf('\n', offset);
  return next === -1 ? file.text.length : next + 1;
}

/** The blanks before the first character of the line that holds `offset`. */
export function indentAt(file: SourceFile, offset: number): string {
  const start = lineStart(file, offset);
  return /^[\uFEFF]?([ \t\f]*)/.exec(file.text.slice(start, lineEnd(file, start)))?.[1] ?? '';
}

function usualLineEnd(text: string): string {
  const crlf = text.split('\r\n').length - 1;
  const all = text.split('\n').length - 1;
  return crlf * 2 > all ? '\r\n' : '\n';
}

function usualIndent(text: string): string {
  const counts = new Map<string, number>();
  let before = '';
  for (const match of text.matchAll(/^([ \t]*)\S/gm)) {
    const blanks = match[1] ?? '';
    if (blanks.length > before.length && blanks.startsWith(before)) {
      const step = blanks.slice(before.length);
      counts.set(step, (counts.get(step) ?? 0) + 1);
    }
    before = blanks;
  }
  let best = '    ';
  let most = 0;
  for (const [step, count] of counts) if (count > most) [best, most] = [step, count];
  return best;
}
