import type { NotebookCell, NotebookOutput } from './format.ts';
import { isBinaryType, isJsonType } from './mime.ts';

/** What a notebook says of its kernel. */
export type NotebookKernel = {
  name: string;
  language: string;
  languageVersion: string;
  implementation: string;
};

/** All that comes before the first cell. */
export const opening = '{\n "cells": [';

/** A cell as it stands in the list, in the layout of Jupyter itself: indented by 1, texts in lines. */
export function cellText(cell: NotebookCell): string {
  const laid =
    cell.cell_type === 'code'
      ? { ...cell, source: lines(cell.source), outputs: cell.outputs.map(layOutput) }
      : { ...cell, source: lines(cell.source) };
  return indented(laid, '  ');
}

/** All that comes after the last cell. */
export function closing(kernel: NotebookKernel | null): string {
  const rest = { metadata: kernel === null ? {} : metadataOf(kernel), nbformat: 4, nbformat_minor: 5 };
  return `\n ],\n${JSON.stringify(wellFormed(rest), null, 1).slice(2)}\n`;
}

function layOutput(output: NotebookOutput): unknown {
  if (output.output_type === 'stream') return { ...output, text: lines(output.text) };
  if (output.output_type === 'error') return output;
  const data = Object.entries(output.data).map(([mediaType, value]) => [
    mediaType,
    typeof value === 'string' && !isJsonType(mediaType) && !isBinaryType(mediaType) ? lines(value) : value,
  ]);
  return { ...output, data: Object.fromEntries(data) };
}

/** Every line with its end, as nbformat splits them: by `\n` alone. */
function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function indented(value: unknown, by: string): string {
  return JSON.stringify(wellFormed(value), null, 1).replace(/^/gm, by);
}

/** A half of a surrogate pair, which no UTF-8 file can hold, would make other programs refuse the notebook. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]),
  );
}

function metadataOf({ name, language, languageVersion }: NotebookKernel): unknown {
  const known = languages[language.toLowerCase()];
  return {
    kernelspec: {
      display_name: languageVersion === '' ? name : `${language} ${languageVersion}`,
      language,
      name,
    },
    language_info: {
      ...known,
      name: language,
      ...(languageVersion === '' ? {} : { version: languageVersion }),
    },
  };
}

/** What editors want to know of a language; kernels say the same in their `kernel_info_reply`. */
const languages: Readonly<Record<string, Record<string, unknown>>> = {
  python: {
    codemirror_mode: { name: 'ipython', version: 3 },
    file_extension: '.py',
    mimetype: 'text/x-python',
    nbconvert_exporter: 'python',
    pygments_lexer: 'ipython3',
  },
  r: { codemirror_mode: 'r', file_extension: '.r', mimetype: 'text/x-r-source', pygments_lexer: 'r' },
  julia: { file_extension: '.jl', mimetype: 'application/julia' },
  javascript: { file_extension: '.js', mimetype: 'text/javascript', pygments_lexer: 'javascript' },
  typescript: { file_extension: '.ts', mimetype: 'text/typescript', pygments_lexer: 'typescript' },
};
