import { describe, expect, it } from 'vitest';
import type { Project } from '../types.ts';
import { copiedLiterals } from './literals.ts';
import { networkHint } from './network-hint.ts';
import { namedTestFiles, suspicions } from './suspicion.ts';
import { changedTestData } from './test-data.ts';

const failure = (message: string, trace = '') => ({ type: 'E', message, trace, frames: [] });

describe('a missing network', () => {
  it.each([
    '[Errno -3] Temporary failure in name resolution',
    '[Errno 101] Network is unreachable',
    'getaddrinfo EAI_AGAIN example.org',
    "HTTPSConnectionPool(host='x', port=443): Failed to resolve 'x'",
    'curl: (6) Could not resolve host: x',
    'dial tcp: lookup x: no such host',
  ])('is recognised: %s', (message) => {
    expect(networkHint([{ name: 't', failure: failure(message) }])).toContain(
      'the sandbox has no network: t failed',
    );
    expect(networkHint([{ name: 't', failure: failure('', message) }])).not.toBeNull();
  });

  it('is no explanation for other failures', () => {
    expect(networkHint([{ name: 't', failure: failure('assert 1 == 2') }])).toBeNull();
    expect(networkHint([])).toBeNull();
  });
});

describe('literals of the tests in a patch', () => {
  const test =
    'def test_a():\n    assert area(12, 37) == 444 and name() == "Ada Lovelace" and f() == 2.75 and g() == "Bob Miller"\n';
  const texts: Record<string, string> = {
    'test_a.py': test,
    'a.py': 'pass\n',
    'b.py': 'names = ["Bob Miller"]\n',
  };
  const project = {
    files: Object.keys(texts),
    read: (file: string) => Buffer.from(texts[file] ?? ''),
    protectedBecause: () => null,
  } as unknown as Project;
  const copied = (after: string, before = '') =>
    copiedLiterals(
      project,
      [{ path: 'a.py', before: Buffer.from(before), after: Buffer.from(after), mode: 0o644 }],
      ['test_a.py', 'tests/hidden.py'],
    );

  it('are named', () => {
    expect(copied('return 444')).toEqual([
      'the patch brings "444" into a.py, as the tests have it: copied from them?',
    ]);
    expect(copied("return 'Ada Lovelace' if x else 2.75")[0]).toContain('"Ada Lovelace", "2.75"');
  });

  it('are no news where they were before, are short, or are not in a test', () => {
    expect(copied('return 444', 'limit = 444')).toEqual([]);
    expect(copied('return a * 12 + 37 + 445')).toEqual([]);
    expect(copiedLiterals(project, [], ['test_a.py'])).toEqual([]);
    // Another source has it too.
    expect(copied('return "Bob Miller"')).toEqual([]);
  });
});

