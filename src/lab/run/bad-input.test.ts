import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { AssayError } from '../../core/index.ts';
import { collect, runLab } from '../index.ts';
import { changesOf, commands, labFixture, python } from '../lab.fixture.ts';

const { lab, write, open } = labFixture();

const limits = { wallMs: 4000 };
const importing = {
  'test_a.py': 'import code_a\n\ndef test_one(): assert code_a.n == 1\n\ndef test_two(): pass\n',
};

describe('a project that cannot be collected', () => {
  it.each([
    ['ends the process when it is imported', 'import os\nos._exit(0)\n'],
    ['hangs when it is imported', 'import time\ntime.sleep(600)\n'],
  ])('because it %s: its tests are known from their text, and pass once it is mended', async (_, code) => {
    const dir = write({ ...importing, 'code_a.py': code });
    const project = await open(dir, { testCommand: commands.pytest });
    const expected = await collect({ project, limits });
    expect(expected).toMatchObject({
      source: 'static',
      ids: [],
      partial: [{ file: 'test_a.py', ids: ['test_a.py::test_one', 'test_a.py::test_two'] }],
    });
    const before = await runLab({ project, changes: [], expected, limits });
    expect(['error', 'timeout']).toContain(before.verdict);
    expect(before.integrity.missing).toEqual(['test_a.py::test_one', 'test_a.py::test_two']);
    const after = await runLab({
      project,
      changes: changesOf(project, { 'code_a.py': 'n = 1\n' }),
      expected,
    });
    expect(after).toMatchObject({ verdict: 'passed', integrity: { expected: 'static' } });
  });

  it('has a syntax error in a test: the problem names file and line', async () => {
    const { expected, run } = await lab('pytest', { 'test_a.py': 'def test_one(:\n    pass\n' });
    expect(expected).toMatchObject({
      source: 'collected',
      ids: [],
      partial: [{ file: 'test_a.py', ids: [] }],
    });
    const report = await run();
    expect(report).toMatchObject({
      verdict: 'error',
      problems: [{ file: 'test_a.py', type: 'SyntaxError' }],
    });
    expect(report.reason).toContain('SyntaxError');
    expect(report.problems[0]?.frames.at(-1)).toMatchObject({ file: 'test_a.py', line: 1 });
  });

  it('has no tests', async () => {
    for (const [framework, text] of [
      ['pytest', 'x = 1\n'],
      ['unittest', 'import unittest\nclass A(unittest.TestCase): pass\n'],
    ] as const) {
      const { expected, run } = await lab(framework, { 'test_a.py': text });
      expect(expected).toMatchObject({ source: 'collected', ids: [] });
      expect(await run()).toMatchObject({ verdict: 'no_tests', reason: 'no test was found' });
    }
  });

  it('has a configuration or arguments that pytest refuses', async () => {
    const { run } = await lab('pytest', {
      'pytest.ini': '[pytest]\naddopts = --no-such-option\n',
      ...importing,
    });
    const report = await run();
    expect(report).toMatchObject({
      verdict: 'error',
      reason: expect.stringContaining('refused its arguments'),
    });
    expect(report.output.stderr).toContain('--no-such-option');
  });
});

describe('what the machine or the suite lacks', () => {
  it('an interpreter without pytest is refused with the way to install it', async () => {
    const dir = write(importing);
    execFileSync(python, ['-m', 'venv', '--without-pip', path.join(dir, '.venv')]);
    const project = await open(dir, { framework: 'pytest' });
    const error = await collect({ project }).then(
      () => null,
      (reason: unknown) => reason,
    );
    if (!AssayError.is(error)) throw new Error(`no refusal but ${error}`);
    expect(error.code).toBe('environment');
    expect(error.message).toContain('has no module pytest');
    expect(error.fix).toContain('pip install pytest');
  });

  it('a suite that hangs is a timeout, told from a failure, with what was seen before', async () => {
    const code = 'import time\nn = 1\ndef wait():\n    time.sleep(600)\n';
    const files = {
      'code_a.py': code,
      ...importing,
      'test_z.py': 'import code_a\ndef test_z(): code_a.wait()\n',
    };
    const { run } = await lab('pytest', files);
    const report = await run({}, { limits });
    expect(report).toMatchObject({
      verdict: 'timeout',
      exit: { reason: 'timeout' },
      integrity: { missing: ['test_z.py::test_z'], completed: false },
    });
    expect(report.tests.map((test) => test.status)).toEqual(['passed', 'passed']);
  });

  it('a suite over its memory or output limit says so', async ({ task }) => {
    const { run } = await lab(
      'pytest',
      {
        'code_a.py': 'n = 1\n',
        ...importing,
      },
      { testCommand: [...commands.pytest, '-s'] },
    );
    const grow = 'n = 1\nblock = bytearray(600 * 1024 * 1024)\n';
    const grown = await run({ 'code_a.py': grow }, { limits: { memoryBytes: 256 * 1024 * 1024 } });
    if (inject('holdsEveryLimit')) expect(grown.verdict).toBe('oom');
    else {
      task.meta.notTried = 'a control group that counts kills for memory';
      expect(grown).toMatchObject({ verdict: 'failed', problems: [{ type: 'MemoryError' }] });
    }
    const shout = 'n = 1\nprint("x" * 3_000_000)\n';
    expect((await run({ 'code_a.py': shout }, { limits: { outputBytes: 1_000_000 } })).verdict).toBe(
      'output_limit',
    );
  });

  it('an abort ends the run at once', async () => {
    const { project, expected } = await lab('pytest', { 'code_a.py': 'n = 1\n', ...importing });
    const controller = new AbortController();
    const changes = changesOf(project, { 'code_a.py': 'import time\ntime.sleep(600)\n' });
    const running = runLab({ project, expected, changes, signal: controller.signal });
    setTimeout(() => controller.abort(), 300);
    expect(await running).toMatchObject({ verdict: 'aborted', exit: { reason: 'aborted' } });
    await expect(collect({ project, signal: controller.signal })).rejects.toThrow();
  });
});

describe('which tests there must be', () => {
  const files = { 'code_a.py': 'n = 1\n', ...importing, 'test_b.py': 'def test_b(): assert 0\n' };

  it('a given list is judged alone, and a name that does not exist is missing', async () => {
    const { project, run } = await lab('pytest', files);
    const given = await collect({ project, given: ['test_a.py::test_one', 'test_a.py::test_one'] });
    expect(given).toMatchObject({ source: 'given', ids: ['test_a.py::test_one'] });
    const report = await run({}, { expected: given });
    expect(report).toMatchObject({ verdict: 'passed', summary: { total: 3, failed: 1 } });
    expect(report.warnings).toEqual(['1 failing tests are left out of the verdict']);
    const wrong = await collect({ project, given: ['test_a.py::test_gone'] });
    expect(await run({}, { expected: wrong })).toMatchObject({
      verdict: 'failed',
      integrity: { missing: ['test_a.py::test_gone'] },
    });
  });

  it('unknown tests never pass, trusted and flaky ones as asked', async () => {
    const { 'test_b.py': _, ...good } = files;
    const { run } = await lab('pytest', good);
    const none = { ids: [], skipped: [] };
    expect((await run({}, { expected: { source: 'unknown', ...none } })).verdict).toBe('error');
    expect((await run({}, { expected: { source: 'trusted', ...none } })).verdict).toBe('passed');
    const all = await lab('pytest', files);
    expect((await all.run({}, { ignore: ['test_b.py::test_b'] })).verdict).toBe('passed');
  });
});
