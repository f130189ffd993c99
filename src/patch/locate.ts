import { type Line, lineEnd, normalise, plainLines, type TextFile, textEnd } from './text.ts';

/** How loosely a search text had to be read to be found. Each rung takes in all of the ones before it. */
export type Rung = 'exact' | 'trailing_whitespace' | 'indentation' | 'typography';

/** What turns the search's indentation into the file's. */
export type Shift = { kind: 'none' } | { kind: 'add' | 'remove'; prefix: string };

/** A place in a body: one slice per line of the search text, in order and without gaps. */
export type Match = { rung: Rung; shift: Shift; line: number; slices: { start: number; end: number }[] };

export type Located =
  | { kind: 'found'; match: Match }
  | { kind: 'none' }
  /** More than one place, or fewer than `occurrence` asks for. 1-based line numbers. */
  | { kind: 'ambiguous' | 'out_of_range'; lines: number[] };

type Query = { search: string; replace: string; lines: string[]; wholeLines: boolean };

/**
 * Finds the one place in `file` that `search` means. The ladder: exact (line endings apart); trailing whitespace
 * ignored; one uniform indentation shift; typographic variants of quotes, dashes, spaces and accents. The first
 * rung that finds anything decides, and it must find exactly one place, or `occurrence` (1-based, counted from
 * the top over every start position) must say which. Nothing is ever chosen by similarity.
 *
 * A search that ends with a line ending means whole lines. One that does not may begin and end inside a line;
 * when it then occurs several times but only once as whole lines, the whole lines are meant.
 */
export function locate(
  file: TextFile,
  { search, replace, occurrence }: { search: string; replace: string; occurrence?: number | undefined },
): Located {
  const text = normalise(file, search);
  const query: Query = {
    search: text,
    replace: normalise(file, replace),
    lines: plainLines(text).map((line) => line.text),
    wholeLines: text.endsWith('\n'),
  };
  const finders = query.wholeLines
    ? [exactLines, trailingWhitespace, indentation, typography, exactText]
    : [exactText, trailingWhitespace, indentation, typography];
  for (const find of finders) {
    const matches = find(file, query);
    if (matches.length > 0) return choose(file, query, matches, occurrence);
  }
  return { kind: 'none' };
}

/** The 1-based lines where `text` stands as whole lines, trailing whitespace apart. None for a blank text. */
export function wholeLineMatches(file: TextFile, text: string): number[] {
  const plainText = normalise(file, text);
  if (plainText.trim() === '') return [];
  const lines = plainLines(plainText).map((line) => line.text);
  const query: Query = { search: plainText, replace: '', lines, wholeLines: true };
  return trailingWhitespace(file, query).map((match) => match.line);
}

function choose(file: TextFile, query: Query, matches: Match[], occurrence: number | undefined): Located {
  const lines = matches.map((match) => match.line);
  if (occurrence !== undefined) {
    const match = matches[occurrence - 1];
    return match === undefined ? { kind: 'out_of_range', lines } : { kind: 'found', match };
  }
  const [first] = matches;
  if (first !== undefined && matches.length === 1) return { kind: 'found', match: first };
  if (!query.wholeLines) {
    const whole = matches.filter((match) => isWholeLines(file, match));
    const [only] = whole;
    if (only !== undefined && whole.length === 1) return { kind: 'found', match: only };
  }
  return { kind: 'ambiguous', lines };
}

function isWholeLines(file: TextFile, match: Match): boolean {
  const first = file.lines[match.line - 1];
  const last = file.lines[match.line + match.slices.length - 2];
  const end = match.slices.at(-1)?.end;
  return first?.start === match.slices[0]?.start && last !== undefined && textEnd(last) === end;
}

/** Every position where the text stands as it is, line endings apart; may begin and end inside a line. */
function exactText(file: TextFile, query: Query): Match[] {
  const starts: number[] = [];
  let length = 0;
  for (const line of file.lines) {
    starts.push(length);
    length += line.text.length + (line.eol === '' ? 0 : 1);
  }
  const body = file.lines.map((line) => (line.eol === '' ? line.text : `${line.text}\n`)).join('');
  const matches: Match[] = [];
  let row = 0;
  for (let at = body.indexOf(query.search); at !== -1; at = body.indexOf(query.search, at + 1)) {
    while ((starts[row + 1] ?? Number.POSITIVE_INFINITY) <= at) row += 1;
    const column = at - (starts[row] ?? 0);
    matches.push({
      rung: 'exact',
      shift: { kind: 'none' },
      line: row + 1,
      slices: slicesAt(file, query, row, column),
    });
  }
  return matches;
}

