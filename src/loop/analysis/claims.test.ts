import { describe, expect, it } from 'vitest';
import { claimedPaths, missingOf } from './claims.ts';

describe('claimedPaths', () => {
  it.each([
    [
      'See [the table](out/mean.csv) and ![a figure](./figs/a%20b.png "Title").',
      ['out/mean.csv', 'figs/a b.png'],
    ],
    [
      'I saved `results.xlsx`, figure_1.png and tables/sum.csv.',
      ['results.xlsx', 'figure_1.png', 'tables/sum.csv'],
    ],
    ['保存了 图1.png。', ['图1.png']],
    ['The plot is in `my plot.png`', ['my plot.png']],
    ['Twice: a.csv, a.csv and ./a.csv', ['a.csv']],
    ['![inline](data:image/png;base64,AAAA) [site](https://example.org/a.csv) [up](#part)', []],
    ['Read https://example.org/data/a.csv first.', []],
    ['All of fig_*.png, {name}.csv, <city>.csv and part-{i}.json', []],
    ['Version 1.2, i.e. numpy.txtfile and e.g. 3.5', []],
    ['Call df.to_csv(path) or pd.read_html(url), as in module.md5', []],
    ['', []],
  ])('finds in %j the files %j', (text, paths) => {
    expect(claimedPaths(text)).toEqual(paths);
  });

  it('takes no time over a long text that is nearly a link', () => {
    const parts = ['[a](', '![', 'a.', 'a-', 'a+', '`a.', 'a://', '[a](b "', 'é.', './'];
    const text = parts.map((part) => part.repeat(20_000)).join(' ');
    const startedMs = performance.now();
    expect(claimedPaths(text)).toEqual([]);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });
});

describe('missingOf', () => {
  it('asks for the end of a path only, and for the whole name', () => {
    const files = ['out/mean.csv', 'a.png'];
    expect(missingOf(['mean.csv', 'out/mean.csv', '/work/out/mean.csv', 'a.png'], files)).toEqual([]);
    expect(missingOf(['n.csv', 'ean.csv', 'other/mean.csv', 'A.png'], files)).toEqual([
      'n.csv',
      'ean.csv',
      'other/mean.csv',
      'A.png',
    ]);
  });
});
