import type { NotebookCell } from './format.ts';
import { isBinaryType } from './mime.ts';

/**
 * A cell with secrets taken out of everything that is text. What stands in base64, and so holds no secret that could be
 * read, is passed over: the formats of tokens are found in it by chance.
 */
export function scrubCell(cell: NotebookCell, clean: <T>(value: T) => T): NotebookCell {
  if (cell.cell_type !== 'code') return clean(cell);
  const images: { of: Record<string, unknown>; mediaType: string; value: string }[] = [];
  const outputs = cell.outputs.map((output) => {
    if (!('data' in output)) return output;
    const data: Record<string, unknown> = {};
    for (const [mediaType, value] of Object.entries(output.data)) {
      if (isBinaryType(mediaType) && isBase64(value)) images.push({ of: output.data, mediaType, value });
      else data[mediaType] = value;
    }
    return { ...output, data };
  });
  const scrubbed = clean({ ...cell, outputs });
  return {
    ...scrubbed,
    outputs: scrubbed.outputs.map((output, index) => {
      const original = cell.outputs[index];
      if (!('data' in output) || original === undefined || !('data' in original)) return output;
      const kept = images.filter(({ of }) => of === original.data);
      return {
        ...output,
        data: {
          ...output.data,
          ...Object.fromEntries(kept.map(({ mediaType, value }) => [mediaType, value])),
        },
      };
    }),
  };
}

/** Short text in this alphabet may be a key. */
function isBase64(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 256 && /^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(value);
}
