import { execFileSync } from 'node:child_process';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** The runner's files are plain JavaScript and run on the project's own node: so do these tests of one of them. */
const module = path.join(import.meta.dirname, 'runner/assay-node-static.mjs');
const script = `import { staticIds } from ${JSON.stringify(module)};
let input = '';
for await (const chunk of process.stdin) input += chunk;
console.log(JSON.stringify(JSON.parse(input).map((text) => staticIds(text, 'f'))));`;

function idsOf(...texts: string[]): string[][] {
  const input = JSON.stringify(texts);
  const options = { input, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], options),
  ) as string[][];
}

const cases: [string, string, string[]][] = [
  [
    'tests and suites',
    "test('a', f); describe('s', () => { it('b', f); suite('t', () => { test('c', f) }) })",
    ['f > a', 'f > s > b', 'f > s > t > c'],
  ],
  [
    'every kind of quotes and escapes',
    "test(\"it's\", f); test(`plain`, f); test('\\u0041\\n\\x41', f)",
    ["f > it's", 'f > plain', 'f > A\nA'],
  ],
  [
    'modifiers',
    "test.skip('a', f); it.only('b', f); test.todo('c'); describe.skip('s', () => { it('d', f) })",
    ['f > a', 'f > b', 'f > c', 'f > s > d'],
  ],
  ['the same name again', "test('a', f); test('a', f)", ['f > a', 'f > a#2']],
  [
    'types of TypeScript',
    "test<Foo>('x', f); const a: Map<string, Array<number>> = new Map(); test('a', (): void => {})",
    ['f > a'],
  ],
  [
    'names made at run time',
    `test(\`a \${b}\`, f); test(name, f); test('a' + b, f); test('c', f)`,
    ['f > c'],
  ],
  [
    'sub-tests, which are part of their test',
    "test('a', async (t) => { await t.test('b', f); await test('c', f) })",
    ['f > a'],
  ],
  [
    'comments and strings',
    "// test('a')\n/* test('b') */ const s = \"test('c', f)\"; const t = `test('d', f)`; test('e', f)",
    ['f > e'],
  ],
  [
    'regular expressions and divisions',
    "const r = /['\"(`]/; const q = a / b; const p = x.match(/[/(']/g); test('a', f)",
    ['f > a'],
  ],
  [
    'templates with code in them',
    `const s = \`\${[1].map((n) => \`\${n}'\`)} it's\`; test('a', f)`,
    ['f > a'],
  ],
  [
    'functions that only have the name',
    "function test(a) {} obj.test('a', f); latest('b'); contest('c')",
    [],
  ],
  ['a broken end', "describe('s', () => { it('a', f); it('b', () => { ", ['f > s > a', 'f > s > b']],
];

describe('staticIds', () => {
  it.each(cases.map(([what, text, ids], index) => ({ what, ids, index, text })))(
    'reads $what',
    ({ text, ids }) => {
      expect(idsOf(text)).toEqual([ids]);
    },
  );

  it('ends, and well, on any text', () => {
    const piece = fc.constantFrom(
      "'",
      '"',
      '`',
      '${',
      '}',
      '{',
      '(',
      ')',
      '/',
      '*',
      '\\',
      '\n',
      'test',
      'it',
      ' ',
      'a',
      '[',
      ']',
    );
    const texts = fc.sample(
      fc.array(piece, { maxLength: 40 }).map((all) => all.join('')),
      500,
    );
    const found = idsOf(...texts);
    expect(found).toHaveLength(500);
    for (const ids of found) for (const id of ids) expect(id.startsWith('f > ')).toBe(true);
  });
});
