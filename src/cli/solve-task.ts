import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { AssayError, type CheckCell } from '../core/index.ts';
import { parseTask, type Task } from '../loop/index.ts';

/** A task is told whole in every request: one that is longer leaves no room for the work. */
const maxTaskBytes = 256 * 1024;
const maxChecksBytes = 1024 * 1024;

/**
 * The task file, split into subtasks by its headings.
 * @throws AssayError `usage` for a file that is missing, empty, too long or no text
 */
export function readTask(file: string): Task {
  return parseTask(readText(file, { what: 'task', maxBytes: maxTaskBytes }), { file });
}

/**
 * The cells of a file of checks: Python divided by lines that begin with `# %%`, as editors do it. What follows on such
 * a line is the name of the check. All are run when the last subtask is said to be done.
 * @throws AssayError `usage` as `readTask`, and for a file without code
 */
export function readChecks(file: string): CheckCell[] {
  const text = readText(file, { what: 'file of checks', maxBytes: maxChecksBytes });
  const parts = text.split(/^# ?%%(.*)$/m);
  const named: { name: string; code: string }[] = [{ name: '', code: parts[0] ?? '' }];
  for (let at = 1; at < parts.length; at += 2)
    named.push({ name: (parts[at] ?? '').trim(), code: parts[at + 1] ?? '' });
  const cells = named.filter(({ code }) => /^\s*[^#\s]/m.test(code));
  if (cells.length === 0) {
    throw new AssayError({
      code: 'usage',
      message: `${file} checks nothing`,
      because: 'it holds no code',
      fix: 'write assertions, cells divided by lines "# %% name", e.g. assert total > 0',
    });
  }
  return cells.map(({ name, code }, index) => ({
    name: name || `check ${index + 1}`,
    code: code.trim(),
    subtask: null,
  }));
}

/** @throws AssayError `usage` where there is no such file of text, or it is over `maxBytes` */
export function readText(file: string, { what, maxBytes }: { what: string; maxBytes: number }): string {
  let descriptor: number | null = null;
  try {
    // Non-blocking: opening a FIFO nobody writes to would wait for ever.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error(stats.isDirectory() ? 'it is a folder' : 'it is no plain file');
    if (stats.size > maxBytes) throw new Error(`it is over ${maxBytes / 1024} KiB`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(descriptor));
  } catch (cause) {
    throw new AssayError({
      code: 'usage',
      message: `The ${what} ${file} cannot be read`,
      because: reasonOf(cause),
      fix: `give a plain text file in UTF-8, e.g. assay solve ${what === 'task' ? 'TASK.md' : 'TASK.md --checks checks.py'}`,
      cause,
    });
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if ('code' in cause && cause.code === 'ENOENT') return 'there is no such file';
  return cause instanceof TypeError ? 'it is no text in UTF-8' : cause.message;
}
