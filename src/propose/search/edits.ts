import type { Edit } from '../../core/index.ts';
import { applySplices } from './candidate.ts';
import type { SourceFile } from './syntax/source-file.ts';
import { lineEnd, lineStart, nextLine } from './syntax/source-file.ts';
import type { Splice } from './templates/template.ts';

/** Lines of context added on each side, at most, to make a search text stand for one place only. */
const maxContext = 12;

/**
 * The splices as one edit of whole lines. The search text is the file's own, widened by whole lines until it is
 * found only once; where even that does not tell (a file that repeats itself), `occurrence` says which.
 */
export function editOf(file: SourceFile, splices: readonly Splice[]): Edit {
  const before = file.text;
  const after = applySplices(before, splices);
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail])
    tail += 1;

  let start = lineStart(file, head);
  let end = lineEnd(file, before.length - tail);
  const grown = after.length - before.length;
  const wide = () => end > start && end + grown > start && isUnique(before, before.slice(start, end));
  for (let step = 0; step < maxContext && !wide(); step += 1) {
    if (start > 0) start = lineStart(file, start - 1);
    if (end < before.length) end = lineEnd(file, nextLine(file, end));
  }
  const search = before.slice(start, end);
  const edit = { op: 'replace', path: file.path, search, replace: after.slice(start, end + grown) } as const;
  if (isUnique(before, search)) return edit;
  return { ...edit, occurrence: occurrences(before.slice(0, start + search.length - 1), search) + 1 };
}

/** A search text that ends with a line end stands for whole lines, so it must be alone without that end as well. */
const isUnique = (text: string, search: string) => occurrences(text, search.replace(/\r?\n$/, '')) === 1;

/** How often `part` stands in `text`, overlaps included. */
function occurrences(text: string, part: string): number {
  let times = 0;
  for (let at = text.indexOf(part); at !== -1 && part !== ''; at = text.indexOf(part, at + 1)) times += 1;
  return times;
}
