import { AssayError, type Subtask } from '../../core/index.ts';
import { subtaskOf } from './plan.ts';

/** A task file: the whole text, and the subtasks its headings make of it. */
export type Task = { task: string; subtasks: Subtask[] };

type Heading = { level: number; title: string; line: number };

/**
 * Splits a task file by its headings: of the highest level that has several, each is a subtask with the text below it.
 * What stands before the first of them belongs to the whole task and is told in every subtask. A file without several
 * headings of one level is one task. Headings in fenced code are none.
 * @throws AssayError `usage` for a file without text
 */
export function parseTask(text: string, options: { file?: string } = {}): Task {
  const task = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .trim();
  const lines = task.split('\n');
  const headings = headingsOf(lines);
  if (!lines.some((line, index) => line.trim() !== '' && !headings.some((heading) => heading.line === index)))
    throw emptyTask(options.file ?? 'the task', headings.length > 0);
  const level = [1, 2, 3].find((depth) => headings.filter((heading) => heading.level === depth).length > 1);
  const starts = level === undefined ? [] : headings.filter((heading) => heading.level === level);
  const sections = starts.flatMap(({ title, line }) => {
    const end = headings.find((other) => other.line > line && other.level <= (level ?? 0))?.line;
    const body = lines
      .slice(line + 1, end)
      .join('\n')
      .trim();
    return body === '' ? [] : [{ title, prompt: body }];
  });
  if (sections.length > 1)
    return { task, subtasks: sections.map((section, index) => subtaskOf({ ...section, index })) };
  const title = headings[0]?.title ?? 'The task';
  return { task, subtasks: [subtaskOf({ title, prompt: task, index: 0 })] };
}

function headingsOf(lines: readonly string[]): Heading[] {
  let fence: string | null = null;
  const headings: Heading[] = [];
  for (const [line, text] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1];
    if (fence !== null) {
      if (
        mark?.[0] === fence[0] &&
        mark !== undefined &&
        mark.length >= fence.length &&
        /^[\s`~]*$/.test(text)
      )
        fence = null;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    const [, hashes, title] = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/.exec(text) ?? [];
    if (hashes !== undefined && title !== undefined && title !== '')
      headings.push({ level: hashes.length, title, line });
  }
  return headings;
}

function emptyTask(file: string, onlyHeadings: boolean): AssayError {
  return new AssayError({
    code: 'usage',
    message: `${file} says nothing to do`,
    because: onlyHeadings ? 'it has headings and no text below them' : 'it is empty',
    fix: 'write what to find out, in words: one task, or a heading for each part with its text below',
  });
}
