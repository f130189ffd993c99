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

/** As many lines from the end as fit, and in the place of the others how many they are. */
export function lastLines(
  lines: readonly string[],
  maxChars: number,
  others: (count: number) => string,
): string {
  let room = maxChars - 80;
  let first = lines.length;
  while (first > 0 && (lines[first - 1]?.length ?? 0) + 1 <= room) {
    first -= 1;
    room -= (lines[first]?.length ?? 0) + 1;
  }
  const kept = lines.slice(first);
  return (first === 0 ? kept : [lineOf(others(first), 79), ...kept]).join('\n');
}

export function variableText({ name, type, shape, repr }: Variable): string {
  const dimensions = shape === null ? '' : ` (${shape.join(' x ')})`;
  return lineOf(`${name}: ${type}${dimensions} = ${repr}`, 300);
}

/** The variables as they are now, those that changed last at the end. */
export function variablesText({ variables, kernel }: AnalysisState, maxChars = 12_000): string {
  if (variables === null)
    return 'not known: assay cannot look into this kernel. Print what you need to know.';
  const lines = Object.values(variables).map(variableText);
  if (lines.length === 0) return kernel.is === 'gone' ? 'none: the kernel is gone' : 'none';
  return lastLines(lines, maxChars, (count) => `[${countOf(count, 'older variable')} left out]`);
}

/** The data files, then what cells made, newest last; figures that were shown only have a name to read them by. */
export function artifactsText(state: AnalysisState, maxChars = 12_000): string {
  const { spec, files } = state;
  const data = (spec.data?.files ?? []).map(({ path, bytes }) => `${path} (${bytesText(bytes)}, data)`);
  const more = (spec.data?.total ?? 0) - data.length;
  const made = Object.values(files)
    .toSorted((a, b) => a.cell - b.cell)
    .map(({ path, bytes, cell }) => `${path} (${bytesText(bytes)}, cell ${cell})`);
  const kept = state.cells.flatMap(({ cell, artifacts }) =>
    artifacts
      .filter(({ source }) => source.kind !== 'file')
      .map(({ name, bytes }) => `artifact:${name} (${bytesText(bytes)}, output of cell ${cell})`),
  );
  const lines = [...data, ...(more > 0 ? [`and ${countOf(more, 'other data file')}`] : []), ...kept, ...made];
  if (lines.length === 0) return 'none';
  return lastLines(lines, maxChars, (count) => `[${countOf(count, 'older name')} left out]`);
}
