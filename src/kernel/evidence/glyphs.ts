import type { CellResult } from '../../core/index.ts';
import { GlyphWatch } from '../glyphs.ts';

/** Warnings of characters that a figure of the cell shows as empty boxes; those that the result has already are left out. */
export function missingGlyphs(result: Pick<CellResult, 'outputs' | 'warnings'>): string[] {
  const watch = new GlyphWatch();
  for (const output of result.outputs)
    if (output.output_type === 'stream' && output.name === 'stderr') watch.read(output.text);
  return watch.warnings().filter((warning) => !result.warnings.includes(warning));
}
