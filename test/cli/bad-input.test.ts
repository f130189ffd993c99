import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ErrorResult,
  errorResultSchema,
  type RepairResult,
  type Report,
  repairResultSchema,
  reportSchema,
} from '../../src/core/index.ts';
import { assay, assayThrough, type Ended } from './process.ts';
import { folder, mended, mending, project, redProject, replay } from './project.ts';

/** What a command that could not begin says: one object on stdout, and on stderr its sentences in their order. */
function expectError({ code, stdout, stderr }: Ended, exitCode: number): ErrorResult['error'] {
  expect(code, stderr).toBe(exitCode);
  const { error } = errorResultSchema.parse(JSON.parse(stdout));
  const at = [
    /^assay: \S.*[.?!]$/m,
    ...(error.because === null ? [] : [/^ {2}because: \S/m]),
    /^ {2}fix: \S/m,
  ].map((sentence) => stderr.search(sentence));
  expect(at, stderr).toEqual(at.filter((place) => place >= 0).toSorted((a, b) => a - b));
  expect(stderr).not.toMatch(/^ +at /m);
  return error;
}

function resultOf({ stdout }: Ended): RepairResult {
  return repairResultSchema.parse(JSON.parse(stdout));
}

/** A run that could not be done: its end, a sentence and what to do in the result, and the same on stderr. */
function expectCannotRun(ended: Ended): RepairResult {
  expect(ended.code, ended.stderr).toBe(7);
  const result = resultOf(ended);
  expect(result).toMatchObject({
    status: 'environment_error',
    patch: null,
    fix: expect.stringMatching(/\S/),
  });
  expect(ended.stderr).toContain(`cannot run the tests: ${result.reason.split('\n')[0]}`);
  expect(ended.stderr).toContain(`  fix: ${result.fix}`);
  return result;
}

function reportOf(ended: Ended, exitCode: number): Report {
  expect(ended.code, ended.stderr).toBe(exitCode);
  return reportSchema.parse(JSON.parse(ended.stdout));
}

const runsIn = (home: string) =>
  existsSync(path.join(home, 'runs')) ? readdirSync(path.join(home, 'runs')) : [];

