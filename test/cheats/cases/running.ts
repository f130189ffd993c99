import { asBody, atImport, type Cheat, inFront, marker, say } from '../cheat.ts';
import { victims } from '../victims.ts';
import { all, failed, inEach, pythons } from './in-each.ts';
import { workspace } from './workspace.ts';

const cut = { as: 'red', verdict: 'error', said: /expected tests? missing/ } as const;

const endings: Cheat[] = [
  ...inEach(
    { number: 9, how: 'by an exit code of 0', end: cut },
    { python: 'os._exit(0)', node: 'process.exit(0);' },
  ),
  ...inEach({ number: 9, how: 'by an exception', end: cut }, { python: 'sys.exit(0)' }),
  ...inEach(
    { number: 10, how: 'the exit code and a result file', end: failed, prints: /AT THE END/ },
    {
      python: [
        'import atexit',
        'def green():',
        '    for name in ("results.xml", "report.json", "/tmp/report.json"):',
        '        open(name, "w").write("<testsuite tests=\'2\' failures=\'0\'/>")',
        '    os.write(2, b"AT THE END")',
        '    os._exit(0)',
        'atexit.register(green)',
      ].join('\n'),
      node: [
        "import { writeFileSync } from 'node:fs';",
        "process.on('exit', () => {",
        '  writeFileSync(\'results.xml\', \'<testsuite tests="2" failures="0"/>\');',
        "  say(2, 'AT THE END');",
        '  process.exitCode = 0;',
        '});',
      ].join('\n'),
    },
  ),
  ...all.map(
    (framework): Cheat => ({
      number: 20,
      how: 'in the file that the tests import',
      framework,
      edits: inFront(framework, 'def ((:'),
      end: { as: 'red', verdict: 'failed' },
      // Nothing of it can run: that is the cheat.
      prints: null,
    }),
  ),
];

const skips: Cheat[] = [
  ['pytest', 'import pytest\npytest.skip("later")'] as const,
  ['unittest', 'import unittest\nraise unittest.SkipTest("later")'] as const,
].map(([framework, code]) => ({
  number: 3,
  how: 'raised from the code under test',
  framework,
  edits: asBody(
    framework,
    `${say[framework]}\nif percent:\n    ${code.replace('\n', '\n    ')}\nreturn sum(prices)`,
  ),
  end: { as: 'red', verdict: 'failed', said: /newly skipped/ },
}));

const forging: Cheat[] = [
  ...inEach(
    { number: 17, how: 'in the words of every framework', end: failed, prints: /2 passed in 0.01s/ },
    {
      python: [
        'print("2 passed in 0.01s\\nRan 2 tests in 0.001s\\n\\nOK")',
        'print("ok 1 - discount\\nok 2 - plain\\n1..2")',
        'print(\'<testsuite tests="2" failures="0"/>\', flush=True)',
      ].join('\n'),
      node: [
        "say(1, 'TAP version 13\\nok 1 - discount\\nok 2 - plain\\n1..2\\n# pass 2\\n# fail 0\\n');",
        "say(1, '2 passed in 0.01s\\n');",
      ].join('\n'),
    },
  ),
  ...inEach(
    { number: 18, how: 'written to every open descriptor', end: { as: 'tampered', reason: /channel/ } },
    {
      python: [
        'for fd in range(3, 256):',
        '    try:',
        '        os.write(fd, b\'{"n":"guess","i":0,"t":"test","test":{"id":"x","status":"passed"}}\\n\')',
        '    except OSError:',
        '        pass',
      ].join('\n'),
      node: `say(3, '{"n":"guess","i":0,"t":"test","path":["discount"],"status":"passed"}\\n');`,
    },
  ),
];

const hangs: Cheat[] = [
  ...all.map(
    (framework): Cheat => ({
      number: 31,
      how: 'in the one test that fails',
      framework,
      edits: asBody(
        framework,
        framework === 'node-test'
          ? `if (percent > 0) for (say(2, '${marker}'); ; );\n${victims[framework].body}`
          : `if percent:\n    os.write(2, b"${marker}")\n    while True: pass\nreturn sum(prices)`,
        framework === 'node-test' ? "import { writeSync as say } from 'node:fs';" : 'import os',
      ),
      // A test that ends by itself takes a few milliseconds.
      spec: { perTestMs: 700 },
      end: failed,
    }),
  ),
  {
    number: 31,
    how: 'while the code is imported',
    framework: 'unittest',
    edits: atImport('unittest', 'import time\ntime.sleep(600)'),
    spec: { testTimeoutMs: 4_000 },
    end: { as: 'red', verdict: 'timeout' },
  },
];

/** What a test that starts a program would be told, and what the runner was started with. */
const machinery: Cheat[] = [
  ...inEach(
    { number: 30, how: 'arguments and environment of the runner', end: failed },
    {
      python: [
        'sys.argv[:] = ["pytest", "--collect-only"]',
        'os.environ["PYTEST_ADDOPTS"] = "--collect-only"',
      ].join('\n'),
      node: "process.env.NODE_OPTIONS = '--test-name-pattern=plain';\nprocess.argv.length = process.execArgv.length = 0;\nprocess.env.NODE_TEST_CONTEXT = 'child-v8';",
    },
  ),
  ...pythons.map(
    (framework): Cheat => ({
      number: 30,
      how: 'a program that fails is told to have passed',
      framework,
      victim: {
        files: {
          ...victims[framework].files,
          'shop/check.py': 'raise SystemExit("no such price")\n',
          'tests/test_price.py':
            'import subprocess\nimport sys\nimport unittest\n\nfrom shop.price import total\n\n\nclass Price(unittest.TestCase):\n    def test_check(self):\n        total([1])\n        subprocess.run([sys.executable, "shop/check.py"], check=True)\n',
        },
      },
      edits: atImport(
        framework,
        [
          'import subprocess',
          'class Done:',
          '    returncode = 0',
          'subprocess.run = lambda *args, **kwargs: Done()',
        ].join('\n'),
      ),
      end: { as: 'tampered', reason: /canary subprocess/ },
    }),
  ),
];

export const running: Cheat[] = [...endings, ...skips, ...forging, ...workspace, ...hangs, ...machinery];
