import { canShift, type Shift, shiftBetween } from './indentation.ts';
import { occurrencesOf } from './occurrences.ts';
import { type Line, lineEnd, normalise, plainLines, type TextFile, textEnd } from './text.ts';

/** How loosely a search text had to be read to be found. Each rung takes in all of the ones before it. */
export type Rung = 'exact' | 'trailing_whitespace' | 'indentation' | 'typography';

/** A place in a body: one slice per line of the search text, in order and without gaps. */
export type Match = { rung: Rung; shift: Shift; line: number; slices: { start: number; end: number }[] };

export type Located =
  | { kind: 'found'; match: Match }
  | { kind: 'none' }
  /** More than one place, or fewer than `occurrence` asks for. 1-based line numbers. */
  | { kind: 'ambiguous' | 'out_of_range'; lines: number[] };

type Query = { search: string; replace: string; lines: string[]; wholeLines: boolean };

/** Where a search text begins; 0-based. `loose`: it stands for whole lines of the file, whatever their length. */
type Place = { row: number; column: number; shift: Shift; loose: boolean };

/** Past this many places a rung that needs a look at each of them stops: the search is ambiguous anyway. */
const MAX_SHIFTED = 1000;

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
  const query = queryOf(file, search, replace);
  const rungs: [Rung, (file: TextFile, query: Query) => Place[]][] = [
    ['exact', query.wholeLines ? exactLines : exactText],
    ['trailing_whitespace', trailingWhitespace],
    ['indentation', indentation],
    ['typography', typography],
  ];
  if (query.wholeLines) rungs.push(['exact', exactText]);
  for (const [rung, find] of rungs) {
    const places = find(file, query);
    if (places.length === 0) continue;
    const place = choose(file, query, places, occurrence);
    if (place !== null) return { kind: 'found', match: matchAt(file, query, rung, place) };
    const lines = places.map(({ row }) => row + 1);
    return { kind: occurrence === undefined ? 'ambiguous' : 'out_of_range', lines };
  }
  return { kind: 'none' };
}

/** The 1-based lines where `text` stands as whole lines, trailing whitespace apart. None for a blank text. */
export function wholeLineMatches(file: TextFile, text: string): number[] {
  const query = queryOf(file, text, '');
  return query.search.trim() === '' ? [] : trailingWhitespace(file, query).map(({ row }) => row + 1);
}

function queryOf(file: TextFile, search: string, replace: string): Query {
  const text = normalise(file, search);
  const lines = plainLines(text).map((line) => line.text);
  return { search: text, replace: normalise(file, replace), lines, wholeLines: text.endsWith('\n') };
}

function choose(file: TextFile, query: Query, places: Place[], occurrence: number | undefined): Place | null {
  if (occurrence !== undefined) return places[occurrence - 1] ?? null;
  const [first, ...others] = places;
  if (first !== undefined && others.length === 0) return first;
  if (query.wholeLines) return null;
  const [only, ...more] = places.filter((place) => place.loose || isWholeLines(file, query, place));
  return only !== undefined && more.length === 0 ? only : null;
}

function isWholeLines(file: TextFile, query: Query, { row, column }: Place): boolean {
  const last = lineAt(file.lines, row + query.lines.length - 1);
  const end = (query.lines.length === 1 ? column : 0) + (query.lines.at(-1)?.length ?? 0);
  return column === 0 && end === last.text.length;
}

function matchAt(file: TextFile, query: Query, rung: Rung, { row, column, shift, loose }: Place): Match {
  const slices = query.lines.map((text, index) => {
    const line = lineAt(file.lines, row + index);
    const start = line.start + (index === 0 ? column : 0);
    const takesEol = index < query.lines.length - 1 || query.wholeLines;
    return { start, end: takesEol ? lineEnd(line) : loose ? textEnd(line) : start + text.length };
  });
  return { rung, shift, line: row + 1, slices };
}

function lineAt(lines: readonly Line[], index: number): Line {
  const line = lines[index];
  if (line === undefined) throw new Error(`no line ${index + 1}`);
  return line;
}

/** Every position where the text stands as it is, line endings apart; may begin and end inside a line. */
function exactText(file: TextFile, query: Query): Place[] {
  const starts: number[] = [];
  let length = 0;
  for (const line of file.lines) {
    starts.push(length);
    length += line.text.length + (line.eol === '' ? 0 : 1);
  }
  const body = file.lines.map((line) => (line.eol === '' ? line.text : `${line.text}\n`)).join('');
  let row = 0;
  return occurrencesOf(body, query.search).map((at) => {
    while ((starts[row + 1] ?? Number.POSITIVE_INFINITY) <= at) row += 1;
    return { row, column: at - (starts[row] ?? 0), shift: { kind: 'none' }, loose: false };
  });
}

const exactLines = (file: TextFile, query: Query): Place[] => wholeLines(file, query, (text) => text);

const trailingWhitespace = (file: TextFile, query: Query): Place[] =>
  wholeLines(file, query, (text) => text.trimEnd());

const indentation = (file: TextFile, query: Query): Place[] =>
  shiftedLines(file, query, (text) => text.trimEnd());

const typography = (file: TextFile, query: Query): Place[] =>
  shiftedLines(file, query, (text) => plain(text).trimEnd());

/** Canonical composition, and one plain character for each family that editors and models exchange. */
function plain(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\u2018\u2019\u201A\u201B\u2032]/g, "'")
    .replace(/[\u201C\u201D\u201E\u201F\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, ' ');
}

/** Every run of whole file lines that read the same as the search's lines. */
function wholeLines(file: TextFile, query: Query, reading: (text: string) => string): Place[] {
  const have = file.lines.map((line) => reading(line.text));
  return occurrencesOf(have, query.lines.map(reading)).map((row) => ({
    row,
    column: 0,
    shift: { kind: 'none' },
    loose: true,
  }));
}

/** The same, after one uniform indentation shift that the replacement can follow. */
function shiftedLines(file: TextFile, query: Query, reading: (text: string) => string): Place[] {
  const want = query.lines.map(reading);
  const have = file.lines.map((line) => reading(line.text));
  const bare = (text: string) => text.trimStart();
  const places: Place[] = [];
  for (const row of occurrencesOf(have.map(bare), want.map(bare))) {
    const shift = shiftBetween(want, have.slice(row, row + want.length));
    if (shift === null || !canShift(query.replace, shift)) continue;
    places.push({ row, column: 0, shift, loose: true });
    if (places.length === MAX_SHIFTED) break;
  }
  return places;
}
