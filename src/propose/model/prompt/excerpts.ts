/** Lines of a file from one to the other, both 1-based and included. */
export type Range = { from: number; to: number };

/** Lines apart by no more than this are shown as one piece. */
const gap = 3;
/** Longer lines are cut: they are data or generated code. */
export const maxLineChars = 500;

export type ExcerptOptions = {
  /** 1-based lines to show. */
  wanted: Iterable<number>;
  /** Lines shown before and after each. */
  around: number;
  lines: readonly string[];
};

/**
 * The parts of a file around the lines that are wanted, each with the lines that enclose it by indentation (the
 * function, the class), so that a reader knows where they are. In order, not touching.
 */
export function rangesAround({ wanted, around, lines }: ExcerptOptions): Range[] {
  const count = lines.length;
  const near = [...new Set(wanted)]
    .filter((line) => line >= 1 && line <= count)
    .map((line) => ({ from: Math.max(1, line - around), to: Math.min(count, line + around) }));
  const merged = merge(near);
  const headers = merged.flatMap(({ from }) =>
    enclosing(lines, from).map((line) => ({ from: line, to: line })),
  );
  return merge([...merged, ...headers]);
}

/** The block that begins at a line: down to the last line that is indented deeper, or closes it. */
export function blockAt(lines: readonly string[], start: number, maxLines: number): Range {
  const indent = indentOf(lines[start - 1] ?? '');
  let to = start;
  for (let line = start + 1; line <= Math.min(lines.length, start + maxLines - 1); line += 1) {
    const text = lines[line - 1] ?? '';
    if (text.trim() === '') continue;
    if (indentOf(text) > indent) to = line;
    else {
      if (/^\s*[)\]}]/.test(text)) to = line;
      // A signature over several lines ends at its own indentation and goes on: `) -> int:`, `) {`.
      if (!/^\s*[)\]}].*[:{]\s*$/.test(text)) break;
    }
  }
  return { from: start, to };
}

function merge(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && range.from <= last.to + gap) last.to = Math.max(last.to, range.to);
    else merged.push({ ...range });
  }
  return merged;
}

/** Most lines looked at upwards for what encloses a line. */
const maxClimb = 2000;

function enclosing(lines: readonly string[], line: number): number[] {
  const found: number[] = [];
  let indent = indentOf(lines[line - 1] ?? '');
  if ((lines[line - 1] ?? '').trim() === '') indent = Number.POSITIVE_INFINITY;
  for (let above = line - 1; above >= Math.max(1, line - maxClimb) && indent > 0; above -= 1) {
    const text = lines[above - 1] ?? '';
    // Closing brackets and comments enclose nothing.
    if (text.trim() === '' || /^\s*(?:[)\]}]|#|\/\/|\*)/.test(text)) continue;
    const here = indentOf(text);
    if (here >= indent) continue;
    if (indent !== Number.POSITIVE_INFINITY) found.push(above);
    indent = here;
  }
  return found;
}

function indentOf(text: string): number {
  const blanks = /^[ \t]*/.exec(text)?.[0] ?? '';
  return blanks.replaceAll('\t', '    ').length;
}

export type NumberedOptions = {
  lines: readonly string[];
  ranges: readonly Range[];
  /** Lines marked with `*`. */
  marked: ReadonlySet<number>;
};

/** Lines with their numbers, `  41 | text`, and `...` where some are left out. */
export function numbered({ lines, ranges, marked }: NumberedOptions): string {
  const width = String(lines.length).length;
  const parts = ranges.map(({ from, to }) =>
    lines.slice(from - 1, to).map((text, index) => numberedLine(text, from + index, { width, marked })),
  );
  const first = ranges[0];
  const last = ranges.at(-1);
  const open = first !== undefined && first.from > 1 ? '...\n' : '';
  const close = last !== undefined && last.to < lines.length ? '...\n' : '';
  return `${open}${parts.map((part) => part.join('')).join('...\n')}${close}`;
}

function numberedLine(
  text: string,
  line: number,
  { width, marked }: { width: number; marked: ReadonlySet<number> },
): string {
  const shown =
    text.length <= maxLineChars
      ? text
      : `${text.slice(0, maxLineChars).toWellFormed()}[... ${text.length - maxLineChars} more characters]`;
  return `${String(line).padStart(width)}${marked.has(line) ? '*' : ' '}| ${shown}\n`;
}

/** The lines of a text, without their endings; the end of the last one begins no line. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** All lines of a file. */
export function wholeOf(lines: readonly string[]): Range[] {
  return lines.length === 0 ? [] : [{ from: 1, to: lines.length }];
}

const prefix = /^ {0,6}\d+[* ]\| ?/;

/** Takes line numbers out of a text that a model copied with them; null where not every line has one. */
export function withoutNumbers(text: string): string | null {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (lines.length === 0 || !lines.every((line) => prefix.test(line))) return null;
  return lines.map((line) => line.replace(prefix, '')).join('\n') + (text.endsWith('\n') ? '\n' : '');
}
