import { isSimpleStatement } from './syntax/kinds.ts';
import type { SyntaxNode } from './syntax/node.ts';
import { child } from './syntax/node.ts';
import type { SyntaxParser } from './syntax/parser.ts';
import type { SourceFile } from './syntax/source-file.ts';
import { indentAt, nextLine, textOf } from './syntax/source-file.ts';
import { lastCodeEnd } from './templates/edit.ts';
import type { Splice } from './templates/template.ts';

/** The file's text with the splices made. Everything outside them stays as it is. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = '';
  let at = 0;
  for (const splice of splices) {
    result += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return result + text.slice(at);
}

/** In order, inside the file, none touching another. */
export function isSound(text: string, splices: readonly Splice[]): boolean {
  let at = -1;
  for (const splice of splices) {
    if (splice.start <= at || splice.end < splice.start || splice.end > text.length) return false;
    at = splice.end;
  }
  return splices.length > 0;
}

/**
 * A name for the resulting text: equal for splices that give the same text, so that no text is tried twice. Each
 * splice is cut down to what differs and moved as far up as it says the same. null: nothing changes.
 */
export function fingerprint(path: string, text: string, splices: readonly Splice[]): string | null {
  const keys = splices.map((splice) => minimal(text, splice)).filter((key) => key !== null);
  return keys.length === 0 ? null : `${path}|${keys.join('|')}`;
}

function minimal(text: string, splice: Splice): string | null {
  const old = text.slice(splice.start, splice.end);
  let head = 0;
  const shorter = Math.min(old.length, splice.text.length);
  while (head < shorter && old[head] === splice.text[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === splice.text[splice.text.length - 1 - tail])
    tail += 1;
  let removed = old.slice(head, old.length - tail);
  let added = splice.text.slice(head, splice.text.length - tail);
  let start = splice.start + head;
  if (removed === '' && added === '') return null;
  // A pure insertion or deletion can stand a little higher and still give the same text.
  while (start > 0 && (removed === '' || added === '')) {
    const moved = removed === '' ? added : removed;
    const before = text[start - 1];
    if (before === undefined || moved[moved.length - 1] !== before) break;
    const turned = before + moved.slice(0, -1);
    if (removed === '') added = turned;
    else removed = turned;
    start -= 1;
  }
  return `${start}:${removed.length}:${added}`;
}

/**
 * True when the edited text still parses. Only the smallest part of the file that holds the whole edit is parsed: the
 * inserted lines, the statement, its head, the function or the top-level item.
 */
export function parses(
  parser: SyntaxParser,
  file: SourceFile,
  node: SyntaxNode,
  splices: readonly Splice[],
): boolean {
  const { language } = file;
  if (splices.every((splice) => isWholeLines(file, splice))) {
    return splices.every(({ text }) => parser.accepts(language.standalone(text, /^\s/.test(text))));
  }
  if (isSimpleStatement(node) && within(splices, node)) {
    return parser.accepts(language.standalone(edited(file, node, splices), false));
  }
  const body = child(node, 'body');
  if (
    body !== null &&
    within(splices, { start: node.start, end: body.start }) &&
    isHeadAlone(file, node, body)
  ) {
    return parser.accepts(
      language.standaloneHead(edited(file, { start: node.start, end: body.start }, splices)),
    );
  }
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) {
    if (at.role !== 'function' && at.parent?.parent !== null) continue;
    const extent = { start: indented(file, at), end: nextLine(file, lastCodeEnd(at)) };
    if (!within(splices, extent)) continue;
    return parser.accepts(language.standalone(edited(file, extent, splices), extent.start < at.start));
  }
  return parser.accepts(applySplices(file.text, splices));
}

type Extent = { readonly start: number; readonly end: number };

const within = (splices: readonly Splice[], { start, end }: Extent) =>
  splices.every((splice) => splice.start >= start && splice.end <= end);

/** Lines put between two lines. */
const isWholeLines = (file: SourceFile, { start, end, text }: Splice) =>
  start === end && text.endsWith('\n') && (start === 0 || file.text[start - 1] === '\n');

/** Between the head and the body stands nothing but the line end: no comment that could swallow what follows. */
const isHeadAlone = (file: SourceFile, node: SyntaxNode, body: SyntaxNode) =>
  node.role !== 'try' && file.text.slice(node.start, body.start).trimEnd().endsWith(file.language.headEnd);

function edited(file: SourceFile, extent: Extent, splices: readonly Splice[]): string {
  const own = splices.map(({ start, end, text }) => ({
    start: start - extent.start,
    end: end - extent.start,
    text,
  }));
  return applySplices(textOf(file, extent), own);
}

/** Where the node's own indentation begins, or the node where something else stands before it on its line. */
function indented(file: SourceFile, node: SyntaxNode): number {
  const start = node.start - indentAt(file, node.start).length;
  return file.text.slice(start, node.start).trim() === '' ? start : node.start;
}
