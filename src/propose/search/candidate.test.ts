import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexFile } from './analysis/file-index.ts';
import { applySplices, fingerprint, isSound, parses } from './candidate.ts';
import { editOf } from './edits.ts';
import { python } from './languages/python.ts';
import { openParser } from './syntax/parser.ts';
import { parseFile } from './syntax/source-file.ts';
import { templates } from './templates/index.ts';

const body = [
  'import heapq',
  '',
  '# Größe über 日本 😀',
  'LIMIT = 3  # ﬁnal',
  '',
  'class Käufer:',
  '    """Ein Text',
  '\tmit Tabulator – und 😀."""',
  '    def __init__(self, größe=[], *, name="é😀"):',
  '        self.größe = größe',
  '        self.name = name ; self.n = 0',
  '',
  '    def summe(self, xs, k):',
  '        gesamt = 0',
  '        for i, x in enumerate(xs):  # über alle 😀',
  '            if x < k and not self.n: continue',
  '            elif x == LIMIT:',
  '                gesamt += x * 2',
  '            else:',
  '                gesamt = f"{x:>{k}} é" + \\',
  '                    str(gesamt)',
  '            # Kommentar am Ende',
  '        return gesamt',
  '',
  'def zwei(a, b):',
  '    if a: return (a,',
  '        b)',
  '    return {"ß😀": a, "b": b}["ß😀"]',
];

/** The same program as files come: line ends, a byte order mark, tabs, no final line end. */
const shape = fc.record({
  eol: fc.constantFrom('\n', '\r\n'),
  bom: fc.boolean(),
  tabs: fc.boolean(),
  final: fc.boolean(),
  mixed: fc.boolean(),
});

function written({
  eol,
  bom,
  tabs,
  final,
  mixed,
}: typeof shape extends fc.Arbitrary<infer T> ? T : never): string {
  const lines = tabs
    ? body.map((line) => line.replace(/^( {4})+/, (blanks) => '\t'.repeat(blanks.length / 4)))
    : body;
  const ends = lines.map((_, at) => (mixed && at % 3 === 0 ? '\n' : eol));
  const text = lines
    .map((line, at) => line + (at < lines.length - 1 || final ? (ends[at] ?? eol) : ''))
    .join('');
  return (bom ? '\uFEFF' : '') + text;
}

describe('candidates of any file', () => {
  it('equal the original outside their splices, and their edits say the same', async () => {
    const parser = await openParser(python);
    try {
      fc.assert(
        fc.property(shape, (form) => {
          const text = written(form);
          const file = parseFile('käufer.py', text, parser);
          expect(file.root.broken).toBe(false);
          const index = indexFile(file);
          let seen = 0;
          for (const template of templates) {
            for (const site of index.sites) {
              for (const { splices } of template.rewrites({ index, site })) {
                if (!isSound(text, splices)) continue;
                seen += 1;
                expectExact(text, splices);
                if (seen % 7 === 0) expectSameEdit(file, splices);
              }
            }
          }
          expect(seen).toBeGreaterThan(1000);
        }),
        { numRuns: 12 },
      );
    } finally {
      parser.close();
    }
  });

  it('keep the line ends of the file in what they insert', async () => {
    const parser = await openParser(python);
    const text = written({ eol: '\r\n', bom: true, tabs: true, final: false, mixed: false });
    const index = indexFile(parseFile('a.py', text, parser));
    const inserted = templates.flatMap((template) =>
      index.sites.flatMap((site) =>
        [...template.rewrites({ index, site })].flatMap(({ splices }) =>
          splices.map((splice) => splice.text),
        ),
      ),
    );
    parser.close();
    expect(inserted.filter((added) => added.includes('\n')).length).toBeGreaterThan(50);
    for (const added of inserted) expect(added.replaceAll('\r\n', '')).not.toContain('\n');
  });
});

type Splices = Parameters<typeof applySplices>[1];

