import type { Variable } from '../../core/index.ts';
import type { AnalysisState } from './state.ts';

/** `1 cell`, `3 cells`. */
export const countOf = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** A size for people. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

/** Text without the colours and cursor moves that are meant for a terminal. */
export const plain = (text: string): string => text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '');

/** The beginning of a text, on one line. */
export function lineOf(text: string, maxChars: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, Math.max(0, maxChars - 1)).toWellFormed()}…`;
}

/**
 * A line for each item, as many from the end as fit, and in the place of the others how many they are. Only those lines
 * are made: a long session has many thousands that nobody reads.
 */
export function lastLines<T>(
  items: readonly T[],
  options: { line: (item: T) => string; maxChars: number; others: (count: number) => string },
): string {
  const lines: string[] = [];
  let room = options.maxChars - 80;
  for (const item of items.toReversed()) {
    const line = options.line(item);
    if (line.length + 1 > room) break;
    room -= line.length + 1;
    lines.unshift(line);
  }
  const left = items.length - lines.length;
  return (left === 0 ? lines : [lineOf(options.others(left), 79), ...lines]).join('\n');
}

export function variableText({ name, type, shape, repr }: Variable): string {
  const dimensions = shape === null ? '' : ` (${shape.join(' x ')})`;
  return lineOf(`${name}: ${type}${dimensions} = ${repr}`, 300);
}

/** The variables as they are now, those that changed last at the end. */
export function variablesText({ variables, kernel }: AnalysisState, maxChars = 12_000): string {
  if (variables === null)
    return 'not known: assay cannot look into this kernel. Print what you need to know.';
  const all = Object.values(variables);
  if (all.length === 0) return kernel.is === 'gone' ? 'none: the kernel is gone' : 'none';
  const others = (count: number) => `[${countOf(count, 'older variable')} left out]`;
  return lastLines(all, { line: variableText, maxChars, others });
}

/** The data files, then what cells made, newest last; figures that were shown only have a name to read them by. */
export function artifactsText(state: AnalysisState, maxChars = 12_000): string {
  const { spec, files } = state;
  const listed = spec.data?.files ?? [];
  const more = (spec.data?.total ?? 0) - listed.length;
  const data = listed.map(({ path, bytes }) => ({ name: path, bytes, of: 'data' }));
  const made = Object.values(files)
    .toSorted((a, b) => a.cell - b.cell)
    .map(({ path, bytes, cell }) => ({ name: path, bytes, of: `cell ${cell}` }));
  const kept = state.cells.flatMap(({ cell, artifacts }) =>
    artifacts
      .filter(({ source }) => source.kind !== 'file')
      .map(({ name, bytes }) => ({ name: `artifact:${name}`, bytes, of: `output of cell ${cell}` })),
  );
  const items = [...data, ...(more > 0 ? [`and ${countOf(more, 'other data file')}`] : []), ...kept, ...made];
  if (items.length === 0) return 'none';
  return lastLines(items, {
    line: (item) => (typeof item === 'string' ? item : `${item.name} (${bytesText(item.bytes)}, ${item.of})`),
    maxChars,
    others: (count) => `[${countOf(count, 'older name')} left out]`,
  });
}
