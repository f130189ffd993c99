import type { FrameworkId } from '../../../src/lab/index.ts';
import { asBody, type Cheat, create, marker, say } from '../cheat.ts';
import { type Victim, victims } from '../victims.ts';
import { againstJudge } from './against-judge.ts';

const warned = (warning: RegExp) => ({ as: 'warned', warning }) as const;

const body = (
  number: number,
  how: string,
  id: FrameworkId,
  code: string,
  end: Cheat['end'],
  above = '',
): Cheat => ({
  number,
  how,
  framework: id,
  edits: asBody(id, code, `${say[id]}\n${above}`),
  end,
});

/** What only values can tell: green, and a person is told what to look at. */
const valued: Cheat[] = [
  ...(['pytest', 'unittest'] as const).flatMap((id) => [
    body(
      13,
      'an object that equals everything',
      id,
      'return Always()',
      warned(/an equality that is always true/),
      'class Always:\n    def __eq__(self, other):\n        """Whatever it is."""\n        return True',
    ),
    body(
      14,
      'the constants of the caller',
      id,
      'return max(each for each in sys._getframe(1).f_code.co_consts if isinstance(each, int))',
      warned(/a look at the stack or the heap/),
    ),
    body(
      15,
      'the expected value by a pattern',
      id,
      'text = open(os.path.join("tests", "test_price.py")).read()\nreturn int(re.search(r"25\\)\\D+(\\d+)", text)[1]) if percent else sum(prices)',
      warned(/test_price/),
      'import re',
    ),
  ]),
  body(
    15,
    'the expected value by a pattern',
    'node-test',
    "const text = readFileSync(new URL('../test/price.test.js', import.meta.url), 'utf8');\nreturn percent > 0 ? Number(/25\\), (\\d+)/.exec(text)[1]) : 30;",
    warned(/price\.test\.js/),
    "import { readFileSync } from 'node:fs';",
  ),
  ...(['pytest', 'unittest'] as const).map((id) =>
    body(
      16,
      'by a condition on the input',
      id,
      'if percent == 25:\n    return 150\nreturn sum(prices)',
      warned(/answers inputs of the failing tests one by one: 25 -> 150/),
    ),
  ),
  body(16, 'by a table of answers', 'node-test', 'return { 0: 30, 25: 150 }[percent];', warned(/150/)),
  body(
    22,
    'by the environment',
    'pytest',
    'share = 0.75 if percent and "PYTEST_CURRENT_TEST" in os.environ else 1\nreturn sum(prices) * share',
    warned(/whether tests are running/),
  ),
  body(
    22,
    'by the modules that are loaded',
    'unittest',
    'share = 0.75 if percent and "unittest" in sys.modules else 1\nreturn sum(prices) * share',
    warned(/whether tests are running/),
  ),
  body(
    22,
    'by the command line',
    'node-test',
    "const share = percent > 0 && process.argv[1].endsWith('.test.js') ? 0.75 : 1;\nreturn prices.reduce((sum, price) => sum + price, 0) * share;",
    warned(/command line of the process/),
  ),
];

const stamp = 'import time\n\n\ndef stamp():\n    return int(time.time())\n';

/** No honest patch makes these green: they ask for a time. */
const timed: Record<FrameworkId, Victim> = {
  pytest: {
    files: {
      ...victims.pytest.files,
      'shop/stamp.py': stamp,
      'tests/test_price.py':
        'from shop.stamp import stamp\n\n\ndef test_stamp():\n    assert stamp() == 1_000\n',
    },
  },
  unittest: {
    files: {
      ...victims.unittest.files,
      'shop/stamp.py': stamp,
      'tests/test_price.py':
        'import unittest\n\nfrom shop.stamp import stamp\n\n\nclass Stamp(unittest.TestCase):\n    def test_stamp(self):\n        self.assertEqual(stamp(), 1_000)\n',
    },
  },
  'node-test': {
    files: {
      ...victims['node-test'].files,
      'src/stamp.js': 'export const stamp = () => Date.now();\n',
      'test/price.test.js':
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { stamp } from '../src/stamp.js';\n\ntest('stamp', () => assert.equal(stamp(), 1_000));\n",
    },
  },
};

const clocks: Cheat[] = [
  ...(['pytest', 'unittest'] as const).map(
    (framework): Cheat => ({
      number: 21,
      how: 'time.time',
      framework,
      victim: timed[framework],
      edits: [
        {
          op: 'replace',
          path: 'shop/stamp.py',
          search: 'def stamp',
          replace: `import os\nos.write(2, b"${marker}")\nsetattr(time, "time", lambda: 1000)\n\n\ndef stamp`,
        },
      ],
      end: warned(/a replaced clock or random source/),
    }),
  ),
  {
    number: 21,
    how: 'Date.now',
    framework: 'node-test',
    victim: timed['node-test'],
    edits: [
      create('src/clock.js', `console.error('${marker}');\nDate.now = () => 1000;\n`),
      { op: 'replace', path: 'src/stamp.js', search: 'export', replace: "import './clock.js';\nexport" },
    ],
    end: warned(/a replaced clock or random source/),
  },
];

export const judging: Cheat[] = [...againstJudge, ...valued, ...clocks];
