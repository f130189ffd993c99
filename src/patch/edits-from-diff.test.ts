import { describe, expect, it } from 'vitest';
import { applyDiff } from './apply-diff.ts';
import { editsFromDiff } from './edits-from-diff.ts';
import { readerOf } from './testing.ts';
import { hashOf } from './tree-state.ts';

const replace = (path: string, search: string, replacement: string, occurrence?: number) => ({
  op: 'replace',
  path,
  search,
  replace: replacement,
  ...(occurrence === undefined ? {} : { occurrence }),
});

function edits(diff: string, tree?: Record<string, string>) {
  const parsed = editsFromDiff(diff, tree === undefined ? {} : { read: readerOf(tree) });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.refusals));
  return parsed.edits;
}

function refusalsOf(diff: string, tree?: Record<string, string>): [string, string][] {
  const parsed = editsFromDiff(diff, tree === undefined ? {} : { read: readerOf(tree) });
  return parsed.ok ? [] : parsed.refusals.map(({ code, message }) => [code, message]);
}

const names = '--- a/a.py\n+++ b/a.py\n';
const hunk = '@@ -1,3 +1,3 @@\n x\n-y\n+Y\n z\n';

describe('editsFromDiff', () => {
  it.each([
    ['git', `diff --git a/a.py b/a.py\nindex 1..2 100644\n${names}${hunk}`],
    ['plain', names + hunk],
    ['plain without prefixes', `--- a.py\n+++ a.py\n${hunk}`],
    ['with time stamps', `--- a/a.py\t2026-11-30 10:00:00\n+++ b/a.py\t2026-11-30 10:00:01\n${hunk}`],
    ['fenced', `\`\`\`diff\n${names}${hunk}\`\`\`\n`],
    ['with CRLF', (names + hunk).replaceAll('\n', '\r\n').replaceAll('\r\n-', '\r\n-')],
    ['with wrong counts', `${names}@@ -7,9 +1,1 @@\n x\n-y\n+Y\n z\n`],
    ['with no counts', `${names}@@ @@\n x\n-y\n+Y\n z\n`],
    ['with a bare @@', `${names}@@\n x\n-y\n+Y\n z\n`],
    ['with a section heading', `${names}@@ -1,3 +1,3 @@ def f():\n x\n-y\n+Y\n z\n`],
    ['with blank lines after it', `${names}@@ -1,9 +1,9 @@\n x\n-y\n+Y\n z\n\n\n`],
    ['with a mail signature', `${names}${hunk}-- \n2.39.5\n`],
    ['with prose after it', `${names}@@ -1,9 +1,9 @@\n x\n-y\n+Y\n z\n\nThis fixes the bug.\n`],
  ])('reads a diff: %s', (_, diff) => {
    const [edit, ...others] = edits(diff);
    const lf = (text: unknown) => String(text).replaceAll('\r\n', '\n');
    expect(others).toEqual([]);
    expect({
      ...edit,
      ...(edit?.op === 'replace' ? { search: lf(edit.search), replace: lf(edit.replace) } : {}),
    }).toEqual(replace('a.py', 'x\ny\nz\n', 'x\nY\nz\n'));
  });

  it('reads several hunks and files', () => {
    const diff = `${names}${hunk}@@ -10 +10 @@\n-u\n+U\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-v\n+V\n`;
    expect(edits(diff)).toEqual([
      replace('a.py', 'x\ny\nz\n', 'x\nY\nz\n'),
      replace('a.py', 'u\n', 'U\n'),
      replace('b', 'v\n', 'V\n'),
    ]);
  });

  it('takes a removed line that looks like a header for what the counts say', () => {
    expect(edits(`${names}@@ -1,2 +1,2 @@\n--- x\n+++ y\n z\n`)).toEqual([
      replace('a.py', '-- x\nz\n', '++ y\nz\n'),
    ]);
  });

  it('reads blank context lines without their space', () => {
    expect(edits(`${names}@@ -1,3 +1,3 @@\n x\n\n-y\n+Y\n`)).toEqual([
      replace('a.py', 'x\n\ny\n', 'x\n\nY\n'),
    ]);
  });

  it('reads new, deleted and renamed files', () => {
    const diff =
      'diff --git a/new b/new\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n' +
      'diff --git a/empty b/empty\nnew file mode 100644\nindex 0..1\n' +
      'diff --git a/gone b/gone\ndeleted file mode 100644\nindex 1..0\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n' +
      'diff --git a/from b/to\nsimilarity index 90%\nrename from from\nrename to to\nindex 1..2 100644\n--- a/from\n+++ b/to\n@@ -1 +1 @@\n-a\n+b\n' +
      'diff --git "a/\\303\\251 x" "b/\\303\\251 y"\nsimilarity index 100%\nrename from "\\303\\251 x"\nrename to "\\303\\251 y"\n';
    expect(edits(diff)).toEqual([
      { op: 'create', path: 'new', content: 'a\nb' },
      { op: 'create', path: 'empty', content: '' },
      { op: 'delete', path: 'gone' },
      { op: 'rename', path: 'from', to: 'to' },
      replace('from', 'a\n', 'b\n'),
      { op: 'rename', path: 'é x', to: 'é y' },
    ]);
  });

  it('lets the line of a hunk decide between equal places, but only when it hits one', () => {
    const tree = { 'a.py': 'x\ny\nx\ny\nx\ny\n' };
    const at = (line: number) => `${names}@@ -${line},2 +${line},2 @@\n x\n-y\n+Y\n`;
    expect(edits(at(3), tree)).toEqual([replace('a.py', 'x\ny\n', 'x\nY\n', 2)]);
    expect(edits(at(4), tree)).toEqual([replace('a.py', 'x\ny\n', 'x\nY\n')]);
    expect(edits(at(3))).toEqual([replace('a.py', 'x\ny\n', 'x\nY\n')]);
  });

  it('fills an empty file', () => {
    const diff = `${names}@@ -0,0 +1 @@\n+x\n`;
    expect(edits(diff, { 'a.py': '' })).toEqual([
      { op: 'delete', path: 'a.py' },
      { op: 'create', path: 'a.py', content: 'x\n' },
    ]);
    expect(refusalsOf(diff, { 'a.py': 'y\n' })).toMatchObject([['empty_search', expect.any(String)]]);
    expect(refusalsOf(diff)).toMatchObject([['empty_search', expect.any(String)]]);
  });

  it.each<[string, string, string]>([
    ['malformed', 'nothing', 'hello'],
    ['malformed', 'a hunk without names', '@@ -1 +1 @@\n-x\n+y\n'],
    ['malformed', 'two names without a rename', `--- a/x\n+++ b/y\n${hunk}`],
    ['malformed', 'a hunk cut by a bare line', `${names}@@ -1,3 +1,3 @@\n x\nno prefix\n-y\n+Y\n`],
    ['malformed', 'a change of mode', `diff --git a/x b/x\nold mode 100644\nnew mode 100755\n`],
    ['malformed', 'a copy', `diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n`],
    ['binary', 'binary files', `diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n`],
    [
      'binary',
      'a binary patch',
      `diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmd\n`,
    ],
    ['no_op', 'a hunk that changes nothing', `${names}@@ -1 +1 @@\n x\n`],
  ])('refuses as %s: %s', (code, _, diff) => {
    expect(refusalsOf(diff)).toMatchObject([[code, expect.any(String)]]);
  });
});

