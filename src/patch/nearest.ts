import { normalise, plainLines, type TextFile } from './text.ts';

type Near = { line: number; text: string }[];

/** What a refusal may quote: enough to correct a search text, never the whole file. */
const limits = { snippets: 3, lines: 12, columns: 300, compared: 10, threshold: 0.4 };

/**
 * The real lines most like a search text that was not found: up to three places, the best first, each at most
 * 12 lines. Only ever shown, never applied. Similarity is Dice's coefficient over the bigrams of the trimmed
 * lines (Dice 1945), averaged over the longest ten lines of the search.
 */
export function nearestLines(file: TextFile, search: string): Near {
  const wanted = plainLines(normalise(file, search)).map((line) => line.text);
  const informative = wanted
    .map((text, offset) => ({ offset, grams: bigrams(text) }))
    .filter(({ grams }) => grams.size > 0)
    .toSorted((a, b) => b.grams.size - a.grams.size)
    .slice(0, limits.compared);
  if (informative.length === 0) return [];
  const known = new Map<string, Set<string>>();
  const have = file.lines.map(({ text }) => {
    const grams = known.get(text) ?? bigrams(text);
    known.set(text, grams);
    return grams;
  });
  const scored = file.lines.map((_, row) => {
    const scores = informative.map(({ offset, grams }) => dice(grams, have[row + offset]));
    return { row, score: scores.reduce((sum, score) => sum + score, 0) / scores.length };
  });
  const rows = pickApart(scored, wanted.length);
  return rows.flatMap((row) => quoteLines(file, row + 1, Math.min(wanted.length, limits.lines)));
}

/** `count` real lines from the 1-based `line` on, long ones cut. */
export function quoteLines(file: TextFile, line: number, count: number): Near {
  return file.lines.slice(line - 1, line - 1 + count).map(({ text }, index) => ({
    line: line + index,
    text: text.length > limits.columns ? `${text.slice(0, limits.columns)}…` : text,
  }));
}

function pickApart(scored: { row: number; score: number }[], height: number): number[] {
  const picked: number[] = [];
  for (const { row, score } of scored.toSorted((a, b) => b.score - a.score || a.row - b.row)) {
    if (score < limits.threshold || picked.length === limits.snippets) break;
    if (picked.every((other) => Math.abs(other - row) >= height)) picked.push(row);
  }
  return picked;
}

function bigrams(text: string): Set<string> {
  const trimmed = text.trim().slice(0, limits.columns);
  const grams = new Set<string>();
  if (trimmed.length === 1) grams.add(trimmed);
  for (let index = 0; index + 1 < trimmed.length; index += 1) grams.add(trimmed.slice(index, index + 2));
  return grams;
}

function dice(a: Set<string>, b: Set<string> | undefined): number {
  if (b === undefined || b.size === 0) return 0;
  let shared = 0;
  for (const gram of a) if (b.has(gram)) shared += 1;
  return (2 * shared) / (a.size + b.size);
}
