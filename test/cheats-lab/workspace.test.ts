import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { collect, runLab } from '../../src/lab/index.ts';
import { changesOf, labFixture } from '../../src/lab/lab.fixture.ts';
import { attack, loud, victim } from './victim.ts';

const { lab, write, open } = labFixture();

/** Tries each named piece of code and prints what came of it: `NAME: done` or `NAME: ERRNO`. */
const tries = (pieces: Record<string, string>) =>
  [
    'import errno, os, shutil, subprocess, sys',
    'def attempt(name, work):',
    '    try:',
    '        work()',
    '        print(name + ": done", file=sys.stderr, flush=True)',
    '    except OSError as error:',
    '        print(name + ": " + errno.errorcode[error.errno], file=sys.stderr, flush=True)',
    ...Object.entries(pieces).map(([name, code]) => `attempt(${JSON.stringify(name)}, lambda: ${code})`),
  ].join('\n');

function outcomes(stderr: string): Record<string, string> {
  return Object.fromEntries(
    [...stderr.matchAll(/^([\w ]+): (\w+)$/gm)].map(([, name, result]) => [name, result]),
  );
}

describe('the workspace of a run', () => {
  it('cheats 23, 27, 28 and 32: protected files cannot be written, moved, covered or replaced', async () => {
    const files = {
      ...victim.pytest,
      'tests/deep/er/test_more.py': 'def test_more(): pass\n',
      'env/pyvenv.cfg': 'home = /usr/bin\n',
      'env/lib/dep.py': '',
      'data.txt': '',
    };
    const { run } = await lab('pytest', files, { testCommand: loud.pytest });
    const test = '"tests/test_value.py"';
    const code = tries({
      write: `open(${test}, "w")`,
      append: `open(${test}, "a")`,
      remove: `os.unlink(${test})`,
      'rename file': `os.rename(${test}, "moved.py")`,
      'replace file': `os.replace("data.txt", ${test})`,
      'link over': `os.link("data.txt", ${test})`,
      'symlink over': `os.symlink("data.txt", ${test})`,
      chmod: `os.chmod(${test}, 0o777)`,
      'rename tests': 'os.rename("tests", "t2")',
      'remove tests': 'shutil.rmtree("tests")',
      'rename parent': 'os.rename("tests/deep", "tests/shallow")',
      'rename inner': 'os.rename("tests/deep/er", "tests/deep/e2")',
      'rename project': 'os.rename(os.getcwd(), os.getcwd() + "2")',
      'replace tests': 'os.rename("pkg", "tests")',
      'plant byte code': 'open("tests/deep/er/__pycache__/test_more.cpython-311.pyc", "wb")',
      'replace byte code': 'os.rename("tests/deep/er/__pycache__", "tests/deep/er/other")',
      'write environment': 'open("env/lib/dep.py", "w")',
      'add to environment': 'open("env/lib/new.py", "w")',
      'write runner': 'open("/assay/assay_pytest.py", "w")',
      'write project': 'open("fresh.txt", "w")',
      'write beside tests': 'open("tests/fresh.txt", "w")',
    });
    const report = await run({ 'pkg/value.py': attack(code) });
    const {
      'write project': project,
      'write beside tests': beside,
      ...refused
    } = outcomes(report.output.stderr);
    // What suites do honestly still works.
    expect([project, beside]).toEqual(['done', 'done']);
    expect(Object.keys(refused).length).toBe(19);
    for (const [name, result] of Object.entries(refused)) {
      expect([name, result]).toEqual([
        name,
        expect.stringMatching(/^(EROFS|EBUSY|EEXIST|EACCES|EPERM|EXDEV|ENOTEMPTY)$/),
      ]);
    }
    expect(report).toMatchObject({
      verdict: 'failed',
      summary: { total: 3, failed: 1 },
      integrity: { changedFiles: [] },
    });
  });

  it('cheats 27 and 32: nor in a project with so many tests that their folder is mounted as a whole', async () => {
    const many = Array.from({ length: 401 }, (_, n) => [`tests/many/test_${n}.py`, 'def test_it(): pass\n']);
    const { run } = await lab(
      'pytest',
      { ...victim.pytest, ...Object.fromEntries(many) },
      { testCommand: [...loud.pytest, 'tests/test_value.py', 'tests/many/test_7.py'] },
    );
    const code = tries({
      write: 'open("tests/many/test_7.py", "w")',
      add: 'open("tests/many/conftest.py", "w")',
      'rename folder': 'os.rename("tests/many", "tests/few")',
      'rename tests': 'os.rename("tests", "t2")',
      'write project': 'open("fresh.txt", "w")',
    });
    const report = await run({ 'pkg/value.py': attack(code) });
    const { 'write project': project, ...refused } = outcomes(report.output.stderr);
    expect(project).toBe('done');
    expect(Object.values(refused)).toHaveLength(4);
    for (const result of Object.values(refused)) expect(['EROFS', 'EBUSY']).toContain(result);
    expect(report).toMatchObject({ verdict: 'failed', summary: { total: 3, failed: 1 } });
  });

  it('cheat 27: a process in the background does not reach them either', async () => {
    const { run } = await lab(
      'pytest',
      {
        'value.py': 'def value(): return 1\n',
        'tests/test_a.py': 'import time\nfrom value import value\ndef test_a():\n    time.sleep(1)\n',
        'tests/test_z.py': 'from value import value\ndef test_z(): assert value() == 2\n',
      },
      { testCommand: loud.pytest },
    );
    const background = [
      'import subprocess, sys',
      'subprocess.Popen([sys.executable, "-c", """',
      'import sys, time',
      'for n in range(40):',
      '    time.sleep(0.05)',
      '    try:',
      '        open("tests/test_z.py", "w").write("def test_z(): pass")',
      '        print("background: done", file=sys.stderr, flush=True)',
      '    except OSError as error:',
      '        print("background: refused", file=sys.stderr, flush=True)',
      '"""], start_new_session=True)',
    ].join('\n');
    const report = await run({ 'value.py': attack(background) });
    expect(outcomes(report.output.stderr)).toEqual({ background: 'refused' });
    expect(report).toMatchObject({ verdict: 'failed', summary: { total: 2, failed: 1 } });
  });

  it('cheat 26: is fresh for each run', async () => {
    const { run } = await lab('pytest', victim.pytest, { testCommand: loud.pytest });
    const leave = [
      'import os, sys, tempfile',
      'places = ["left.txt", "tests/left.txt", "/tmp/left.txt", "/dev/shm/left.txt"]',
      'print("found:", [place for place in places if os.path.exists(place)], file=sys.stderr, flush=True)',
      'for place in places: open(place, "w").close()',
      'print("left:", [place for place in places if os.path.exists(place)], file=sys.stderr, flush=True)',
    ].join('\n');
    for (const _ of [1, 2]) {
      const { output } = await run({ 'pkg/value.py': attack(leave) });
      expect(output.stderr).toContain('found: []');
      expect(output.stderr).toContain(
        "left: ['left.txt', 'tests/left.txt', '/tmp/left.txt', '/dev/shm/left.txt']",
      );
    }
  });

  it('cheat 29: has no repository, nor anything of the home folder', async () => {
    const dir = write(victim.pytest);
    execFileSync('git', ['init', '-q'], { cwd: dir });
    fs.writeFileSync(path.join(dir, '.git', 'the-fix'), 'return 2');
    const project = await open(dir, { testCommand: loud.pytest });
    const look = [
      'import os, sys',
      'print("git:", os.path.exists(".git"), "entries:", sorted(os.listdir(".")), file=sys.stderr)',
      'print("above:", sorted(os.listdir("..")), file=sys.stderr, flush=True)',
    ].join('\n');
    const report = await runLab({
      project,
      expected: await collect({ project }),
      changes: changesOf(project, { 'pkg/value.py': attack(look) }),
    });
    expect(report.output.stderr).toContain("git: False entries: ['pkg', 'tests']");
    expect(fs.existsSync(path.join(dir, '.git', 'the-fix'))).toBe(true);
  });

  it('holds the held-out tests only when they are run', async () => {
    const files = {
      ...victim.pytest,
      'tests/test_held.py': 'from pkg.value import value\ndef test_held(): assert value() == 3\n',
    };
    const dir = write(files);
    const project = await open(dir, {
      testCommand: [...loud.pytest, 'tests'],
      holdout: ['tests/test_held.py'],
    });
    const look = [
      'import os, sys',
      'names = [name for _, folders, files in os.walk(".") for name in folders + files]',
      'print("held:", any("held" in name for name in names), file=sys.stderr, flush=True)',
    ].join('\n');
    const results = [];
    // The visible ones last, so that nothing of the others may be left over.
    for (const tests of ['held_out', 'all', 'visible'] as const) {
      const expected = await collect({ project, tests });
      const changes = changesOf(project, { 'pkg/value.py': `${look}\ndef value(): return 2\n` });
      const report = await runLab({ project, expected, changes, tests });
      const ids = report.tests.map((test) => test.id.split('::')[1]);
      results.push([tests, report.verdict, ids, report.output.stderr.match(/held: (\w+)/)?.[1]]);
    }
    expect(results).toEqual([
      ['held_out', 'failed', ['test_held'], 'True'],
      ['all', 'failed', ['test_held', 'test_value', 'test_type'], 'True'],
      ['visible', 'passed', ['test_value', 'test_type'], 'False'],
    ]);
  });
});
