import { diffArrays } from 'diff';
import { shiftLine } from './indentation.ts';
import type { Match } from './locate.ts';
import { normalise, plainLines, type TextFile } from './text.ts';

/** Replace `[start, end)` of a body by `text`. */
export type Splice = { start: number; end: number; text: string };

type Token = { text: string; ends: boolean };

/**
 * The smallest set of line splices that turn a located search into its replacement. Lines that the search and
 * the replacement have in common are not touched, whatever trailing blanks, typography or line ending they have
 * in the file. A replaced line keeps its own line ending; an added one takes the file's dominant one.
 */
export function splicesFor(
  file: TextFile,
  match: Match,
  { search, replace }: { search: string; replace: string },
): Splice[] {
  const [before, after] = tokensOf(file, match, search, replace);
  const splices: Splice[] = [];
  let index = 0;
  let removed: Match['slices'] = [];
  let added: Token[] = [];
  const flush = () => {
    if (removed.length > 0 || added.length > 0) {
      const start = removed[0]?.start ?? match.slices[index]?.start ?? match.slices.at(-1)?.end ?? 0;
      splices.push({ start, end: removed.at(-1)?.end ?? start, text: render(file, match, removed, added) });
    }
    removed = [];
    added = [];
  };
  for (const part of diffArrays(before.map(keyOf), after.map(keyOf))) {
    if (part.added) added.push(...part.value.map(tokenOf));
    else if (part.removed) {
      removed.push(...match.slices.slice(index, index + part.value.length));
      index += part.value.length;
    } else {
      flush();
      index += part.value.length;
    }
  }
  flush();
  return splices;
}

/**
 * A whole-line search may end at a last line that has no line ending: the file's final newline state is kept by
 * taking the last line ending off both sides.
 */
function tokensOf(file: TextFile, match: Match, search: string, replace: string): [Token[], Token[]] {
  const from = normalise(file, search);
  const to = normalise(file, replace);
  const last = match.slices.at(-1);
  const unterminated = last !== undefined && last.end === file.body.length && !file.body.endsWith('\n');
  const trim = unterminated && from.endsWith('\n');
  const cut = (text: string) => plainLines(trim ? text.replace(/\n$/, '') : text);
  return [cut(from), cut(to)];
}

const keyOf = (token: Token): string => (token.ends ? `${token.text}\n` : token.text);

const tokenOf = (key: string): Token =>
  key.endsWith('\n') ? { text: key.slice(0, -1), ends: true } : { text: key, ends: false };

function render(file: TextFile, match: Match, removed: Match['slices'], added: readonly Token[]): string {
  return added
    .map((token, index) => {
      const text = shiftLine(token.text, match.shift);
      if (!token.ends) return text;
      const slice = removed[index];
      const old = slice === undefined ? '' : file.body.slice(slice.start, slice.end);
      if (old.endsWith('\r\n')) return `${text}\r\n`;
      return old.endsWith('\n') ? `${text}\n` : text + file.dominantEol;
    })
    .join('');
}

/** Whether two splices claim the same text, or insert at the same point. Touching neighbours do not. */
export function overlaps(a: Splice, b: Splice): boolean {
  if (a.start === a.end && b.start === b.end) return a.start === b.start;
  return a.start < b.end && b.start < a.end;
}

/** Applies splices that do not overlap, in whatever order they come. */
export function applySplices(body: string, splices: readonly Splice[]): string {
  const sorted = splices.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const pieces: string[] = [];
  let at = 0;
  for (const splice of sorted) {
    pieces.push(body.slice(at, splice.start), splice.text);
    at = splice.end;
  }
  return pieces.concat(body.slice(at)).join('');
}
