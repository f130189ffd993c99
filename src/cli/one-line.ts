import { printable } from '../sandbox/index.ts';

/**
 * Outside text (of a model, a project, a provider) as one line of what is shown, cut at `max` characters: it cannot
 * begin a line of its own, be it one that looks like assay's.
 */
export function oneLine(text: string, { max = 2_000 }: { max?: number } = {}): string {
  const line = inert(
    printable(text.slice(0, 4 * max))
      .replace(/\s*\n\s*/g, ' ')
      .trim(),
  );
  return line.length > max || text.length > 4 * max ? `${line.slice(0, max)}…` : line;
}

/** The same for a row that assay has set in: with the spaces that it begins with. */
export const indentedLine = (text: string): string => `${/^ */.exec(text)?.[0] ?? ''}${oneLine(text)}`;

/**
 * Text of several lines with nothing in it that a pipeline takes for a command: those of GitHub begin a line with
 * `::`, spaces before it or not, or have `##[` or `##vso[` anywhere.
 */
export const inert = (text: string): string =>
  text.replace(/^([^\S\n]*):(?=:)/gm, '$1\\x3a').replace(/##(?=\w*\[)/g, '#\\x23');
