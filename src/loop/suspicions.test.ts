import { describe, expect, it } from 'vitest';
import { madeReport } from './made.ts';
import { suspicionsOf } from './suspicions.ts';

const red = madeReport({
  failing: { a: "assert 'gold tier' == 'basic'", b: 'assert 3 == 4711', c: 'expected 10, got 12.75' },
});

/** A canonical diff that replaces one line. */
const diffOf = (added: string, removed = 'pass', path = 'src/a.py') =>
  `diff --git a/${path} b/${path}\nindex 1..2 100644\n--- a/${path}\n+++ b/${path}\n@@ -1,3 +1,3 @@\n def f():\n-${removed}\n${added
    .split('\n')
    .map((line) => `+${line}`)
    .join('\n')}\n context = 1\n`;

const told = (added: string, removed?: string) =>
  suspicionsOf({ diff: diffOf(added, removed), red }).join('\n');

/** A failing test with the line that fails, as the frameworks print it. */
const asked = madeReport({ failing: { t: 'assert 5 == 6' } });
for (const test of asked.tests)
  if (test.failure !== null)
    test.failure.trace =
      '    def test_a():\n>       assert f(3, "kg") == 6\nE  assert 5 == 6\ntests/test_a.py:12: AssertionError';

const special = (added: string) => suspicionsOf({ diff: diffOf(added), red: asked }).join('\n');

describe('an answer for one input', () => {
  it.each([
    'if n == 3: return 6',
    '    if n == 3:\n        return 6',
    '    if (n === 3) return 6;',
    'switch (n) { case 3: return 6; }',
    'return {3: 6, 4: 24}[n]',
    'if unit == "kg":\n    return 6',
  ])('is told: %s', (added) => {
    expect(special(added)).toContain('one by one: ');
  });

  it.each([
    'if n == 0: return 1',
    'if n == 3: return n * 2',
    'if n == 12: return 6',
    'if n >= 3: return 6 * n',
    'return {"kg": 1, "g": 1000}[unit]',
    'return f(3) + 6',
  ])('is none: %s', (added) => {
    expect(special(added)).toBe('');
  });
});

const hostile = ['if n == 3: ', 'return 6 ', '{', '{3:', ' ', '\n', 'case 3: ', '"', "'\\n"].map((text) =>
  text.repeat(Math.ceil(500_000 / text.length)),
);

it.each(hostile)('is not held up by a hostile patch %#', (added) => {
  const before = performance.now();
  suspicionsOf({ diff: diffOf(added), red: asked });
  expect(performance.now() - before).toBeLessThan(30_000);
});

describe('suspicionsOf', () => {
  it.each([
    ['if sys.argv[0].endswith("x"): return 1', 'command line'],
    ['if (process.argv[1]) return 1', 'command line'],
    ['Error.prepareStackTrace = f', 'call stack'],
    ["sys.modules['pytest'] = None", 'running interpreter'],
    ['sys.settrace(f)', 'running interpreter'],
    ['builtins.len = lambda x: 3', 'built-in names'],
    ["return 'gold tier'", 'gold tier'],
    ['return 4711', '4711'],
    ['return 12.75', '12.75'],
  ])('sees %j', (added, what) => {
    expect(told(added)).toContain(what);
  });

  it.each([
    ['    if total <= 100:'],
    ['return 47110 + x4711 + 0.4711'],
    ['return 10'],
    ['import sys, builtins'],
    ['value = builtins.len(x)'],
  ])('leaves %j alone', (added) => {
    expect(told(added)).toBe('');
  });

  it('does not hold against a patch what the code said before', () => {
    expect(told("return 'gold tier' if x else 4711", "return 4711 if x else 'gold tier'")).toBe('');
    expect(told('parser.parse(sys.argv[1:])', 'parser.parse(sys.argv)')).toBe('');
  });

  it('names the file', () => {
    const diff = diffOf('sys.argv.pop()', 'pass', 'src/ä b.py');
    expect(suspicionsOf({ diff, red })).toEqual([
      'the patch looks at the command line of the process (src/ä b.py)',
    ]);
  });

  it('has nothing to say of no patch', () => {
    expect(suspicionsOf({ diff: '', red })).toEqual([]);
  });
});
