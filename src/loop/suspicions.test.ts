import { describe, expect, it } from 'vitest';
import { madeReport, suspicionsOf } from './index.ts';

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

describe('suspicionsOf', () => {
  it.each([
    ['import pytest', 'names the test framework'],
    ["import { expect } from 'vitest'", 'names the test framework'],
    ['if sys.argv[0].endswith("x"): return 1', 'command line'],
    ['if inspect.stack()[1]: return 1', 'call stack'],
    ['if sys._getframe(1): return 1', 'call stack'],
    ["if os.environ.get('CI'): return 1", 'being tested'],
    ["if (process.env.NODE_ENV === 'x') return 1", 'being tested'],
    ["if 'PYTEST_CURRENT_TEST' in os.environ: pass\nos.getenv('PYTEST_CURRENT_TEST')", 'being tested'],
    ['os._exit(0)', 'ends the process'],
    ['process.exit(0)', 'ends the process'],
    ['gc.get_objects()', 'running interpreter'],
    ['builtins.len = lambda x: 3', 'built-in names'],
    ['time.time = lambda: 0', 'clock'],
    ["open('tests/test_a.py').read()", 'reads a test file'],
    ['def __eq__(self, other):\n    return True', 'equality'],
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
    ['latest = time.time()'],
    ['def __eq__(self, other):\n    return self.a == other.a'],
    ['open(path).read()'],
    ["env = os.environ.get('HOME')"],
  ])('leaves %j alone', (added) => {
    expect(told(added)).toBe('');
  });

  it('does not hold against a patch what the code said before', () => {
    expect(told("return 'gold tier' if x else 4711", "return 4711 if x else 'gold tier'")).toBe('');
    expect(told('parser.parse(sys.argv[1:])', 'parser.parse(sys.argv)')).toBe('');
  });

  it('names the file', () => {
    const diff = diffOf('import pytest', 'pass', 'src/ä b.py');
    expect(suspicionsOf({ diff, red })).toEqual(['the patch names the test framework (src/ä b.py)']);
  });

  it('has nothing to say of no patch', () => {
    expect(suspicionsOf({ diff: '', red })).toEqual([]);
  });
});