function slicesAt(file: TextFile, query: Query, row: number, column: number): Match['slices'] {
  return query.lines.map((text, index) => {
    const line = lineAt(file.lines, row + index);
    const start = line.start + (index === 0 ? column : 0);
    const takesEol = index < query.lines.length - 1 || query.wholeLines;
    return { start, end: takesEol ? lineEnd(line) : start + text.length };
  });
}

function lineAt(lines: readonly Line[], index: number): Line {
  const line = lines[index];
  if (line === undefined) throw new Error(`no line ${index + 1}`);
  return line;
}

const exactLines = (file: TextFile, query: Query): Match[] =>
  windows(file, query, { rung: 'exact', key: (text) => text, shifts: false });

const trailingWhitespace = (file: TextFile, query: Query): Match[] =>
  windows(file, query, { rung: 'trailing_whitespace', key: (text) => text.trimEnd(), shifts: false });

const indentation = (file: TextFile, query: Query): Match[] =>
  windows(file, query, { rung: 'indentation', key: (text) => text.trimEnd(), shifts: true });

const typography = (file: TextFile, query: Query): Match[] =>
  windows(file, query, { rung: 'typography', key: (text) => plain(text).trimEnd(), shifts: true });

/** Canonical composition, and one plain character for each family that editors and models exchange. */
function plain(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\u2018\u2019\u201A\u201B\u2032]/g, "'")
    .replace(/[\u201C\u201D\u201E\u201F\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, ' ');
}

/** Every run of whole file lines whose keys equal the search's, after one uniform indentation shift if allowed. */
function windows(
  file: TextFile,
  query: Query,
  { rung, key, shifts }: { rung: Rung; key: (text: string) => string; shifts: boolean },
): Match[] {
  const want = query.lines.map(key);
  const have = file.lines.map((line) => key(line.text));
  const body = (text: string) => (shifts ? text.trimStart() : text);
  const wantBodies = want.map(body);
  const haveBodies = have.map(body);
  const matches: Match[] = [];
  for (let row = 0; row + want.length <= have.length; row += 1) {
    if (!wantBodies.every((text, index) => text === haveBodies[row + index])) continue;
    const shift = shifts
      ? shiftBetween(want, have.slice(row, row + want.length))
      : ({ kind: 'none' } as const);
    if (shift === null || !canShift(query.replace, shift)) continue;
    matches.push({
      rung,
      shift,
      line: row + 1,
      slices: slicesAt(file, wholeLineQuery(file, query, row), row, 0),
    });
  }
  return matches;
}

/** Whole-line matches take the file's own text, which may differ in length from the search's. */
function wholeLineQuery(file: TextFile, query: Query, row: number): Query {
  return { ...query, lines: query.lines.map((_, index) => lineAt(file.lines, row + index).text) };
}

function shiftBetween(want: readonly string[], have: readonly string[]): Shift | null {
  let shift: Shift | null = null;
  for (const [index, line] of want.entries()) {
    const other = have[index] ?? '';
    if (line.trim() === '') continue;
    const next = shiftOfLine(indentOf(line), indentOf(other));
    if (next === null) return null;
    if (shift !== null && !sameShift(shift, next)) return null;
    shift = next;
  }
  return shift;
}

function shiftOfLine(want: string, have: string): Shift | null {
  if (want === have) return { kind: 'none' };
  if (have.endsWith(want)) return { kind: 'add', prefix: have.slice(0, have.length - want.length) };
  if (want.endsWith(have)) return { kind: 'remove', prefix: want.slice(0, want.length - have.length) };
  return null;
}

function sameShift(a: Shift, b: Shift): boolean {
  if (a.kind === 'none' || b.kind === 'none') return a.kind === b.kind;
  return a.kind === b.kind && a.prefix === b.prefix;
}

function indentOf(text: string): string {
  return text.slice(0, text.length - text.trimStart().length);
}

/** A replacement line that lacks the indentation to be taken away cannot follow the shift. */
function canShift(replace: string, shift: Shift): boolean {
  if (shift.kind !== 'remove') return true;
  return replace.split('\n').every((line) => line.trim() === '' || line.startsWith(shift.prefix));
}

/** One line of a replacement, moved as the match was. Blank lines stay as they are. */
export function shiftLine(text: string, shift: Shift): string {
  if (shift.kind === 'none' || text.trim() === '') return text;
  return shift.kind === 'add' ? shift.prefix + text : text.slice(shift.prefix.length);
}
