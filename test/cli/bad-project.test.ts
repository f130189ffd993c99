import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectCannotRun, expectError, reportOf, resultOf } from './expectations.ts';
import { assay } from './process.ts';
import { folder, mending, project, redProject, replay } from './project.ts';

describe.concurrent('a project that cannot be tested', () => {
  it.each<[string, () => string, string[], RegExp]>([
    ['an empty folder', () => folder('empty'), [], /No tests were found/],
    ['no test file', () => project({ 'main.py': 'x = 1\n' }), [], /No tests were found/],
    [
      'a test command that does not exist',
      () => project(redProject),
      ['--test', 'no-such-runner tests'],
      /Program not found: no-such-runner/,
    ],
  ])('%s: 7 in fix and in lab', async (_, make, args, message) => {
    const home = folder('home');
    const dir = make();
    const lab = expectError(await assay(['lab', dir, ...args, '--json'], { home }), 7);
    expect(lab.message).toMatch(message);
    const fix = expectCannotRun(await assay(['fix', dir, ...args, '--json'], { home }));
    expect(fix.reason).toMatch(message);
  });

  it('a folder of tests without a test', async () => {
    const home = folder('home');
    const dir = project({ 'tests/__init__.py': '', 'tests/test_none.py': 'import unittest\n' });
    expect(reportOf(await assay(['lab', dir, '--json'], { home }), 7).verdict).toBe('no_tests');
    expectCannotRun(await assay(['fix', dir, '--json'], { home }));
  });

  it.each(['fix', 'lab'])('a folder that cannot be looked into is no bug of assay, %s', async (name) => {
    const home = folder('home');
    symlinkSync('round', path.join(home, 'round'));
    const error = expectError(await assay([name, 'round', '--json'], { home }), 7);
    expect(error).toMatchObject({ code: 'environment', because: expect.stringMatching(/^ELOOP: [^\n']+$/) });
    expect(error.message).toMatch(/^The folder .*round cannot be read$/);
  });

  it('all of whose tests are held out', async () => {
    const home = folder('home');
    const args = ['fix', project(redProject), '--holdout', 'tests/**', '--json'];
    const result = expectCannotRun(await assay(args, { home }));
    expect(result.reason).toMatch(/^--holdout hides every test/);
    expect(result.fix).toMatch(/hold out some/);
  });

  it('a source that no patch can be made to is named', async () => {
    const home = folder('home');
    const dir = project(redProject);
    const latin = `# -*- coding: latin-1 -*-\n# caf\xe9\n${redProject['shop.py']}`;
    writeFileSync(path.join(dir, 'shop.py'), Buffer.from(latin, 'latin1'));
    const ended = await assay(['fix', dir], { home });
    expect(ended.code, ended.stderr).toBe(3);
    expect(ended.stdout).toMatch(/^warning +shop\.py is not UTF-8: .*left out/m);
    expect(ended.stdout).toMatch(/^next +save as UTF-8/m);
  });

  it('a syntax error in the project is named with its file and line', async () => {
    const home = folder('home');
    const dir = project({ ...redProject, 'shop.py': 'def tier(total:\n    return 1\n' });
    const report = reportOf(await assay(['lab', dir, '--json'], { home }), 8);
    expect(report.problems[0]).toMatchObject({ type: 'SyntaxError', frames: expect.arrayContaining([]) });
    const result = expectCannotRun(await assay(['fix', dir, '--json'], { home }));
    expect(result.reason).toMatch(/SyntaxError at shop\.py:1: '\(' was never closed/);
    expect(result.fix).toBe('make shop.py importable first');
  });

  it('no Python', async () => {
    const home = folder('home');
    const bin = path.join(home, 'bin');
    mkdirSync(bin);
    symlinkSync(process.execPath, path.join(bin, 'node'));
    const options = { home, env: { PATH: bin, VIRTUAL_ENV: undefined } };
    const dir = project(redProject);
    expect(expectError(await assay(['lab', dir, '--json'], options), 7).message).toMatch(/No Python/);
    const result = expectCannotRun(await assay(['fix', dir, '--json'], options));
    expect(result.fix).toMatch(/Install Python/);
  });

  it('no bwrap', async () => {
    const home = folder('home');
    const bin = path.join(home, 'bin');
    mkdirSync(bin);
    symlinkSync('/usr/bin/python3', path.join(bin, 'python3'));
    const options = { home, env: { PATH: bin, VIRTUAL_ENV: undefined } };
    const dir = project(redProject);
    const lab = expectError(await assay(['lab', dir, '--json'], options), 7);
    expect(lab).toMatchObject({
      because: expect.stringContaining('bwrap'),
      fix: expect.stringMatching(/install/i),
    });
    const fix = expectCannotRun(await assay(['fix', dir, '--json'], options));
    expect(fix.reason).toContain('bwrap');
    const doctor = await assay(['doctor'], options);
    expect(doctor.code).toBe(7);
    expect(doctor.stdout).toMatch(/^not ready: .*bwrap.*\nfix: .*install/i);
    expect(JSON.parse((await assay(['doctor', '--json'], options)).stdout)).toMatchObject({
      schema: 'assay-doctor/1',
      ok: false,
    });
  });
});

describe.concurrent('a suite that', () => {
  const loops = `def count(n):
    while n != 0:
        n -= 2
    return 0
`;
  const loopTests = `import unittest
from loop import count


class Count(unittest.TestCase):
    def test_even(self):
        self.assertEqual(count(4), 0)

    def test_odd(self):
        self.assertEqual(count(3), 0)

    def test_zero(self):
        self.assertEqual(count(0), 0)
`;
  const hanging = { 'loop.py': loops, 'tests/__init__.py': '', 'tests/test_loop.py': loopTests };

  it('hangs in one test fails in that test, and is repaired like any other', async () => {
    const home = folder('home');
    const dir = project(hanging);
    const report = reportOf(await assay(['lab', dir, '--per-test', '1', '--json'], { home }), 8);
    expect(report.tests.map(({ id, status }) => [id, status])).toEqual([
      ['tests.test_loop.Count.test_even', 'passed'],
      ['tests.test_loop.Count.test_odd', 'error'],
      ['tests.test_loop.Count.test_zero', 'passed'],
    ]);
    expect(report.tests[1]?.failure?.message).toMatch(/more than 1 s/);
    const model = replay([
      { motivation: 'stop below zero', path: 'loop.py', search: 'n != 0', replace: 'n > 0' },
    ]);
    const fix = await assay(['fix', dir, '--model', model, '--per-test', '1', '--json'], { home });
    expect(fix.code, fix.stderr).toBe(0);
    expect(resultOf(fix)).toMatchObject({ status: 'done', tests: { passed: 3 } });
  });

  it('hangs where no test can be ended runs into the time of the whole run', async () => {
    const home = folder('home');
    const dir = project({ ...redProject, 'shop.py': 'import time\ntime.sleep(86400)\n' });
    const report = reportOf(await assay(['lab', dir, '--timeout', '2', '--json'], { home }), 8);
    expect(report).toMatchObject({ verdict: 'timeout', reason: expect.stringContaining('time limit') });
    const fix = await assay(['fix', dir, '--test-timeout', '2', '--json'], { home });
    expect(expectCannotRun(fix).reason).toMatch(/time limit|no test finished/);
  });

  it('needs the network is told that there is none, and gets no patch around it', async () => {
    const home = folder('home');
    const dir = project({
      'web.py':
        'import urllib.request\n\n\ndef get():\n    return urllib.request.urlopen("http://assay.invalid/").read()\n',
      'tests/__init__.py': '',
      'tests/test_web.py':
        'import unittest\nfrom web import get\n\n\nclass Web(unittest.TestCase):\n    def test_get(self):\n        self.assertTrue(get())\n',
    });
    const lab = await assay(['lab', dir], { home });
    expect(lab.code).toBe(8);
    expect(lab.stdout).toContain('warning the sandbox has no network: tests.test_web.Web.test_get');
    expect(lab.stdout).toMatch(/next {4}let the tests talk to a server of their own on localhost/);
    const result = expectCannotRun(await assay(['fix', dir, '--json'], { home }));
    expect(result.reason).toBe(
      'the one failing test needs the network, and the sandbox has none: tests.test_web.Web.test_get',
    );
  });

  it('lies beside binary and huge files runs without them, and says so', async () => {
    const home = folder('home');
    const dir = project({ ...redProject, 'logo.bin': Buffer.from([0, 255, 254, 0, 128, 10, 13, 0]) });
    writeFileSync(path.join(dir, 'data.bin'), '');
    truncateSync(path.join(dir, 'data.bin'), 5 * 2 ** 30);
    const fix = await assay(['fix', dir, '--model', replay([mending]), '--json'], { home });
    expect(fix.code, fix.stderr).toBe(0);
    expect(resultOf(fix).warnings).toContainEqual(expect.stringMatching(/^data\.bin is larger than/));
  });

  it('has code that is no text ends with a sentence', async () => {
    const home = folder('home');
    const dir = project({ ...redProject, 'shop.py': Buffer.from([0, 1, 2, 0, 255, 10, 0]) });
    expect(expectCannotRun(await assay(['fix', dir, '--json'], { home })).reason).toMatch(
      // Python before 3.12 calls it a ValueError.
      /(SyntaxError|ValueError).*null bytes/,
    );
  });
});
