import { describe, expect, it } from 'vitest';
import type { Edit, Refusal } from '../core/index.ts';
import type { Found, PlanPolicy } from './check-edit.ts';
import { planEdits } from './plan.ts';
import { applied, openPolicy, readerOf, type Tree } from './testing.ts';

type Extra = { policy?: Partial<PlanPolicy>; specials?: Record<string, Found> };

function plan(tree: Tree, edits: Edit[], { policy, specials }: Extra = {}) {
  return planEdits({
    edits,
    read: readerOf(tree, specials),
    files: Object.keys(tree),
    policy: { ...openPolicy, ...policy },
  });
}

function result(tree: Tree, edits: Edit[], extra?: Extra): Record<string, string> {
  const planned = plan(tree, edits, extra);
  if (!planned.ok) throw new Error(JSON.stringify(planned.refusals));
  return Object.fromEntries(
    Object.entries(applied(tree, planned.patch.changes)).map(([path, content]) => [
      path,
      typeof content === 'string' ? content : Buffer.from(content).toString(),
    ]),
  );
}

function refusals(tree: Tree, edits: Edit[], extra?: Extra): Refusal[] {
  const planned = plan(tree, edits, extra);
  return planned.ok ? [] : planned.refusals;
}

const codes = (tree: Tree, edits: Edit[], extra?: Extra) =>
  refusals(tree, edits, extra).map((problem) => problem.code);

const replace = (path: string, search: string, replacement: string, occurrence?: number): Edit => ({
  op: 'replace',
  path,
  search,
  replace: replacement,
  ...(occurrence === undefined ? {} : { occurrence }),
});

const longFile = Array.from({ length: 80 }, (_, index) => `line ${index}\n`).join('');

