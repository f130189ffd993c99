import * as fs from 'node:fs';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { commands, labFixture } from '../lab.fixture.ts';
import { packProject } from './open-project.ts';
import { openedOf } from './opened.ts';

const { write, open } = labFixture();

const plain = { 'a.py': 'x = 1\n', 'test_a.py': 'def test_a(): pass\n' };
const options = { testCommand: commands.pytest };

describe('a packed project', () => {
  it('opens as it was when it was packed, its folder being gone', async () => {
    const dir = write({
      ...plain,
      'tests/data/h\u00e9 llo.bin': 'a\u0000\u00ff',
      'test_held.py': 'held out\n',
      '.gitignore': '*.so\n',
      'fast.so': 'built',
      'empty.txt': '',
    });
    fs.mkdirSync(path.join(dir, 'empty/folder'), { recursive: true });
    fs.chmodSync(path.join(dir, 'a.py'), 0o755);
    fs.symlinkSync('a.py', path.join(dir, 'b.py'));
    fs.symlinkSync('test_a.py', path.join(dir, 'test_link.py'));
    const all = { ...options, holdout: ['test_held*'] };
    const before = await open(dir, all);
    const packed = await packProject(before);
    fs.rmSync(dir, { recursive: true });
    const after = await open(dir, { ...all, packed });
    expect(after.files).toEqual(before.files);
    expect(after.heldOut).toEqual(before.heldOut);
    expect(after.hashes).toEqual(before.hashes);
    for (const file of before.files) {
      expect(after.read(file)).toEqual(before.read(file));
      expect(after.mode(file)).toBe(before.mode(file));
      expect(after.protectedBecause(file)).toBe(before.protectedBecause(file));
    }
    const [one, other] = [openedOf(before).base, openedOf(after).base];
    for (const key of ['openFiles', 'sealedFiles', 'links', 'folders', 'modes', 'totalBytes'] as const)
      expect(other[key]).toEqual(one[key]);
    expect(fs.readlinkSync(path.join(other.openDir, 'b.py'))).toBe('a.py');
    expect(after.dir).toBe(dir);
    // The same again, so that a run can be cut as often as it likes.
    expect(await packProject(after)).toEqual(packed);
  });

  it('reads nothing of what is in the folder now', async () => {
    const dir = write(plain);
    const packed = await packProject(await open(dir, options));
    fs.writeFileSync(path.join(dir, 'a.py'), 'x = 2\n');
    fs.writeFileSync(path.join(dir, 'new.py'), '');
    const again = await open(dir, { ...options, packed });
    expect(again.files).toEqual(['a.py', 'test_a.py']);
    expect(Buffer.from(again.read('a.py')).toString()).toBe('x = 1\n');
  });

  it('says which environment is gone', async () => {
    const dir = write(plain);
    fs.mkdirSync(path.join(dir, 'node_modules/x'), { recursive: true });
    const packed = await packProject(await open(dir, options));
    await open(dir, { ...options, packed });
    fs.rmSync(path.join(dir, 'node_modules'), { recursive: true });
    await expect(open(dir, { ...options, packed })).rejects.toMatchObject({
      code: 'environment',
      message: "The project's environment node_modules is gone",
      fix: expect.stringContaining(path.join(dir, 'node_modules')),
    });
  });

  it.each([
    ['no compressed data', Buffer.from('no')],
    ['no list', zstdCompressSync(Buffer.from('no\n'))],
    ['no line', zstdCompressSync(Buffer.from('{}'))],
    ['a path that leads out', listed({ path: '../a', bytes: 0 })],
    ['an absolute path', listed({ path: '/tmp/a', bytes: 0 })],
    ['fewer bytes than it lists', listed({ path: 'a', bytes: 9 })],
  ])('is refused where it is %s', async (_, packed) => {
    const dir = write(plain);
    await expect(open(dir, { ...options, packed })).rejects.toMatchObject({ code: 'input' });
  });
});

function listed(file: { path: string; bytes: number }): Buffer {
  const entries = [{ kind: 'file', mode: 0o644, ignored: false, ...file }];
  const list = {
    schema: 'assay-snapshot/1',
    dir: '/p',
    entries,
    folders: [],
    environments: [],
    warnings: [],
  };
  return zstdCompressSync(Buffer.from(`${JSON.stringify(list)}\n`));
}
