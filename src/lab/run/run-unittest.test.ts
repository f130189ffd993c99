import { describe, expect, it } from 'vitest';
import { labFixture } from '../lab.fixture.ts';

const { lab } = labFixture();

const small = {
  'shop/__init__.py': '',
  'shop/price.py': 'def gross(net, rate):\n    return net * (1 + rate)\n',
  'tests/__init__.py': '',
  'tests/test_price.py':
    'import unittest\nfrom shop.price import gross\n\nclass Price(unittest.TestCase):\n    def test_gross(self):\n        print("here")\n        self.assertEqual(gross(100, 0.5), 150)\n\n    def test_zero(self):\n        self.assertEqual(gross(0, 0.5), 0)\n',
};

describe('a unittest suite in the lab', () => {
  it('passes, and fails with the whole failure', async () => {
    const { expected, run } = await lab('unittest', small);
    expect(expected.ids).toEqual(['tests.test_price.Price.test_gross', 'tests.test_price.Price.test_zero']);
    expect(await run()).toMatchObject({ verdict: 'passed', integrity: { canaries: true, completed: true } });
    const report = await run({ 'shop/price.py': 'def gross(net, rate):\n    return net - rate\n' });
    expect(report).toMatchObject({ verdict: 'failed', reason: '2 of 2 tests failed' });
    expect(report.tests[0]).toMatchObject({
      file: 'tests/test_price.py',
      line: 5,
      status: 'failed',
      stdout: 'here\n',
      failure: { type: 'AssertionError', message: '99.5 != 150' },
    });
    expect(report.tests[0]?.failure?.trace).toContain('Traceback (most recent call last)');
    expect(report.tests[0]?.failure?.frames[0]).toMatchObject({
      file: 'tests/test_price.py',
      function: 'test_gross',
      inProject: true,
    });
  });

  it('tells every kind of result apart', async () => {
    const cases = `import unittest

class Kinds(unittest.TestCase):
    def test_error(self): raise ValueError("boom")
    def test_fail(self): self.fail("no")
    @unittest.expectedFailure
    def test_known(self): self.fail()
    def test_run_time_skip(self): self.skipTest("now")
    @unittest.skip("later")
    def test_skip(self): pass
    def test_sub(self):
        for n in range(3):
            with self.subTest(n=n): self.assertEqual(n, 1)
    @unittest.expectedFailure
    def test_unexpected(self): pass

class Held(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise RuntimeError("class")
    def test_a(self): pass

class Skipped(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("all")
    def test_a(self): pass

def load_tests(loader, tests, pattern):
    tests.addTest(Skipped("test_a"))
    return tests
`;
    const { expected, run } = await lab('unittest', { 'test_kinds.py': cases });
    expect(expected).toMatchObject({
      skipped: ['test_kinds.Kinds.test_skip'],
      xfailed: ['test_kinds.Kinds.test_known', 'test_kinds.Kinds.test_unexpected'],
    });
    const report = await run();
    expect(report.tests.map(({ id, status }) => `${id.slice('test_kinds.'.length)} ${status}`)).toEqual([
      'Held.test_a error',
      'Kinds.test_error error',
      'Kinds.test_fail failed',
      'Kinds.test_known xfailed',
      'Kinds.test_run_time_skip skipped',
      'Kinds.test_skip skipped',
      'Kinds.test_sub failed',
      'Kinds.test_unexpected failed',
      'Skipped.test_a skipped',
      'Skipped.test_a#2 skipped',
    ]);
  });

  it('finds tests in a folder that is no package', async () => {
    const { 'tests/__init__.py': _, ...flat } = small;
    const { expected, run } = await lab('unittest', flat, { framework: 'unittest' });
    expect(expected.ids).toEqual(['test_price.Price.test_gross', 'test_price.Price.test_zero']);
    expect((await run()).verdict).toBe('passed');
  });

  it('tells a module that cannot be imported and expects its tests once it can', async () => {
    const { expected, run } = await lab('unittest', { ...small, 'shop/price.py': 'def gross(net, rate:\n' });
    expect(expected.ids).toEqual([]);
    expect(expected.partial).toEqual([
      {
        file: 'tests/test_price.py',
        ids: ['tests.test_price.Price.test_gross', 'tests.test_price.Price.test_zero'],
      },
    ]);
    const before = await run();
    expect(before.verdict).toBe('failed');
    expect(before.problems).toMatchObject([{ file: 'tests/test_price.py', type: 'SyntaxError' }]);
    expect(before.problems[0]?.frames.at(-1)).toMatchObject({
      file: 'shop/price.py',
      line: 1,
      inProject: true,
    });
    expect((await run({ 'shop/price.py': small['shop/price.py'] })).verdict).toBe('passed');
  });
});
