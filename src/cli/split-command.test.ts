import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitCommand } from './split-command.ts';

describe('splitCommand', () => {
  it('splits words, quotes and backslashes as a shell does', () => {
    expect(splitCommand('python -m pytest "tests dir" \'a "b"\' c\\ d ""')).toEqual([
      'python',
      '-m',
      'pytest',
      'tests dir',
      'a "b"',
      'c d',
      '',
    ]);
  });

  it('expands nothing', () => {
    expect(splitCommand('echo $HOME *.py `id`')).toEqual(['echo', '$HOME', '*.py', '`id`']);
  });

  it('gives back any words that were single-quoted', () => {
    const word = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes("'"));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(splitCommand(words.map((each) => `'${each}'`).join(' '))).toEqual(words);
      }),
    );
  });

  it.each(['', '   ', 'python "open', "it's"])('refuses %j with a fix', (text) => {
    expect(() => splitCommand(text)).toThrowError(expect.objectContaining({ code: 'usage' }));
  });
});
