import type { HunkLine } from './hunks.ts';

/** A hunk as somebody wrote it. The starts are null under a bare `@@`. Texts include their `\n` where they have one. */
export type ParsedHunk = { oldStart: number | null; newStart: number | null; lines: HunkLine[] };

export type HunkRead = { hunk: ParsedHunk; next: number } | { problem: string };

const header = /^@@+ *-(\d+)(?:,(\d+))? +\+(\d+)(?:,(\d+))? *@@/;

/** Where a hunk cannot go on: another hunk or file begins, a code fence or the text ends. */
export function isBoundary(lines: readonly string[], index: number): boolean {
  const line = lines[index];
  if (line === undefined || line.startsWith('@@') || line.startsWith('diff --git ')) return true;
  if (/^ {0,3}```/.test(line) || line.startsWith('Index: ')) return true;
  return line.startsWith('--- ') && (lines[index + 1]?.startsWith('+++ ') ?? false);
}

/**
 * Reads the hunk whose `@@` line is at `index`. Its counts are believed when they lead exactly to a boundary;
 * models often get them wrong, and then the line prefixes decide.
 */
export function readHunk(lines: readonly string[], index: number): HunkRead {
  const match = header.exec(lines[index] ?? '');
  const oldStart = match === null ? null : Number(match[1]);
  const newStart = match === null ? null : Number(match[3]);
  if (match !== null) {
    const counted = readCounted(lines, index + 1, { old: Number(match[2] ?? 1), new: Number(match[4] ?? 1) });
    if (counted !== null) return { hunk: { oldStart, newStart, lines: counted.body }, next: counted.next };
  }
  const read = readByPrefix(lines, index + 1);
  return 'problem' in read ? read : { hunk: { oldStart, newStart, lines: read.body }, next: read.next };
}

type Body = { body: HunkLine[]; next: number };

function readCounted(
  lines: readonly string[],
  from: number,
  left: { old: number; new: number },
): Body | null {
  const body: HunkLine[] = [];
  let index = from;
  while (left.old > 0 || left.new > 0) {
    const line = bodyLine(lines[index]);
    if (line === null) return null;
    if (line.sign !== '+') left.old -= 1;
    if (line.sign !== '-') left.new -= 1;
    if (left.old < 0 || left.new < 0) return null;
    body.push(line);
    index = skipMarker(lines, index + 1, body);
  }
  let end = index;
  while (lines[end]?.trim() === '') end += 1;
  // The signature of `git format-patch` may follow the last hunk.
  return isBoundary(lines, end) || lines[end] === '-- ' ? { body, next: index } : null;
}

function readByPrefix(lines: readonly string[], from: number): Body | { problem: string } {
  const body: HunkLine[] = [];
  let index = from;
  while (!isBoundary(lines, index)) {
    const line = bodyLine(lines[index]);
    if (line === null) break;
    body.push(line);
    index = skipMarker(lines, index + 1, body);
  }
  const next = index;
  // Blank lines at the end separate the hunk from what follows.
  while (body.at(-1)?.text === '\n' && lines[index - 1] === '') {
    body.pop();
    index -= 1;
  }
  for (let after = next; !isBoundary(lines, after) && lines[after]?.trim() !== ''; after += 1) {
    if (/^[+-]/.test(lines[after] ?? '')) {
      const problem = `the hunk is cut by a line without a " ", "-" or "+" in front: ${JSON.stringify(lines[next])}`;
      return { problem };
    }
  }
  return { body, next };
}

function bodyLine(line: string | undefined): HunkLine | null {
  if (line === undefined) return null;
  // Editors and models drop the space of a blank context line.
  if (line === '' || line === '\r') return { sign: ' ', text: `${line}\n` };
  const [sign] = line;
  return sign === ' ' || sign === '-' || sign === '+' ? { sign, text: `${line.slice(1)}\n` } : null;
}

/** `\ No newline at end of file` speaks of the line before it. */
function skipMarker(lines: readonly string[], index: number, body: HunkLine[]): number {
  if (!lines[index]?.startsWith('\\')) return index;
  const last = body.at(-1);
  if (last !== undefined) last.text = last.text.replace(/\n$/, '');
  return index + 1;
}

/** One side of a hunk as text. */
export function sideOf(hunk: ParsedHunk, side: 'old' | 'new'): string {
  const skip = side === 'old' ? '+' : '-';
  return hunk.lines
    .filter((line) => line.sign !== skip)
    .map((line) => line.text)
    .join('');
}
