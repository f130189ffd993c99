import { diffArrays } from 'diff';

/** One line of a hunk: kept, removed or added. `text` includes its `\n` when it has one. */
export type HunkLine = { sign: ' ' | '-' | '+'; text: string };

export type Hunk = {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: HunkLine[];
};

/** Lines of context around a change, as git has it by default. */
const CONTEXT = 3;

/**
 * Past this many insertions and deletions the search for a shortest edit script is given up and the differing
 * middle is replaced as a whole: still a right diff, found in linear time.
 */
const MAX_EDITS = 2000;

/** Splits as git does: after every `\n` and nowhere else. */
export function gitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** A line diff (Myers 1986, through npm `diff`) between common head and tail. */
export function diffLines(before: readonly string[], after: readonly string[]): HunkLine[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail])
    tail += 1;
  const removed = before.slice(head, before.length - tail);
  const added = after.slice(head, after.length - tail);
  return [
    ...before.slice(0, head).map(signed(' ')),
    ...middle(removed, added),
    ...before.slice(before.length - tail).map(signed(' ')),
  ];
}

function middle(removed: string[], added: string[]): HunkLine[] {
  const parts =
    removed.length > 0 && added.length > 0
      ? diffArrays(removed, added, { maxEditLength: MAX_EDITS })
      : undefined;
  if (parts === undefined) return [...removed.map(signed('-')), ...added.map(signed('+'))];
  return parts.flatMap((part) => part.value.map(signed(part.removed ? '-' : part.added ? '+' : ' ')));
}

function signed(sign: HunkLine['sign']): (text: string) => HunkLine {
  return (text) => ({ sign, text });
}

/** Groups a line diff into hunks with three lines of context; hunks that would touch are one. */
export function hunksOf(lines: readonly HunkLine[]): Hunk[] {
  let oldLine = 1;
  let newLine = 1;
  let done = 0;
  return rangesOf(lines).map(({ from, to }) => {
    const skipped = lines.slice(done, from).length;
    const shown = lines.slice(from, to);
    const oldStart = oldLine + skipped;
    const newStart = newLine + skipped;
    const oldLines = shown.filter((line) => line.sign !== '+').length;
    const newLines = shown.filter((line) => line.sign !== '-').length;
    oldLine = oldStart + oldLines;
    newLine = newStart + newLines;
    done = to;
    return { oldStart, oldLines, newStart, newLines, lines: shown };
  });
}

/** Half-open index ranges of the changes with their context. What lies between two of them is unchanged. */
function rangesOf(lines: readonly HunkLine[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.sign === ' ') continue;
    const from = Math.max(0, index - CONTEXT);
    const to = Math.min(lines.length, index + CONTEXT + 1);
    const last = ranges.at(-1);
    if (last !== undefined && from <= last.to) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges;
}

/** One hunk as git prints it. */
export function renderHunk(hunk: Hunk): string {
  const body = hunk.lines
    .map(({ sign, text }) =>
      text.endsWith('\n') ? sign + text : `${sign}${text}\n\\ No newline at end of file\n`,
    )
    .join('');
  return `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@\n${body}`;
}

/** An empty side is numbered by the line before it; a count of one is left out. */
function range(start: number, count: number): string {
  if (count === 0) return `${start - 1},0`;
  return count === 1 ? `${start}` : `${start},${count}`;
}
