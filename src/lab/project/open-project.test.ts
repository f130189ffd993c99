import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AssayError } from '../../core/index.ts';
import { commands, labFixture } from '../lab.fixture.ts';

const { write, open, folder } = labFixture();

async function refusal(promise: Promise<unknown>): Promise<AssayError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!AssayError.is(error)) throw new Error(`no refusal but ${error}`);
  return error;
}

const plain = { 'a.py': 'x = 1\n', 'test_a.py': 'def test_a(): pass\n' };

describe('opening a project', () => {
  it('keeps the bytes as they were at the start', async () => {
    const dir = write({ ...plain, 'data.bin': 'caf\u00e9' });
    fs.chmodSync(path.join(dir, 'a.py'), 0o755);
    const project = await open(dir, { testCommand: commands.pytest });
    fs.writeFileSync(path.join(dir, 'a.py'), 'x = 2\n');
    expect(project.files).toEqual(['a.py', 'data.bin', 'test_a.py']);
    expect(Buffer.from(project.read('a.py')).toString()).toBe('x = 1\n');
    expect([project.mode('a.py'), project.mode('data.bin')]).toEqual([0o755, 0o644]);
    expect(project.hashes.get('a.py')).toMatch(/^[0-9a-f]{64}$/);
    expect(() => project.read('nothing.py')).toThrow(RangeError);
    expect(project.protectedBecause('test_a.py')).toBe('a test');
    expect(project.protectedBecause('a.py')).toBeNull();
    // Whether it is there or not: a patch may not give assay other limits.
    for (const file of ['assay.config.json', 'assay.config.ts', 'packages/a/assay.config.ts'])
      expect(project.protectedBecause(file)).toBe('the configuration of assay');
  });

  it('hides held-out tests, links and built files from a proposer', async () => {
    const dir = write({ ...plain, 'test_held.py': '', '.gitignore': '*.so\n', 'fast.so': '' });
    fs.symlinkSync('a.py', path.join(dir, 'b.py'));
    const project = await open(dir, {
      testCommand: commands.pytest,
      holdout: ['test_held*'],
      protect: ['a.*'],
    });
    expect(project.files).toEqual(['.gitignore', 'a.py', 'test_a.py']);
    expect(project.heldOut).toEqual(['test_held.py']);
    expect(() => project.read('test_held.py')).toThrow(RangeError);
    expect(project.protectedBecause('test_held.py')).toBe('a test');
    expect(project.protectedBecause('a.py')).toBe('protected by --protect');
    expect(project.protectedBecause('b.py')).toContain('a link');
    expect(project.hashes.has('test_held.py')).toBe(true);
  });

  it('writes nothing into the user s folder', async () => {
    const dir = write(plain);
    const before = fs.readdirSync(dir);
    await open(dir, { testCommand: commands.pytest });
    expect(fs.readdirSync(dir)).toEqual(before);
  });

  it('takes what is unreadable or too large as left out, with a warning', async () => {
    const dir = write({ ...plain, 'huge.csv': '' });
    fs.truncateSync(path.join(dir, 'huge.csv'), 70 * 1024 * 1024);
    const project = await open(dir, { testCommand: commands.pytest });
    expect(project.files).not.toContain('huge.csv');
    expect(project.warnings).toEqual(['huge.csv is larger than 64 MiB and is left out of the sandbox']);
  });
});

describe('choosing the framework', () => {
  it('goes by the evidence', async () => {
    const cases = 'import unittest\nclass A(unittest.TestCase):\n  def test_a(self): pass\n';
    expect((await open(write(plain))).framework).toBe('pytest');
    expect((await open(write({ 'test_a.py': cases }))).framework).toBe('unittest');
    expect((await open(write({ 'test_a.py': cases, 'conftest.py': '' }))).framework).toBe('pytest');
    expect((await open(write(plain), { framework: 'unittest' })).framework).toBe('unittest');
    expect((await open(write(plain), { testCommand: commands.unittest })).framework).toBe('unittest');
  });

  const nodeTests = { 'b.test.js': `import test from 'node:test';\ntest('b', () => {});\n` };

  it('says which of several suites was taken, and how to choose another', async () => {
    const both = write({ ...plain, 'conftest.py': '', ...nodeTests });
    const project = await open(both);
    expect(project.framework).toBe('pytest');
    expect(project.warnings).toEqual([
      'tests of node-test are here too (b.test.js imports node:test) and are not run: pytest was taken (conftest.py exists); choose with --framework node-test',
    ]);
    expect((await open(both, { framework: 'node-test' })).warnings).toEqual([]);
    const cases = 'import unittest\nclass A(unittest.TestCase):\n  def test_a(self): pass\n';
    // pytest runs them as well.
    expect((await open(write({ 'test_a.py': cases, 'conftest.py': '' }))).warnings).toEqual([]);
    const other = await open(write({ 'test_a.py': cases, ...nodeTests }));
    expect([other.framework, other.warnings.length]).toEqual(['unittest', 1]);
    const vitest = { 'package.json': JSON.stringify({ devDependencies: { vitest: '3' } }) };
    expect((await open(write({ ...plain, ...vitest }))).warnings).toEqual([
      'tests of Vitest are not run, which assay does not support yet (package.json names it)',
    ]);
  });

  it.each([
    [{ testCommand: ['no-such-program-anywhere', 'test'] }, 'environment', 'no-such-program-anywhere'],
    [{ testCommand: ['/no/such/python', '-m', 'pytest'] }, 'environment', '/no/such/python'],
    [{ testCommand: ['ls', '-l'] }, 'usage', '"ls -l"'],
    [{ testCommand: [] }, 'usage', 'empty'],
    [{ testCommand: ['pytest'], framework: 'unittest' as const }, 'usage', 'unittest'],
    [{ framework: 'nose' as 'pytest' }, 'usage', 'nose'],
  ])('refuses %j with one sentence and a fix', async (options, code, mentions) => {
    const error = await refusal(open(write(plain), options));
    expect(error.code).toBe(code);
    expect(error.message).toContain(mentions);
    expect(error.fix).not.toBe('');
  });
});

describe('what is no project', () => {
  it('is refused', async () => {
    const file = path.join(write(plain), 'a.py');
    for (const [dir, code, mentions] of [
      ['/no/such/folder', 'usage', 'There is no folder /no/such/folder'],
      [file, 'usage', 'is not a folder'],
      [folder('nothing'), 'environment', 'No tests were found'],
      [write({ 'main.py': 'x = 1' }), 'environment', 'No tests were found'],
      ['/usr', 'environment', 'cannot be run in the folder /usr'],
    ] as const) {
      const error = await refusal(open(dir));
      expect([error.code, error.message]).toEqual([code, expect.stringContaining(mentions)]);
    }
  });
});
