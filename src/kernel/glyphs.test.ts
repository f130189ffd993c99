import { describe, expect, it } from 'vitest';
import { GlyphWatch } from './glyphs.ts';

const warning = (code: number, rest: string) =>
  `/x/pylabtools.py:152: UserWarning: Glyph ${code} (\\N{CJK UNIFIED IDEOGRAPH-4E2D}) missing from ${rest}.\n  fig.canvas.print_figure(bytes_io, **kw)\n`;

describe('GlyphWatch', () => {
  it('finds the characters a figure lacks, in the words of old and new matplotlib, once each', () => {
    const watch = new GlyphWatch();
    watch.read(warning(20013, 'current font'));
    watch.read(warning(20013, 'font(s) DejaVu Sans'));
    watch.read(warning(25991, 'font(s) DejaVu Sans, Noto Sans CJK JP'));
    expect(watch.warnings()).toEqual([expect.stringContaining('中文')]);
  });

  it('finds them wherever a piece ends', () => {
    const text = `before\n${warning(20013, 'font(s) DejaVu Sans')}after\n`;
    for (let cut = 0; cut <= text.length; cut++) {
      const watch = new GlyphWatch();
      watch.read(text.slice(0, cut));
      watch.read(text.slice(cut));
      expect(watch.warnings(), `cut at ${cut}`).toHaveLength(1);
    }
  });

  it('says nothing of other warnings', () => {
    const watch = new GlyphWatch();
    watch.read(
      'UserWarning: Glyph of sorts. Missing from font.\nGlyph 99999999999 missing from current font.\n',
    );
    expect(watch.warnings()).toEqual([]);
  });
});
