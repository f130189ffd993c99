import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { AssayError } from '../../core/index.ts';
import { type NotebookContent, notebookSchema } from './format.ts';

/**
 * A notebook of nbformat 4.5 from its file, with texts as one string each.
 * @throws AssayError `input` where the file cannot be read or is no such notebook
 */
export async function readNotebook(file: string): Promise<NotebookContent> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw notebookError(file, error instanceof Error ? error.message : String(error), error);
  }
  return parseNotebook(text, file);
}

/** The same from text; `file` is for the error. */
export function parseNotebook(text: string, file: string): NotebookContent {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notebookError(file, error instanceof Error ? error.message : String(error), error);
  }
  const parsed = notebookSchema.safeParse(value);
  if (!parsed.success) throw notebookError(file, z.prettifyError(parsed.error), parsed.error);
  return parsed.data;
}

function notebookError(file: string, because: string, cause: unknown): AssayError {
  return new AssayError({
    code: 'input',
    message: `${file} cannot be read as a notebook`,
    because,
    fix: 'Give a notebook of nbformat 4.5 or newer, such as JupyterLab saves.',
    cause,
  });
}
