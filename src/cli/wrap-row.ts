import { stripVTControlCharacters } from 'node:util';
import { widthOf } from './cut-to.ts';

/**
 * Breaks a row at its spaces, so that no line is wider than `columns`; what follows the first line is indented. A word
 * that is wider than a line stays whole: it may be a path that somebody copies.
 * @param options.columns null: nothing is broken, as in a pipe
 */
export function wrapRow(text: string, options: { columns: number | null; indent: number }): string {
  const { columns, indent } = options;
  if (columns === null) return text;
  const margin = ' '.repeat(indent);
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, { columns, indent }))
    .join(`\n${margin}`);
}

function wrapLine(line: string, { columns, indent }: { columns: number; indent: number }): string[] {
  const lines: string[] = [];
  let [current, width] = ['', 0];
  // The name of the row, which is padded, stays as it is.
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    const wide = columnsOf(word);
    const room = columns - (lines.length === 0 ? 0 : indent);
    // Not behind the name of the row, which would stand there alone.
    const name = lines.length === 0 && width < indent;
    if (!name && width + 1 + wide > room) {
      lines.push(current);
      [current, width] = [word, wide];
    } else {
      [current, width] = current === '' ? [word, wide] : [`${current} ${word}`, width + 1 + wide];
    }
  }
  return [...lines, current];
}

const columnsOf = (word: string) =>
  [...stripVTControlCharacters(word)].reduce((sum, character) => sum + widthOf(character), 0);
