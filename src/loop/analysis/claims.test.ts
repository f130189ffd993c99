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
    [
      'train.csv/test.csv, ./out/fig.png and /tmp/x.csv',
      ['train.csv', 'test.csv', 'out/fig.png', '/tmp/x.csv'],
    ],
    [
      'Files:\n```\na.csv\n```\nRead them:\n```python\npd.read_csv("b.csv")\n```\nand c.csv',
      ['a.csv', 'c.csv'],
    ],
    ['The density scipy.stats.norm.pdf, or `norm.pdf`; and www.example.org/report.pdf', []],
  ])('finds in %j the files %j', (text, paths) => {
    expect(claimedPaths(text)).toEqual(paths);
  });

  it.each([
    'I could not write x.csv, because the folder is full.',
    'I did not save `x.csv`.',
    "I haven't written x.csv",
    'There is no such file as x.csv.',
    'x.csv is not there.',
    "x.csv doesn't exist",
    '`x.csv` was not given, so I took what there was.',
    'x.csv was deliberately not written',
    '- x.csv (not made)',
    'I deleted x.csv.',
    'If you want, I can write x.csv.',
    'The numbers would change if x.csv were used.',
    'It is not in x.csv.',
    'Nicht erstellt (not made: `x.csv`).',
  ])('sees in %j a mention, and no claim', (text) => {
    expect(claimedPaths(text)).toEqual([]);
  });

  it.each([
    'The data has no outliers, and the table is in x.csv.',
    'The table without duplicates is in x.csv.',
    'There are no missing values in x.csv.',
    'x.csv has missing values.',
    'x.csv does not contain the year 2020.',
    'Rows that could not be parsed are in x.csv.',
    'I could not fit a line. The points are in x.csv.',
    'You can find it in x.csv.',
    'y was not made, but x.csv was.',
    'See not only the text, but x.csv',
    'Not easy to say: x.csv shows it',
  ])('sees in %j a claim, whatever else it denies', (text) => {
    expect(claimedPaths(text)).toEqual(['x.csv']);
  });

  it('takes no time over a long text that is nearly a link', () => {
    const parts = [
      '[a](',
      '![',
      'a.',
      'a-',
      'a+',
      '`a.',
      'a://',
      '[a](b "',
      'é.',
      './',
      'not ',
      '```py\n',
      'a.csv/',
      'no file ',
      'could not write it to ',
    ];
    const text = parts.map((part) => part.repeat(20_000)).join(' ');
    const startedMs = performance.now();
    expect(claimedPaths(text)).toEqual([]);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });
});

describe('missingOf', () => {
  it('takes a name with spaces or composed characters as the file that it is', () => {
    expect(missingOf(['table.csv', 'Gru\u0308n.png'], ['my table.csv', 'Grün.png'])).toEqual([]);
  });

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