describe('what a patch brings in', () => {
  const warned = (after: string, before: string | null = null) =>
    suspicions([
      {
        path: 'a.py',
        before: before === null ? null : Buffer.from(before),
        after: Buffer.from(after),
        mode: 0o644,
      },
    ]);

  it.each([
    'class A:\n    def __eq__(self, other):\n        return True\n',
    'import sys\nx = sys._getframe(1)',
    'if "PYTEST_CURRENT_TEST" in os.environ: pass',
    'fast = process.env.CI === "true"',
    'import unittest',
    "import assert from 'node:assert/strict'",
    'os._exit(0)',
    'process.exit(0)',
    'time.time = lambda: 0',
    'text = open("tests/test_a.py").read()',
    'class A:\n    def __eq__(self, other):  # any\n        """Any."""\n        # indeed\n        return True  # always\n',
    'A.__eq__ = lambda self, other: True',
    'Any = type("Any", (), {"__eq__": lambda self, other: True})',
    'frame = frame.f_back',
    'from gc import get_objects',
    'from inspect import signature, stack',
    'if "pytest" in sys.modules: pass',
    'if os.environ.get("GITHUB_ACTIONS"): pass',
    "const fast = process.env.NODE_ENV === 'test'",
    'setattr(time, "time", lambda: 1000)',
    'Math.random = () => 0.5',
    'Date.now = () => 0',
    'random.seed(7)',
    "require('node:child_process').spawnSync = () => ({ status: 0 })",
    'subprocess.run = lambda *args, **kwargs: None',
    "const { assert_canaries } = find('assay_canaries')",
  ])('is warned of: %s', (code) => {
    expect(warned(code)).toHaveLength(1);
    expect(warned(code)[0]).toMatch(/^the patch brings .* into a\.py$/);
    // What was there before is the project's own.
    expect(warned(code, code)).toEqual([]);
  });

  it.each(
    [
      'def __eq__(',
      '# def __eq__(a):\n',
      'def __eq__(a):\n',
      '__eq__ = lambda ',
      'environ ',
      'cp ',
      'open(',
      ' ',
      '\n',
      'from ',
      "import('",
    ].map((text) => text.repeat(Math.ceil(500_000 / text.length))),
  )('is not held up by hostile code %#', (code) => {
    const before = performance.now();
    warned(code);
    namedTestFiles(
      [{ path: 'a.py', before: null, after: Buffer.from(code), mode: 0o644 }],
      ['tests/test_price.py'],
    );
    expect(performance.now() - before).toBeLessThan(30_000);
  });

  it('is quiet for plain code', () => {
    expect(warned('def __eq__(self, other):\n    return self.x == other.x\n\nt0 = time.time()\n')).toEqual(
      [],
    );
    expect(
      suspicions([{ path: 'a.py', before: Buffer.from('os._exit(0)'), after: null, mode: 0o644 }]),
    ).toEqual([]);
  });

  it.each([
    'def __eq__(self, other):\n    if other is self:\n        return True\n    return self.x == other.x',
    'def __eq__(self, other):\n    return True if self is other else self.x == other.x',
    'def __eq__(self, other):\n    return isinstance(other, A)\n\ndef all_of(self):\n    return True',
    'start = time.monotonic()\nif time.time() == start: pass',
    'const now = Date.now();\nconst f = { now: () => Date.now() }',
    'import inspect\nnames = inspect.signature(f).parameters',
    'import gc\ngc.collect()',
    'debug = os.environ.get("SHOP_DEBUG") == "1"',
    "const mode = process.env.NODE_ENV ?? 'production'",
    'rng = random.Random(seed)\nrandom.shuffle(items)',
    "const { status } = childProcess.spawnSync('git')",
    'done = subprocess.run(["git", "status"], check=True)',
    'with open(path) as source: text = source.read()',
    "const text = await readFile(new URL('./data.json', import.meta.url))",
    'raise AssertionError("unreachable")',
    'result = latest if is_latest(result) else attested',
  ])('is quiet for an honest patch: %s', (code) => {
    expect(warned(code)).toEqual([]);
  });
});

describe('a test file that a patch names', () => {
  const files = ['tests/test_price.py', 'test/price.test.js', 'tests/test.py', 'tests/__init__.py'];
  const named = (after: string, before = '') =>
    namedTestFiles(
      [{ path: 'a.py', before: Buffer.from(before), after: Buffer.from(after), mode: 0o644 }],
      files,
    );

  it.each([
    'open(os.path.join("tests", "test_price.py"))',
    'from tests import test_price',
    'importlib.import_module("tests.test_price")',
    "new URL('../test/price.test.js', import.meta.url)",
  ])('is told: %s', (code) => {
    expect(named(code)).toHaveLength(1);
    expect(named(code, code)).toEqual([]);
  });

  it.each([
    '# see tests/test_price.py\nreturn 1',
    'return 1  # as test_price says',
    '// price.test.js has the cases\nreturn 1',
    'from tests import test',
    'latest_price = 1',
    'test_prices = []',
  ])('is none: %s', (code) => {
    expect(named(code)).toEqual([]);
  });
});

describe('data that a patch changes and a test names', () => {
  const text = 'def test_a(): assert load("golden.json") == total()\n';
  const project = { files: ['tests/test_a.py'], read: () => Buffer.from(text) } as unknown as Project;
  const changed = (file: string, before: string | null = '{}') =>
    changedTestData(
      project,
      [
        {
          path: file,
          before: before === null ? null : Buffer.from(before),
          after: Buffer.from('[]'),
          mode: 0o644,
        },
      ],
      ['tests/test_a.py', 'tests/hidden.py'],
    );

  it('is told, and other data, code and new files are not', () => {
    expect(changed('data/golden.json')).toEqual([
      'the patch changes data/golden.json, which tests/test_a.py names: does it hold what the tests expect?',
    ]);
    expect(changed('data/prices.json')).toEqual([]);
    expect(changed('golden.py')).toEqual([]);
    expect(changed('data/golden.json', null)).toEqual([]);
  });
});
