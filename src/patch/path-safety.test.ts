import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collisionOf, foldersOf, pathProblem, spellingsOf } from './path-safety.ts';

describe('pathProblem', () => {
  it.each([
    'a',
    'src/a.py',
    '.github/workflows/ci.yml',
    '.gitignore',
    'a b/é.ts',
    '...a',
    'x~1',
    'gitx',
    'git~x',
    '~a',
  ])('takes %j', (path) => {
    expect(pathProblem(path)).toBeNull();
  });

  it.each([
    '',
    '/etc/passwd',
    '~/x',
    '..',
    '../x',
    'a/../../x',
    'a/..',
    './a',
    'a/./b',
    'a//b',
    'a/',
    'C:/x',
    'c:x',
    'a\\b',
    '..\\x',
    'a\0b',
    'a\nb',
    'a\u007Fb',
    'a./b',
    'a /b',
    'a.',
    'a ',
    '.git',
    '.git/config',
    'sub/.git/hooks/x',
    '.GIT/x',
    '.Git/x',
    '.g\u200Cit/x',
    'git~1/x',
    '.git::$INDEX_ALLOCATION/x',
    `${'a'.repeat(256)}`,
    `${'a/'.repeat(2100)}b`,
    '\uD800',
  ])('refuses %j', (path) => {
    expect(pathProblem(path)).toEqual(expect.any(String));
  });

  it('takes no path that leaves its folder, whatever its pieces', () => {
    const piece = fc.constantFrom('..', '.', '', 'a', '.git', 'b.py', 'c ', '\\', 'C:', '\0');
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (pieces) => {
        const path = pieces.join('/');
        if (pathProblem(path) !== null) return;
        expect(pieces.every((one) => one === 'a' || one === 'b.py')).toBe(true);
      }),
    );
  });
});

describe('collisionOf', () => {
  const spellings = spellingsOf(['src/App.ts', 'src/caf\u00E9.ts', 'README', 'readme']);

  it.each([
    ['src/App.ts', null],
    ['src/new.ts', null],
    ['README', null],
    ['readme', null],
    ['src/app.ts', 'src/App.ts'],
    ['SRC/App.ts', 'src'],
    ['src/cafe\u0301.ts', 'src/caf\u00E9.ts'],
    ['ReadMe', 'readme'],
    ['src', 'src'],
    ['readme/x', 'readme'],
    ['src/app.TS/x', 'src/App.ts'],
  ])('of %s is %s', (path, collision) => {
    expect(collisionOf(path, spellings)).toBe(collision);
  });

  it('names the folders on the way', () => {
    expect(foldersOf('a/b/c')).toEqual(['a', 'a/b']);
    expect(foldersOf('a')).toEqual([]);
  });
});
