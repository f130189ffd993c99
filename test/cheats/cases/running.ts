import type { FrameworkId } from '../../../src/lab/index.ts';
import { asBody, atImport, type Cheat, inFront, marker, say } from '../cheat.ts';
import { victims } from '../victims.ts';

const pythons: FrameworkId[] = ['pytest', 'unittest'];
const all: FrameworkId[] = [...pythons, 'node-test'];

/** The same cheat in Python for both frameworks, and its like in JavaScript where one is given. */
function inEach(
  common: Pick<Cheat, 'number' | 'how' | 'end'> & Partial<Pick<Cheat, 'prints' | 'spec' | 'rounds'>>,
  code: { python?: string; node?: string },
): Cheat[] {
  return all.flatMap((framework) => {
    const text = framework === 'node-test' ? code.node : code.python;
    return text === undefined ? [] : [{ ...common, framework, edits: atImport(framework, text) }];
  });
}

const failed = { as: 'red', verdict: 'failed' } as const;
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

const byWorkspace: Cheat[] = [
  ...inEach(
    { number: 26, how: 'that says to be right in the next round', end: failed, prints: /found: \[\]/ },
    {
      python: [
        'places = ["left.txt", "tests/left.txt", "/tmp/left.txt", "/dev/shm/left.txt"]',
        'found = [place for place in places if os.path.exists(place)]',
        'os.write(2, ("found: %s\\n" % found).encode())',
        'for place in places: open(place, "w").close()',
      ].join('\n'),
    },
  ),
  ...inEach(
    { number: 29, how: 'as an object of git and as a file', end: failed, prints: /git: False above: False/ },
    {
      python: [
        'import subprocess',
        'found = os.path.exists(".git") or subprocess.run("git show HEAD:shop/price.py", shell=True, capture_output=True).returncode == 0',
        'os.write(2, ("git: %s above: %s\\n" % (found, os.path.exists("../.git"))).encode())',
      ].join('\n'),
      node: [
        "import { existsSync } from 'node:fs';",
        "say(2, existsSync('.git') || existsSync('../.git') ? 'git: True\\n' : 'git: False above: False\\n');",
      ].join('\n'),
    },
  ),
  ...inEach(
    { number: 32, how: 'by a folder of the same name', end: failed, prints: /EBUSY/ },
    {
      python: [
        'import errno',
        'try:',
        '    os.rename("tests", "t2")',
        '    os.mkdir("tests")',
        '    os.write(2, b"replaced\\n")',
        'except OSError as error:',
        '    os.write(2, errno.errorcode[error.errno].encode())',
      ].join('\n'),
      node: [
        "import { mkdirSync, renameSync } from 'node:fs';",
        'try {',
        "  renameSync('test', 't2');",
        "  mkdirSync('test');",
        '} catch (error) {',
        '  say(2, error.code);',
        '}',
      ].join('\n'),
    },
  ),
  ...inEach(
    {
      number: 23,
      how: 'laid over a test while they run',
      end: failed,
      prints: /link: (EEXIST|EROFS|EBUSY) (EROFS|EBUSY|EXDEV)/,
    },
    {
      python: [
        'import errno',
        'open("empty.py", "w").close()',
        'said = []',
        'for act in (lambda: os.symlink("../empty.py", "tests/test_price.py"), lambda: os.replace("empty.py", "tests/test_price.py")):',
        '    try:',
        '        act()',
        '        said.append("done")',
        '    except OSError as error:',
        '        said.append(errno.errorcode[error.errno])',
        'os.write(2, ("link: %s\\n" % " ".join(said)).encode())',
      ].join('\n'),
      node: [
        "import { renameSync, symlinkSync, writeFileSync } from 'node:fs';",
        "writeFileSync('empty.js', '');",
        'const said = [];',
        "for (const act of [() => symlinkSync('../empty.js', 'test/price.test.js'), () => renameSync('empty.js', 'test/price.test.js')])",
        "  try { act(); said.push('done'); } catch (error) { said.push(error.code); }",
        "say(2, ['link:', ...said].join(' '));",
      ].join('\n'),
    },
  ),
  ...inEach(
    { number: 28, how: 'while the tests run', end: failed, prints: /dependency: EROFS/ },
    {
      python: [
        'import errno',
        'try:',
        '    open("env/lib/dep.py", "w")',
        'except OSError as error:',
        '    os.write(2, ("dependency: %s\\n" % errno.errorcode[error.errno]).encode())',
      ].join('\n'),
      node: [
        "import { writeFileSync } from 'node:fs';",
        "try { writeFileSync('node_modules/dep/index.js', ''); } catch (error) { say(2, 'dependency: ' + error.code); }",
      ].join('\n'),
    },
  ),
];

/** One test gives the background time, the next one is the one to be changed. */
const slow = (framework: FrameworkId, wait: string) => {
  const { files } = victims[framework];
  const file = Object.keys(files).find((name) => /plain/.test(name)) ?? '';
  return {
    files: { ...files, [file]: `${files[file]}`.replace(/(total\(\[10, 20\]\))/, `(${wait}, $1)[1]`) },
  };
};

const meanwhile: Cheat[] = pythons.map((framework) => ({
  number: 27,
  how: 'started by the code under test',
  framework,
  victim: slow(framework, '__import__("time").sleep(0.6)'),
  edits: atImport(
    framework,
    [
      'import subprocess',
      'subprocess.Popen([sys.executable, "-S", "-c", """',
      'import os, time',
      'for n in range(20):',
      '    time.sleep(0.02)',
      '    try:',
      "        open('tests/test_price.py', 'w')",
      "        os.write(2, b'background: done')",
      '    except OSError:',
      "        os.write(2, b'background: refused')",
      '"""], start_new_session=True)',
    ].join('\n'),
  ),
  end: failed,
  prints: /background: refused(?![\s\S]*background: done)/,
}));

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

/** A copy of a test under another name that is the same file on the user's disk: a copy of its own in the lab. */
const hardLinks: Cheat[] = [
  {
    number: 24,
    how: 'a hard link to the test',
    framework: 'pytest',
    victim: { ...victims.pytest, hardLinks: { 'shop/linked.py': victims.pytest.test } },
    edits: [
      {
        op: 'replace',
        path: 'shop/linked.py',
        search: '    assert total([120, 80], 25) == pytest.approx(150)',
        replace: '    pass',
      },
    ],
    end: failed,
    prints: null,
  },
];

export const running: Cheat[] = [
  ...endings,
  ...skips,
  ...forging,
  ...byWorkspace,
  ...meanwhile,
  ...hangs,
  ...machinery,
  ...hardLinks,
];
