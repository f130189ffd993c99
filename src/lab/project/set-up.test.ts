import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AssayError } from '../../core/index.ts';
import { collect, runLab } from '../index.ts';
import { commands, labFixture } from '../lab.fixture.ts';

const { write, open, lab, folder } = labFixture();

const files = {
  'app.py': 'from generated import answer\n',
  'test_app.py': 'from app import answer\n\n\ndef test_answer():\n    assert answer == 42\n',
};

describe('a set-up command', () => {
  it('makes what the tests need, once, without touching the user s folder', async () => {
    const setup = 'echo "answer = 42" > generated.py && mkdir -p count && date +%N > count/$(date +%N)';
    const dir = write({ ...files, '.gitignore': 'generated.py\ncount\n' });
    const scratch = folder('scratch');
    const counts: string[][] = [];
    for (const _ of [1, 2]) {
      const project = await open(dir, { testCommand: commands.pytest, setup, scratch });
      const report = await runLab({ project, changes: [], expected: await collect({ project }) });
      expect(report.verdict).toBe('passed');
      expect(project.files).toEqual(['.gitignore', 'app.py', 'test_app.py']);
      const [key = ''] = fs.readdirSync(path.join(scratch, 'setup'));
      counts.push(fs.readdirSync(path.join(scratch, 'setup', key, 'work', 'count')));
    }
    expect(counts[0]).toHaveLength(1);
    expect(counts[1]).toEqual(counts[0]);
    expect(fs.readdirSync(dir).sort()).toEqual(['.gitignore', 'app.py', 'test_app.py']);
  });

  it('may make the environment that runs the tests', async () => {
    const setup =
      'python3 -m venv --without-pip .venv && cd .venv/lib/python3*/site-packages && echo "here = 1" > dep.py';
    const { run } = await lab(
      'unittest',
      {
        'test_dep.py':
          'import sys, unittest, dep\nclass Dep(unittest.TestCase):\n    def test_dep(self): self.assertIn("/.venv/", dep.__file__ + sys.prefix + "/")\n',
      },
      { framework: 'unittest', setup },
    );
    expect(await run()).toMatchObject({ verdict: 'passed' });
  });

  it('cannot change a protected file, and is told so', async () => {
    const setup =
      'echo "def test_answer(): pass" > test_app.py; echo "answer = 41" > generated.py; echo "def test_more(): pass" > test_made.py';
    const { project, expected, run } = await lab('pytest', files, { setup });
    expect(project.warnings).toEqual([
      'the set-up command changed the protected file test_app.py: the change is left out',
    ]);
    expect(expected.ids).toEqual(['test_app.py::test_answer', 'test_made.py::test_more']);
    expect((await run()).verdict).toBe('failed');
    expect((await run({ 'test_made.py': '' })).verdict).toBe('tampered');
  });

  it('is refused with its last words where it fails', async () => {
    const error = await open(write(files), {
      testCommand: commands.pytest,
      setup: 'echo no compiler >&2; exit 3',
    }).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(AssayError.is(error) && [error.code, error.because, error.message]).toEqual([
      'environment',
      'no compiler',
      'The set-up command "echo no compiler >&2; exit 3" ended with exit code 3',
    ]);
  });

  it('is ended at its limit, and named as what was too slow', async () => {
    const told: string[] = [];
    const setup = 'sleep 600';
    const options = { testCommand: commands.pytest, setup, setupMs: 1_500 };
    const error = await open(write(files), { ...options, onSetUp: (command) => told.push(command) }).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(told).toEqual([setup]);
    expect(AssayError.is(error) && [error.code, error.message]).toEqual([
      'environment',
      'The set-up command "sleep 600" is too slow: it ran over its limit of 1.5 s',
    ]);
    expect(AssayError.is(error) && error.fix).toContain('--timeout');
  });

  it('does not lead the host outside by a link it leaves', async () => {
    const setup =
      'ln -s /etc/passwd stolen.txt; rm -r data; ln -s /etc data; mkfifo pipe; echo "answer = 42" > generated.py';
    const { run } = await lab('pytest', { ...files, 'data/x.txt': 'mine' }, { setup });
    const look =
      'from generated import answer\nimport os\nassert not os.path.lexists("stolen.txt") and not os.path.lexists("data")\n';
    expect((await run({ 'app.py': look })).verdict).toBe('passed');
  });
});
