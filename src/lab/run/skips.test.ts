import { describe, expect, it } from 'vitest';
import { withBaseline } from '../index.ts';
import { labFixture } from '../lab.fixture.ts';

const { lab } = labFixture();

const suites = {
  pytest: {
    'code.py': 'fast = False\nknown = 1\n',
    'test_code.py':
      'import pytest\nimport code as _\nfrom importlib.machinery import SourceFileLoader\nmine = SourceFileLoader("mine", "code.py").load_module()\n\ndef test_slow():\n    if not mine.fast: pytest.skip("slow here")\n\n@pytest.mark.skipif("True", reason="never")\ndef test_never(): pass\n\ndef test_known():\n    if mine.known == 1: pytest.xfail("known")\n\ndef test_plain():\n    if mine.known == 3: pytest.skip("new")\n',
  },
  unittest: {
    'code.py': 'fast = False\nknown = 1\n',
    'test_code.py':
      'import unittest\nfrom importlib.machinery import SourceFileLoader\nmine = SourceFileLoader("mine", "code.py").load_module()\n\nclass Code(unittest.TestCase):\n    def test_slow(self):\n        if not mine.fast: self.skipTest("slow here")\n    @unittest.skipIf(True, "never")\n    def test_never(self): pass\n    def test_plain(self):\n        if mine.known == 3: self.skipTest("new")\n',
  },
};

describe.each(['pytest', 'unittest'] as const)('skips that only a run shows (%s)', (framework) => {
  it('are the original s own once a baseline has shown them, and a patch adds none', async () => {
    const { expected, run } = await lab(framework, suites[framework]);
    expect(expected.skipped).toHaveLength(1);
    const baseline = await run();
    expect(baseline.verdict).toBe('passed');
    const edit = { 'code.py': `${suites[framework]['code.py']}more = 1\n` };
    // Without the baseline the patch answers for them.
    expect((await run(edit)).verdict).toBe('failed');
    const known = withBaseline(expected, baseline);
    expect((await run(edit, { expected: known })).verdict).toBe('passed');
    const skipping = await run({ 'code.py': 'fast = True\nknown = 3\n' }, { expected: known });
    expect(skipping.verdict).toBe('failed');
    expect(skipping.integrity.newlySkipped).toEqual([expect.stringContaining('test_plain')]);
  });
});
