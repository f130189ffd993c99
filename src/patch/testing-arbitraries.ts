import fc from 'fast-check';
import type { Tree } from './testing.ts';

/** Pieces that break naive line handling, of few kinds, so that repeats and near repeats are common. */
export const wordArb = fc.constantFrom(
  'a',
  'b',
  'x = 1',
  '\tif (y) {',
  '    return é',
  '}',
  '',
  '  ',
  'naïve “q”',
  '-- z',
  '++ w',
  '\\ No newline',
  '@@ -1 +1 @@',
  'lone\rreturn',
  'end\r',
  '漢字',
);

const eolArb = fc.constantFrom('\n', '\r\n');

/** Text of every awkward kind: mixed line endings, a mark at the start, no final newline, empty. */
export const contentArb = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    fc.array(fc.tuple(wordArb, eolArb), { maxLength: 25 }),
    fc.boolean(),
    wordArb,
  )
  .map(
    ([bom, lines, newline, last]) =>
      bom + lines.map(([text, eol]) => text + eol).join('') + (newline ? '' : last),
  );

const nameArb = fc.constantFrom(
  'a.py',
  'dir/b c.py',
  'dir/é.ts',
  'x"y.txt',
  'z',
  'deep/er/q',
  'tab.md',
  'run.sh',
);

/** A few files; two of these often share names and sometimes contents. */
export const treeArb = fc
  .tuple(
    fc.uniqueArray(fc.tuple(nameArb, contentArb), { selector: ([name]) => name, maxLength: 5 }),
    fc.array(fc.tuple(nameArb, fc.constantFrom('same\ncontent\nhere\n', 'same\ncontent\nthere\n')), {
      maxLength: 3,
    }),
  )
  .map(([own, shared]): Tree => Object.fromEntries([...own, ...shared]));
