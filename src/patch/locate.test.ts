import { describe, expect, it } from 'vitest';
import { locate } from './locate.ts';
import { applySplices, splicesFor } from './splice.ts';
import { decodeText, encodeText, type TextFile } from './text.ts';

function fileOf(content: string): TextFile {
  const file = decodeText(encodeText(content));
  if (file === null) throw new Error('not text');
  return file;
}

/** The rung that found the place and the file after the edit, or how it was not found. */
function edit(content: string, search: string, replace: string, occurrence?: number) {
  const file = fileOf(content);
  const located = locate(file, { search, replace, occurrence });
  if (located.kind !== 'found') return located;
  const splices = splicesFor(file, located.match, { search, replace });
  return { rung: located.match.rung, after: file.bom + applySplices(file.body, splices) };
}

describe('locate, rung by rung', () => {
  it.each<[string, string, string, string, string]>([
    ['whole lines', 'a\nb\nc\n', 'b\n', 'B\nB2\n', 'a\nB\nB2\nc\n'],
    ['inside a line', 'x = foo(1)\n', 'foo(1)', 'bar(2)', 'x = bar(2)\n'],
    ['across lines, from inside one', 'x = foo(\n    1)\n', 'foo(\n    1)', 'bar()', 'x = bar()\n'],
    [
      'lines with CRLF by a search with LF',
      'a\r\nb\r\nc\r\n',
      'a\nb\n',
      'A\nb\nnew\n',
      'A\r\nb\r\nnew\r\nc\r\n',
    ],
    ['lines with LF by a search with CRLF', 'a\nb\n', 'a\r\nb\r\n', 'A\r\nb\r\n', 'A\nb\n'],
    [
      'a replaced line of a mixed file, which keeps its ending',
      'a\r\nb\nc\r\n',
      'b\n',
      'B\n',
      'a\r\nB\nc\r\n',
    ],
    [
      'an added line of a mixed file, which takes the dominant ending',
      'a\r\nb\nc\r\n',
      'b\n',
      'b\nd\n',
      'a\r\nb\nd\r\nc\r\n',
    ],
    ['the first line behind a mark', '\uFEFFa\nb\n', 'a\n', 'A\n', '\uFEFFA\nb\n'],
    ['the first line, mark quoted too', '\uFEFFa\nb\n', '\uFEFFa\n', '\uFEFFA\n', '\uFEFFA\nb\n'],
    ['a last line without newline', 'a\nb', 'b\n', 'b\nc\n', 'a\nb\nc'],
    ['a last line without newline, deleted', 'a\nb', 'b\n', '', 'a\n'],
    ['a deleted line', 'a\nb\nc\n', 'b\n', '', 'a\nc\n'],
    ['an insertion between quoted lines', 'a\nc\n', 'a\nc\n', 'a\nb\nc\n', 'a\nb\nc\n'],
    ['text at the end of a line', 'a b\n', ' b', '', 'a\n'],
    ['the only whole line among partial matches', 'max = 10\nx = 1\n', 'x = 1', 'x = 2', 'max = 10\nx = 2\n'],
  ])('exact: %s', (_, content, search, replace, after) => {
    expect(edit(content, search, replace)).toEqual({ rung: 'exact', after });
  });

  it.each<[string, string, string, string, string]>([
    ['blanks the search lacks', 'a  \nb\n', 'a\nb\n', 'a\nB\n', 'a  \nB\n'],
    ['blanks the search has', 'a\nb\n', 'a \nb\t\n', 'a \nB\n', 'a\nB\n'],
    ['without a final newline in the search', 'a \nb \n', 'a\nb', 'A\nb', 'A\nb \n'],
  ])('trailing whitespace: %s', (_, content, search, replace, after) => {
    expect(edit(content, search, replace)).toEqual({ rung: 'trailing_whitespace', after });
  });

  it.each<[string, string, string, string, string]>([
    [
      'indents the replacement as the file is',
      'class A:\n    def f(self):\n        return 1\n',
      'def f(self):\n    return 1\n',
      'def f(self):\n    if self:\n        return 2\n',
      'class A:\n    def f(self):\n        if self:\n            return 2\n',
    ],
    [
      'with tabs',
      '\tif (x) {\n\t\ty();\n\t}\n',
      'if (x) {\n\ty();\n}\n',
      'if (x) {\n\tz();\n}\n',
      '\tif (x) {\n\t\tz();\n\t}\n',
    ],
    ['takes indentation away', 'f()\ng()\n', '  f()\n  g()\n', '  f()\n  h()\n', 'f()\nh()\n'],
    ['leaves blank lines blank', '  a\n\n  b\n', 'a\n\nb\n', 'a\n\nc\n\nb\n', '  a\n\n  c\n\n  b\n'],
  ])('indentation: %s', (_, content, search, replace, after) => {
    expect(edit(content, search, replace)).toEqual({ rung: 'indentation', after });
  });

  it.each<[string, string, string]>([
    ['two different shifts', '  a\n    b\n', 'a\nb\n'],
    ['spaces for tabs', '\ta\n\t\tb\n', '    a\n        b\n'],
    ['a replacement with less indentation than is to go', 'a\nb\n', '  a\n  b\n'],
  ])('indentation: refuses %s', (_, content, search) => {
    expect(edit(content, search, ' x\n')).toEqual({ kind: 'none' });
  });

  it.each<[string, string, string, string, string]>([
    [
      'quotes',
      'say “hi” to ‘me’\nb\n',
      'say "hi" to \'me\'\nb\n',
      'say "hi" to \'me\'\nB\n',
      'say “hi” to ‘me’\nB\n',
    ],
    ['dashes and spaces', 'a\u00A0– b\nc\n', 'a - b\nc\n', 'a - b\nC\n', 'a\u00A0– b\nC\n'],
    ['composed accents', 'cafe\u0301\nx\n', 'caf\u00E9\nx\n', 'caf\u00E9\ny\n', 'cafe\u0301\ny\n'],
    ['together with an indentation shift', '  “a”\n  b\n', '"a"\nb\n', '"a"\nc\n', '  “a”\n  c\n'],
  ])('typography: %s, kept where the edit changes nothing', (_, content, search, replace, after) => {
    expect(edit(content, search, replace)).toEqual({ rung: 'typography', after });
  });

  it('prefers the strictest rung that finds anything', () => {
    expect(edit('  x\nx\n', 'x\n', 'y\n')).toEqual({ rung: 'exact', after: '  x\ny\n' });
    expect(edit('"a"\n“a”\n', '"a"\n', 'b\n')).toEqual({ rung: 'exact', after: 'b\n“a”\n' });
  });

  it('never chooses between several places of one rung', () => {
    expect(edit('x \nx\t\n', 'x\n', 'y\n')).toEqual({ kind: 'ambiguous', lines: [1, 2] });
    expect(edit('  x\n    x\n', 'x\n', 'y\n')).toEqual({ kind: 'ambiguous', lines: [1, 2] });
    expect(edit('ab ab\nab\nab\n', 'ab', 'c')).toEqual({ kind: 'ambiguous', lines: [1, 1, 2, 3] });
    expect(edit('aaa\n', 'aa', 'b')).toEqual({ kind: 'ambiguous', lines: [1, 1] });
  });

  it('counts occurrences from the top, inside lines too', () => {
    expect(edit('ab ab\nab\n', 'ab', 'c', 2)).toEqual({ rung: 'exact', after: 'ab c\nab\n' });
    expect(edit('ab ab\nab\n', 'ab', 'c', 3)).toEqual({ rung: 'exact', after: 'ab ab\nc\n' });
    expect(edit('ab\n', 'ab', 'c', 2)).toEqual({ kind: 'out_of_range', lines: [1] });
  });

  it('never matches by similarity', () => {
    const content = 'def area(width, height):\n    return width * height\n';
    expect(edit(content, 'def area(width, heigth):\n    return width * height\n', 'x\n')).toEqual({
      kind: 'none',
    });
  });
});