describe('planEdits', () => {
  it('applies several edits of one file to its original text, in any order', () => {
    const tree = { 'a.py': 'one\ntwo\nthree\nfour\n' };
    const edits = [replace('a.py', 'four\n', 'one\n'), replace('a.py', 'one\n', 'two\nTWO\n')];
    expect(result(tree, edits)).toEqual({ 'a.py': 'two\nTWO\ntwo\nthree\none\n' });
    expect(result(tree, edits.toReversed())).toEqual(result(tree, edits));
  });

  it('lets edits share context lines that neither of them changes', () => {
    const edits = [replace('a', 'a\nb\nc\n', 'a\nB\nc\n'), replace('a', 'c\nd\n', 'c\nD\n')];
    expect(result({ a: 'a\nb\nc\nd\n' }, edits)).toEqual({ a: 'a\nB\nc\nD\n' });
  });

  it('takes a replace of a renamed file by either name', () => {
    const tree = { 'a.py': 'x = 1\ny = 2\n' };
    const rename: Edit = { op: 'rename', path: 'a.py', to: 'lib/b.py' };
    const expected = { 'lib/b.py': 'x = 3\ny = 4\n' };
    expect(result(tree, [rename, replace('a.py', '1', '3'), replace('lib/b.py', '2', '4')])).toEqual(
      expected,
    );
  });

  it('creates a file where the same proposal deletes or moves one', () => {
    const create: Edit = { op: 'create', path: 'a', content: 'new\n' };
    expect(result({ a: 'old\n' }, [create, { op: 'delete', path: 'a' }])).toEqual({ a: 'new\n' });
    const moved = result({ a: 'old\n' }, [
      { op: 'rename', path: 'a', to: 'b' },
      create,
      replace('a', 'old', 'OLD'),
    ]);
    expect(moved).toEqual({ a: 'new\n', b: 'OLD\n' });
  });

  it('refuses all when one edit is wrong, and tells every reason', () => {
    const tree = { a: 'one\n', b: 'two\n' };
    const edits = [
      replace('a', 'one', 'ONE'),
      replace('b', 'nothing like it', 'x'),
      replace('/etc/passwd', 'x', 'y'),
    ];
    expect(refusals(tree, edits).map(({ code, edit }) => [code, edit])).toEqual([
      ['no_match', 1],
      ['bad_path', 2],
    ]);
  });

  it('refuses a proposal without edits', () => {
    expect(refusals({ a: 'x' }, [])).toMatchObject([{ code: 'malformed', edit: null }]);
  });

  it('quotes the nearest real lines of a search text that is not there', () => {
    const tree = {
      'a.py': 'def area(w, h):\n    return w + h\n\n\ndef perimeter(w, h):\n    return 2 * (w + h)\n',
    };
    const [problem] = refusals(tree, [replace('a.py', '    return w+h;\n', '    return w * h\n')]);
    expect(problem).toMatchObject({ code: 'no_match', path: 'a.py', edit: 0 });
    expect(problem?.near[0]).toEqual({ line: 2, text: '    return w + h' });
  });

  it('lists the lines of an ambiguous search and takes an occurrence', () => {
    const tree = { a: 'x = 0\ny = 1\nx = 0\n' };
    const [problem] = refusals(tree, [replace('a', 'x = 0\n', 'x = 1\n')]);
    expect(problem?.code).toBe('ambiguous');
    expect(problem?.near.map(({ line }) => line)).toEqual([1, 3]);
    expect(problem?.message).toContain('lines 1, 3');
    expect(result(tree, [replace('a', 'x = 0\n', 'x = 1\n', 2)])).toEqual({ a: 'x = 0\ny = 1\nx = 1\n' });
    expect(codes(tree, [replace('a', 'x = 0\n', 'x = 1\n', 3)])).toEqual(['no_match']);
  });

  it.each<[string, Tree, Edit[]]>([
    ['a replacement that stands already', { a: 'x = 2\n' }, [replace('a', 'x = 1', 'x = 2')]],
    ['a file created already', { a: 'x\n' }, [{ op: 'create', path: 'a', content: 'x\n' }]],
    ['a rename made already', { b: 'x\n' }, [{ op: 'rename', path: 'a', to: 'b' }]],
  ])('says so of %s', (_, tree, edits) => {
    expect(codes(tree, edits)).toEqual(['already_applied']);
  });

  it.each<[string, string, Tree, Edit[]]>([
    ['empty_search', 'an empty search', { a: 'x\n' }, [replace('a', '', 'y')]],
    ['empty_search', 'a blank search', { a: 'x\n\n' }, [replace('a', ' \n', 'y')]],
    ['no_op', 'equal texts', { a: 'x\n' }, [replace('a', 'x', 'x')]],
    ['no_op', 'texts equal but for line endings', { a: 'x\n' }, [replace('a', 'x\r\n', 'x\n')]],
    ['no_op', 'a rename to itself', { a: 'x\n' }, [{ op: 'rename', path: 'a', to: 'a' }]],
    [
      'no_op',
      'a deletion undone',
      { a: 'x\n' },
      [
        { op: 'delete', path: 'a' },
        { op: 'create', path: 'a', content: 'x\n' },
      ],
    ],
    [
      'overlap',
      'two edits of one line',
      { a: 'x = 1\n' },
      [replace('a', 'x', 'y'), replace('a', 'x = 1\n', 'z\n')],
    ],
    ['overlap', 'the same edit twice', { a: 'x\n' }, [replace('a', 'x', 'y'), replace('a', 'x', 'y')]],
    [
      'overlap',
      'two insertions at one place',
      { a: 'x\ny\n' },
      [replace('a', 'x\n', 'x\n1\n'), replace('a', 'y\n', '2\ny\n')],
    ],
    [
      'overlap',
      'an edit of a deleted file',
      { a: 'x\n' },
      [{ op: 'delete', path: 'a' }, replace('a', 'x', 'y')],
    ],
    [
      'overlap',
      'a file deleted and renamed',
      { a: 'x\n' },
      [
        { op: 'delete', path: 'a' },
        { op: 'rename', path: 'a', to: 'b' },
      ],
    ],
    ['binary', 'a file with NUL', { a: 'x\0' }, [replace('a', 'x', 'y')]],
    [
      'binary',
      'a file that is not UTF-8',
      { a: new Uint8Array([0x78, 0xff]) },
      [{ op: 'delete', path: 'a' }],
    ],
    ['binary', 'new text with NUL', { a: 'x' }, [replace('a', 'x', 'y\0')]],
    ['malformed', 'half a surrogate pair', { a: 'x' }, [replace('a', 'x', '\uD800')]],
    ['missing_file', 'a file that is not there', { 'lib/a.py': 'x' }, [replace('a.py', 'x', 'y')]],
    ['missing_file', 'the deletion of nothing', {}, [{ op: 'delete', path: 'a' }]],
    [
      'missing_file',
      'an edit of a created file',
      {},
      [{ op: 'create', path: 'a', content: 'x' }, replace('a', 'x', 'y')],
    ],
    ['exists', 'a create over a file', { a: 'x' }, [{ op: 'create', path: 'a', content: 'y' }]],
    [
      'exists',
      'two creates of one path',
      {},
      [
        { op: 'create', path: 'a', content: 'x' },
        { op: 'create', path: 'a', content: 'y' },
      ],
    ],
    ['exists', 'a rename onto a file', { a: 'x', b: 'y' }, [{ op: 'rename', path: 'a', to: 'b' }]],
    ['whole_file', 'a long file rewritten', { a: longFile }, [replace('a', longFile, 'short\n')]],
    [
      'whole_file',
      'a long file deleted and created anew',
      { a: longFile },
      [
        { op: 'delete', path: 'a' },
        { op: 'create', path: 'a', content: 'short\n' },
      ],
    ],
    ['too_large', 'a large file', { a: 'x'.repeat(1024 * 1024 + 1) }, [{ op: 'delete', path: 'a' }]],
    ['too_large', 'a large result', { a: 'x' }, [replace('a', 'x', 'y'.repeat(1024 * 1024 + 1))]],
    [
      'too_large',
      'a large new file',
      {},
      [{ op: 'create', path: 'a', content: 'y'.repeat(1024 * 1024 + 1) }],
    ],
  ])('refuses as %s: %s', (code, _, tree, edits) => {
    expect(codes(tree, edits)).toEqual([code]);
  });

  it('lets a long search with a small change through, and a whole file when the policy allows', () => {
    const changed = longFile.replace('line 7\n', 'line seven\n');
    expect(result({ a: longFile }, [replace('a', longFile, changed)])).toEqual({ a: changed });
    const edits = [replace('a', longFile, 'short\n')];
    expect(result({ a: longFile }, edits, { policy: { allowWholeFile: true } })).toEqual({ a: 'short\n' });
  });

  it('takes many small changes and moved lines of a long file for what they are', () => {
    const lines = Array.from({ length: 6000 }, (_, index) => `line ${index}\n`);
    const spread = lines.map((line, index) => (index % 5 === 0 ? `changed ${line}` : line)).join('');
    const moved = [...lines.slice(3000), ...lines.slice(0, 3000)].join('');
    for (const after of [spread, moved]) {
      expect(codes({ a: lines.join('') }, [replace('a', lines.join(''), after)])).toEqual([]);
    }
  });

  it('suggests the file that was meant', () => {
    const [problem] = refusals({ 'lib/a.py': 'x' }, [replace('src/a.py', 'x', 'y')]);
    expect(problem?.message).toContain('Did you mean lib/a.py?');
  });

  it.each<[string, Edit]>([
    ['replace', replace('tests/t.py', 'x', 'y')],
    ['delete', { op: 'delete', path: 'tests/t.py' }],
    ['create', { op: 'create', path: 'tests/new.py', content: '' }],
    ['rename away', { op: 'rename', path: 'tests/t.py', to: 'b.py' }],
    ['rename into', { op: 'rename', path: 'a.py', to: 'tests/new.py' }],
  ])('refuses to %s a protected file', (_, edit) => {
    const policy = {
      protectedBecause: (path: string) => (path.startsWith('tests/') ? 'it is a test' : null),
    };
    const problems = refusals({ 'tests/t.py': 'x', 'a.py': 'x' }, [edit], { policy });
    expect(problems).toMatchObject([{ code: 'protected', message: expect.stringContaining('it is a test') }]);
  });

  it('refuses new files that would be loaded by themselves, but not edits of existing ones', () => {
    const policy = { autoLoaded: (path: string) => path.endsWith('conftest.py') };
    const create: Edit = { op: 'create', path: 'lib/conftest.py', content: '' };
    expect(codes({}, [create], { policy })).toEqual(['auto_loaded']);
    expect(codes({ a: 'x' }, [{ op: 'rename', path: 'a', to: 'conftest.py' }], { policy })).toEqual([
      'auto_loaded',
    ]);
    expect(codes({ 'conftest.py': 'x' }, [replace('conftest.py', 'x', 'y')], { policy })).toEqual([]);
  });

  it.each<[string, Edit, Record<string, Found>]>([
    ['symlink', replace('link', 'x', 'y'), { link: { special: 'symlink' } }],
    ['symlink', replace('dir/a', 'x', 'y'), { dir: { special: 'symlink' } }],
    ['symlink', { op: 'create', path: 'x/dir/a', content: '' }, { 'x/dir': { special: 'symlink' } }],
    ['hard_link', replace('hard', 'x', 'y'), { hard: { special: 'hard_link' } }],
    ['bad_path', replace('dir', 'x', 'y'), { dir: { special: 'folder' } }],
    ['bad_path', { op: 'delete', path: 'fifo' }, { fifo: { special: 'other' } }],
    ['bad_path', { op: 'create', path: 'fifo/a', content: '' }, { fifo: { special: 'other' } }],
    ['too_large', { op: 'delete', path: 'huge' }, { huge: { special: 'too_large' } }],
    ['exists', { op: 'create', path: 'dir', content: '' }, { dir: { special: 'folder' } }],
  ])('refuses as %s what is no plain file', (code, edit, specials) => {
    expect(codes({}, [edit], { specials })).toEqual([code]);
  });

  it.each([
    ['/etc/passwd', 'relative'],
    ['..', '".."'],
    ['../outside', '".."'],
    ['lib/../../outside', '".."'],
    ['.git/hooks/pre-commit', '.git'],
    ['sub/.GIT/config', '.git'],
    ['C:/outside', 'drive letter'],
    ['c:outside', 'drive letter'],
    ['a\0b', 'control character'],
    ['..\\outside', 'backslash'],
  ])('refuses the path %j in every kind of edit', (path, because) => {
    const edits: Edit[] = [
      replace(path, 'x', 'y'),
      { op: 'create', path, content: 'y' },
      { op: 'delete', path },
      { op: 'rename', path, to: 'b' },
      { op: 'rename', path: 'a', to: path },
    ];
    // Also where something answers under that name.
    const tree = { a: 'x', [path]: 'x' };
    for (const edit of edits) {
      const problems = refusals(tree, [edit]);
      expect(problems).toMatchObject([{ code: 'bad_path', path, message: expect.stringContaining(because) }]);
    }
  });

  it.each([
    ['Tests/t.py', 'tests'],
    ['TESTS/new.py', 'tests'],
    ['caf\u0065\u0301.py', 'caf\u00E9.py'],
    ['a.py/b.py', 'a.py'],
    ['tests', 'tests'],
  ])('refuses %s, which collides with %s', (path, existing) => {
    const tree = { 'tests/t.py': 'x', 'caf\u00E9.py': 'x', 'a.py': 'x' };
    const problems = refusals(tree, [{ op: 'create', path, content: 'y' }]);
    expect(problems).toMatchObject([{ code: 'bad_path', message: expect.stringContaining(existing) }]);
  });

  it('refuses new files that collide with each other', () => {
    const edits: Edit[] = [
      { op: 'create', path: 'A.py', content: 'x' },
      { op: 'create', path: 'a.py', content: 'x' },
    ];
    expect(codes({}, edits)).toEqual(['bad_path']);
  });
});