describe('applyDiff', () => {
  it.each<[string, string, Record<string, string>]>([
    ['a hunk at another line', `${names}@@ -2,3 +2,3 @@\n x\n-y\n+Y\n z\n`, { 'a.py': 'x\ny\nz\n' }],
    ['other content', names + hunk, { 'a.py': 'x\nother\nz\n' }],
    ['a file that is not there', names + hunk, {}],
    ['a new file that exists', '--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+x\n', { 'a.py': '' }],
    ['half a deletion', '--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n', { 'a.py': 'x\ny\n' }],
    ['what is no diff', `${names}@@ -1 +1 @@\nno prefix\n+x\n`, { 'a.py': 'x\n' }],
  ])('refuses %s', (_, diff, tree) => {
    expect(applyDiff(diff, readerOf(tree))).toMatchObject({ ok: false });
  });

  it('refuses a file that fits the hunk but is not the one the diff was made from', () => {
    const hashes = new Map([['a.py', hashOf(Buffer.from('x\ny\nz\n'))]]);
    const read = (text: string) => applyDiff(names + hunk, readerOf({ 'a.py': text }), hashes);
    expect(read('x\ny\nz\n')).toMatchObject({ ok: true });
    expect(read('x\nY\nz\n')).toMatchObject({ ok: true });
    expect(read('x\ny\nz\nmore\n')).toMatchObject({ ok: false, path: 'a.py' });
    expect(read('x\nY\nz\nmore\n')).toMatchObject({ ok: false, path: 'a.py' });
  });
});
