import type { CellResult } from '../../core/index.ts';
import { GlyphWatch } from '../glyphs.ts';

/**
 * Warnings of characters that a figure of the cell shows as empty boxes; those that the result has already are left out.
 *
 * @param seen code points of such characters that no output tells of: Python shows a warning once, or not at all
 */
export function missingGlyphs(
  result: Pick<CellResult, 'outputs' | 'warnings'>,
  seen: readonly number[] = [],
): string[] {
  const watch = new GlyphWatch();
  for (const output of result.outputs)
    if (output.output_type === 'stream' && output.name === 'stderr') watch.read(output.text);
  for (const point of seen) watch.add(point);
  return watch.warnings().filter((warning) => !result.warnings.includes(warning));
}
