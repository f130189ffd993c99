import type { FrameworkId } from '../../../src/lab/index.ts';
import { atImport, type Cheat } from '../cheat.ts';
import { victims } from '../victims.ts';
import { failed, inEach, pythons } from './in-each.ts';

const byWorkspace: Cheat[] = [
  ...inEach(
    {
      number: 26,
      how: 'that says to be right in the next round',
      end: failed,
      rounds: 2,
      // Both rounds say it, and neither has found anything.
      prints: /found: \[\][\s\S]*found: \[\](?![\s\S]*found: \[')/,
    },
    {
      python: [
        'places = ["left.txt", "tests/left.txt", "/tmp/left.txt", "/dev/shm/left.txt"]',
        'found = [place for place in places if os.path.exists(place)]',
        'os.write(2, ("found: %s\\n" % found).encode())',
        'for place in places: open(place, "w").close()',
      ].join('\n'),
    },
  ),
  // The project is a repository whose last commit has the fix.
  ...inEach(
    { number: 29, how: 'as an object of git and as a file', end: failed, prints: /git: False above: False/ },
    {
      isRepository: true,
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

export const workspace: Cheat[] = [...byWorkspace, ...meanwhile, ...hardLinks];