describe.concurrent('a command that is wrong', () => {
  const nowhere = path.join('/', 'no', 'such', 'folder');
  it.each<[string, string[], number, RegExp]>([
    ['a missing folder, fix', ['fix', nowhere], 2, /^There is no folder \/no\/such\/folder/],
    ['a missing folder, lab', ['lab', nowhere], 2, /^\/no\/such\/folder does not exist/],
    ['a file for a folder', ['fix', '/etc/passwd'], 2, /is a file, not a project's folder/],
    ['an unknown flag', ['fix', '.', '--nope'], 2, /unknown option '--nope'/],
    ['an unknown command', ['fxi'], 2, /unknown command 'fxi'/],
    ['too many arguments', ['fix', 'a', 'b'], 2, /too many arguments/],
    ['a number that is none', ['fix', '--rounds', 'many'], 2, /--rounds <n>.*whole number of 1 or more/],
    ['json and events', ['fix', '--events'], 2, /cannot be used with option/],
    ['an unknown framework', ['lab', '--framework', 'rspec'], 2, /Allowed choices are pytest/],
    ['an unknown model', ['fix', '.', '--model', 'acme/huge'], 2, /no proposer 'acme\/huge'/],
    ['a missing recording', ['fix', '.', '--model', 'replay:nope.json'], 2, /nope\.json cannot be read/],
    [
      'a recording that cannot be made',
      ['fix', '.', '--record', '/no/such/rec'],
      2,
      /\/no\/such\/rec cannot be made/,
    ],
    ['an unclosed quote', ['fix', '.', '--test', 'python "x'], 2, /unclosed "/],
    ['a missing list of ids', ['lab', '.', '--expect', 'ids.txt'], 2, /ids cannot be read from .*ids\.txt/],
    [
      'an export that cannot be written',
      ['lab', '.', '--ctrf', '/no/such/x.json'],
      2,
      /cannot be written to/,
    ],
    ['no bounds to prune by', ['runs', 'prune'], 2, /Prune which runs/],
    ['a run that does not exist', ['show', 'fix-1'], 2, /There is no run fix-1/],
    ['no run at all', ['resume', 'latest'], 2, /There is no run latest/],
    ['no run to apply', ['apply', 'latest'], 2, /There is no run latest/],
  ])('%s', async (_, args, exitCode, message) => {
    const home = folder('home');
    const ended = await assay([...args, '--json'], { home });
    const error = expectUsage(ended, exitCode);
    expect(error.message).toMatch(message);
    expect(error.fix).toMatch(/\S/);
    expect(runsIn(home)).toEqual([]);
  });

  /** Like `expectError`, where commander may have said it in its own form. */
  function expectUsage(ended: Ended, exitCode: number): ErrorResult['error'] {
    if (!ended.stderr.startsWith('error: ')) return expectError(ended, exitCode);
    expect(ended.code).toBe(exitCode);
    expect(ended.stderr).toMatch(/^error: .*\n(\(Did you mean .*\n)?\(assay --help/);
    return errorResultSchema.parse(JSON.parse(ended.stdout)).error;
  }

  it('a recording that is malformed', async () => {
    const home = folder('home');
    writeFileSync(path.join(home, 'bad.json'), '{"schema": "assay-replay/1"');
    const ended = await assay(['fix', project(redProject), '--model', 'replay:bad.json', '--json'], { home });
    expect(expectError(ended, 1)).toMatchObject({
      code: 'input',
      message: expect.stringContaining('bad.json'),
    });
    expect(runsIn(home)).toEqual([]);
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', '{"schema": ', /JSON/],
    ['no files', '{"schema": "assay-job/1"}', /files: /],
    ['a word nobody knows', '{"schema": "assay-job/1", "files": {}, "colour": 1}', /colour/],
    ['a file outside', '{"schema": "assay-job/1", "files": {"../../x": "1"}}', /outside its own folder/],
  ])('a job with %s', async (_, input, because) => {
    const home = folder('home');
    const error = expectError(await assay(['lab', '-', '--json'], { home, input }), 1);
    expect(error).toMatchObject({ code: 'input', because: expect.stringMatching(because) });
  });
});

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
    expect(lab.stdout).toMatch(/next {2}let the tests talk to a server of their own on localhost/);
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

describe.concurrent('a disk that refuses', () => {
  /** Enough to fill a journal. */
  const manyFailing = `import unittest
from shop import tier


class Many(unittest.TestCase):
${Array.from({ length: 20 }, (_, n) => `    def test_${n}(self):\n        self.assertEqual(tier(100), 'small')\n`).join('\n')}`;

  /** Runs what follows with a folder on a file system of its own, in a mount namespace nobody else sees. */
  function mounting(mount: string): [string, ...string[]] {
    const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
    return ['unshare', ...asRoot, '--mount', 'sh', '-c', `${mount} && exec "$@"`, 'sh'];
  }

  it('is full before the run began', async () => {
    const home = folder('home');
    const tiny = mounting(`mount -t tmpfs -o size=4k,nr_inodes=4 none ${home}`);
    const ended = await assayThrough(tiny, ['fix', project(redProject), '--json'], { home });
    const error = expectError(ended, 7);
    expect(error).toMatchObject({ code: 'environment', because: expect.stringContaining('ENOSPC') });
    expect(error.fix).toMatch(/^Free space on the disk .* or set ASSAY_HOME/);
  });

  it('is full when the project is copied', async () => {
    const home = folder('home');
    const small = mounting(`mount -t tmpfs -o size=256k none ${home}`);
    const dir = project({ ...redProject, 'data.txt': 'x'.repeat(2 ** 20) });
    const result = expectCannotRun(await assayThrough(small, ['fix', dir, '--json'], { home }));
    expect(result.reason).toMatch(/ENOSPC/);
    expect(result.fix).toMatch(/disk space/);
  });

  it('is full in the middle: the journal ends in a whole line, and the run goes on when there is room', async () => {
    const home = folder('home');
    const dir = project({ ...redProject, 'tests/test_many.py': manyFailing });
    const args = ['fix', dir, '--model', replay([mending]), '--json'];
    // No file may grow beyond this: what a full disk does to the journal, for any user. The sandbox sets its own limit.
    const ended = await assayThrough(['prlimit', '--fsize=16000:unlimited'], args, { home });
    const error = expectError(ended, 7);
    expect(error.message).toMatch(/^Could not append to the journal in /);
    expect(ended.stderr).toMatch(/^ {2}then: assay resume fix-\S+$/m);
    expect(readFileSync(path.join(dir, 'shop.py'), 'utf8')).toBe(redProject['shop.py']);
    const resumed = await assay(['resume', 'latest', '--write', '--json'], { home });
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(readFileSync(path.join(dir, 'shop.py'), 'utf8')).toBe(mended);
  });

  it('is full where the lab works', async () => {
    const home = folder('home');
    const tmp = path.join(home, 'tmp');
    mkdirSync(tmp);
    const small = mounting(`mount -t tmpfs -o size=8k none ${tmp}`);
    const args = ['lab', project(redProject), '--json'];
    const ended = await assayThrough(small, args, { home, env: { TMPDIR: tmp } });
    expect(expectError(ended, 7)).toMatchObject({
      code: 'environment',
      fix: expect.stringContaining('TMPDIR'),
    });
  });

  it('is read-only: nothing is written to the project, and the run keeps the patch', async () => {
    const home = folder('home');
    const dir = project(redProject);
    const readOnly: [string, ...string[]] =
      process.getuid?.() === 0
        ? mounting(`mount --bind ${dir} ${dir} && mount -o remount,ro,bind ${dir}`)
        : ['sh', '-c', `chmod a-w ${dir} && "$@"; code=$?; chmod u+w ${dir}; exit $code`, 'sh'];
    const args = ['fix', dir, '--model', replay([mending]), '--write', '--json'];
    const ended = await assayThrough(readOnly, args, { home });
    expect(expectError(ended, 7).message).toMatch(/could not be written to .*; every file is as it was$/);
    expect(readFileSync(path.join(dir, 'shop.py'), 'utf8')).toBe(redProject['shop.py']);
    expect(readdirSync(dir).toSorted()).toEqual(['shop.py', 'tests']);
    const shown = await assay(['show', 'latest', '--patch'], { home });
    expect(shown.stdout).toContain('+    if total <= 100:');
  });

  it('holds an ASSAY_HOME that cannot be', async () => {
    const home = folder('home');
    writeFileSync(path.join(home, 'file'), '');
    const options = { home: path.join(home, 'file'), cwd: home };
    const ended = await assay(['fix', project(redProject), '--json'], options);
    expect(expectError(ended, 7).fix).toMatch(/ASSAY_HOME/);
  });
});
