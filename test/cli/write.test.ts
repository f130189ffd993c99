import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { errorResultSchema, repairResultSchema } from '../../src/core/index.ts';
import { assay, command, type Ended, start, until } from './process.ts';
import { folder, mended, mending, newMark, project, redProject, replay, shop, slowTest } from './project.ts';

const errorOf = ({ stdout }: Ended) => errorResultSchema.parse(JSON.parse(stdout));
const read = (dir: string, file = 'shop.py') => readFileSync(path.join(dir, file), 'utf8');

describe.concurrent('a patch', () => {
  const files = {
    ...redProject,
    'shop.py': `${shop}\n\ndef total(prices):\n    return sum(prices) + 1\n`,
    'tests/test_total.py':
      'import unittest\nfrom shop import total\n\n\nclass Total(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n',
  };

  it('written by --write keeps line endings and mode, writes nothing else, and says how to take it back', async () => {
    const home = folder('home');
    const crlf = (text: string) => text.replaceAll('\n', '\r\n');
    const dir = project({ ...redProject, 'shop.py': crlf(shop) });
    chmodSync(path.join(dir, 'shop.py'), 0o750);
    const { code, stdout, stderr } = await assay(['fix', dir, '--model', replay([mending]), '--write'], {
      home,
    });
    expect(code, stderr).toBe(0);
    expect(read(dir)).toBe(crlf(mended));
    expect(statSync(path.join(dir, 'shop.py')).mode & 0o777).toBe(0o750);
    expect(readdirSync(dir).toSorted()).toEqual(['shop.py', 'tests']);
    expect(readdirSync(path.join(dir, 'tests')).toSorted()).toEqual(['__init__.py', 'test_shop.py']);
    const undo = /assay (apply \S+ --undo) takes it out again/.exec(stdout)?.[1]?.split(' ') ?? [];
    expect((await assay(undo, { home })).code).toBe(0);
    expect(read(dir)).toBe(crlf(shop));
    expect(statSync(path.join(dir, 'shop.py')).mode & 0o777).toBe(0o750);
    const again = await assay([...undo, '--json'], { home });
    expect(JSON.parse(again.stdout)).toMatchObject({ files: ['shop.py'], already: true });
  });

  it('beside a secret is written by --write, and where it is kept without the secret that is said', async () => {
    const home = folder('home');
    const token = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ2kL5'}`;
    const secret = `TOKEN = '${token}'\n\n${shop}`;
    const dir = project({ ...redProject, 'shop.py': secret });
    const args = ['fix', dir, '--model', replay([mending])];
    const kept = await assay(args, { home });
    expect(kept.code, kept.stderr).toBe(0);
    expect(kept.stdout).toContain('[scrubbed:github-token]');
    expect(kept.stdout).toMatch(/^next .*assay apply cannot write it.*--write.*by hand/m);
    const refused = await assay(['apply', 'latest', '--json'], { home });
    expect(refused.code).toBe(1);
    expect(errorOf(refused).error).toMatchObject({
      because: expect.stringContaining('secret'),
      fix: expect.stringContaining('--write'),
    });
    expect(read(dir)).toBe(secret);
    const written = await assay([...args, '--write'], { home });
    expect(written.code, written.stderr).toBe(0);
    expect(read(dir)).toBe(secret.replace('total < 100', 'total <= 100'));
    expect(written.stdout).toContain('only you can take it out again');
    const folders = readdirSync(home, { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    );
    expect(folders.length).toBeGreaterThan(2);
    for (const { parentPath, name } of folders)
      expect(readFileSync(path.join(parentPath, name), 'latin1')).not.toContain(token);
  });

  it('is not written where a file changed during the run, which keeps it', async () => {
    const [home, mark] = [folder('home'), newMark()];
    const dir = project({ ...redProject, 'tests/test_slow.py': slowTest(mark, 0.7) });
    const running = start(['fix', dir, '--model', replay([mending]), '--write', '--json'], { home });
    await until('the patch passes once', () => running.stderr().includes('round 1: tests: 3 of 3 pass'));
    const edited = `${shop}# edited meanwhile\n`;
    writeFileSync(path.join(dir, 'shop.py'), edited);
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(1);
    const { run, error } = errorOf(ended);
    expect(error).toMatchObject({ code: 'changed', message: expect.stringContaining('shop.py') });
    expect(ended.stderr).toContain('nothing was written');
    expect(read(dir)).toBe(edited);
    expect(readdirSync(dir).toSorted()).toEqual(['shop.py', 'tests']);
    const shown = await assay(['show', run ?? '', '--json'], { home });
    expect(repairResultSchema.parse(JSON.parse(shown.stdout))).toMatchObject({
      status: 'done',
      patch: expect.stringContaining('+    if total <= 100:'),
    });
    // Back as it was, the patch can be had after all.
    writeFileSync(path.join(dir, 'shop.py'), shop);
    expect((await assay(['apply', run ?? ''], { home })).code).toBe(0);
    expect(read(dir)).toBe(mended);
  });

  it('of a run that is not done is written by apply --force only', async () => {
    const home = folder('home');
    const dir = project(files);
    const fix = await assay(['fix', dir, '--model', replay([mending]), '--write', '--json'], { home });
    expect(fix.code, fix.stderr).toBe(3);
    const result = repairResultSchema.parse(JSON.parse(fix.stdout));
    expect(result).toMatchObject({ status: 'stuck', bestEffort: true, tests: { passed: 2, failed: 1 } });
    expect(read(dir)).toBe(files['shop.py']);
    const refused = await assay(['apply', 'latest', '--json'], { home });
    expect(refused.code).toBe(2);
    expect(errorOf(refused).error.fix).toContain('--force');
    expect(read(dir)).toBe(files['shop.py']);
    expect((await assay(['apply', 'latest', '--force'], { home })).code).toBe(0);
    expect(read(dir)).toContain('total <= 100');
  });

  it('is nothing where the tests were green', async () => {
    const home = folder('home');
    const dir = project({ ...redProject, 'shop.py': mended });
    const fix = await assay(['fix', dir, '--json'], { home });
    expect(fix.code, fix.stderr).toBe(0);
    expect(repairResultSchema.parse(JSON.parse(fix.stdout)).status).toBe('already_green');
    const refused = await assay(['apply', 'latest', '--json'], { home });
    expect(refused.code).toBe(2);
    expect(errorOf(refused).error.message).toMatch(/has no patch/);
  });
});

describe('apply', () => {
  let home: string;
  let dir: string;
  let run: string;

  beforeAll(async () => {
    home = folder('home');
    dir = project(redProject);
    const fixed = await assay(['fix', dir, '--model', replay([mending]), '--json'], { home });
    expect(fixed.code, fixed.stderr).toBe(0);
    ({ run } = repairResultSchema.parse(JSON.parse(fixed.stdout)));
  });

  it('follows a run that left the files alone, in a form that git takes too', async () => {
    expect(read(dir)).toBe(shop);
    const copy = folder('copy');
    cpSync(dir, copy, { recursive: true });
    const { stdout } = await assay(['show', run, '--patch'], { home });
    expect(await command(['git', 'apply', '-'], { cwd: copy, input: stdout })).toMatchObject({ code: 0 });
    expect(read(copy)).toBe(mended);
  });

  it('writes once, and a second time says that it is there', async () => {
    const first = await assay(['apply', run], { home });
    expect(first).toMatchObject({ code: 0, stdout: 'shop.py\n', stderr: `1 file written in ${dir}\n` });
    expect(read(dir)).toBe(mended);
    const { ino, mtimeMs } = statSync(path.join(dir, 'shop.py'));
    const second = await assay(['apply', run, '--json'], { home });
    expect(second.code, second.stderr).toBe(0);
    expect(JSON.parse(second.stdout)).toEqual({
      schema: 'assay-apply/1',
      run,
      dir,
      files: ['shop.py'],
      already: true,
    });
    expect(statSync(path.join(dir, 'shop.py'))).toMatchObject({ ino, mtimeMs });
  });

  it('is refused where the file is neither as it was nor as it should be, or gone', async () => {
    const edited = mended.replace('large', 'big');
    writeFileSync(path.join(dir, 'shop.py'), edited);
    const changed = await assay(['apply', run, '--json'], { home });
    expect(changed.code).toBe(1);
    expect(errorOf(changed)).toMatchObject({ run, error: { code: 'changed' } });
    const undo = await assay(['apply', run, '--undo', '--json'], { home });
    expect(undo.code).toBe(1);
    expect(errorOf(undo).error).toMatchObject({
      message: `shop.py in ${dir} is not as the patch left it; nothing was written`,
      fix: expect.stringContaining('git apply -R'),
    });
    expect(read(dir)).toBe(edited);
    rmSync(dir, { recursive: true });
    const gone = await assay(['apply', run, '--json'], { home });
    expect(gone.code).toBe(1);
    expect(errorOf(gone).error).toMatchObject({ code: 'changed', message: `The folder ${dir} is gone` });
  });

  it('is refused where the run folder is damaged', async () => {
    const store = path.join(home, 'runs', run);
    writeFileSync(path.join(store, 'files.json'), '{"dir": ');
    const ended = await assay(['apply', run, '--json'], { home });
    expect(ended.code).toBe(1);
    expect(errorOf(ended).error).toMatchObject({
      code: 'input',
      because: expect.stringContaining('files.json'),
    });
  });
});