function expectExact(text: string, splices: Splices): void {
  const result = applySplices(text, splices);
  let before = 0;
  let after = 0;
  for (const splice of splices) {
    const kept = splice.start - before;
    expect(result.slice(after, after + kept)).toBe(text.slice(before, splice.start));
    after += kept;
    expect(result.slice(after, after + splice.text.length)).toBe(splice.text);
    after += splice.text.length;
    before = splice.end;
  }
  expect(result.slice(after)).toBe(text.slice(before));
}

function expectSameEdit(file: ReturnType<typeof parseFile>, splices: Splices): void {
  const result = applySplices(file.text, splices);
  if (result === file.text) return;
  const edit = editOf(file, splices);
  if (edit.op !== 'replace') throw new Error('an edit of another kind');
  const at = nth(file.text, edit.search, edit.occurrence ?? 1);
  expect(at).not.toBe(-1);
  expect(file.text.slice(0, at) + edit.replace + file.text.slice(at + edit.search.length)).toBe(result);
  if (edit.occurrence === undefined) expect(nth(file.text, edit.search, 2)).toBe(-1);
}

function nth(text: string, part: string, which: number): number {
  let at = -1;
  for (let found = 0; found < which; found += 1) {
    at = text.indexOf(part, at + 1);
    if (at === -1) return -1;
  }
  return at;
}

describe('fingerprint', () => {
  const text = 'a = 1\nb = 1\nb = 1\nc = 2\n';

  it('is the same for splices that give the same text', () => {
    const whole = fingerprint('f', text, [{ start: 0, end: 5, text: 'a = 2' }]);
    expect(fingerprint('f', text, [{ start: 4, end: 5, text: '2' }])).toBe(whole);
    const first = fingerprint('f', text, [{ start: 6, end: 12, text: '' }]);
    expect(fingerprint('f', text, [{ start: 12, end: 18, text: '' }])).toBe(first);
  });

  it('differs for other texts and other files, and is null for none', () => {
    const one = fingerprint('f', text, [{ start: 4, end: 5, text: '2' }]);
    expect(fingerprint('f', text, [{ start: 4, end: 5, text: '3' }])).not.toBe(one);
    expect(fingerprint('g', text, [{ start: 4, end: 5, text: '2' }])).not.toBe(one);
    expect(fingerprint('f', text, [{ start: 4, end: 5, text: '1' }])).toBeNull();
  });

  it('tells apart exactly the texts that differ', () => {
    const splice = fc.record({
      start: fc.nat(text.length),
      length: fc.nat(4),
      text: fc.constantFrom('', '1', 'b = 1\n', '\nb = 1', '= 1\n'),
    });
    fc.assert(
      fc.property(splice, splice, (one, two) => {
        const of = ({ start, length, text: added }: typeof one) => [
          { start, end: Math.min(text.length, start + length), text: added },
        ];
        const same = applySplices(text, of(one)) === applySplices(text, of(two));
        expect(fingerprint('f', text, of(one)) === fingerprint('f', text, of(two))).toBe(same);
      }),
    );
  });
});

describe('parses', () => {
  it('tells an edit that breaks the syntax, in a function, a method and the module', async () => {
    const parser = await openParser(python);
    const text =
      'X = 1\n\n\nclass A:\n    def f(self):\n        return X\n\n    def g(self):\n        pass\n';
    const file = parseFile('a.py', text, parser);
    const at = (part: string, replacement: string) => {
      const start = text.indexOf(part);
      const site = indexFile(file).sites.find(({ node }) => node.start <= start && start < node.end);
      if (site === undefined) throw new Error(`no site at ${part}`);
      return parses(parser, file, site.node, [{ start, end: start + part.length, text: replacement }]);
    };
    expect(at('return X', 'return X + 1')).toBe(true);
    expect(at('return X', 'return (X')).toBe(false);
    expect(at('X = 1', 'X = 2')).toBe(true);
    expect(at('X = 1', 'X = (')).toBe(false);
    expect(at('        pass\n', '        pass\n        return 1\n')).toBe(true);
    expect(at('        pass\n', '        pass)\n')).toBe(false);
    parser.close();
  });
});
