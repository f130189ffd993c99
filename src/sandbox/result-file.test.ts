import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readResultFile } from './result-file.ts';
import { resultPathProblem } from './result-path.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-result-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const read = (path: string, maxBytes = 1000) => readResultFile({ root, path, maxBytes });

describe('readResultFile', () => {
  it('reads a file, also in a folder, also an empty one', () => {
    mkdirSync(join(root, 'a/b'), { recursive: true });
    writeFileSync(join(root, 'a/b/c.txt'), 'hello');
    writeFileSync(join(root, 'empty'), '');
    expect(read('a/b/c.txt')).toEqual({ kind: 'file', bytes: Buffer.from('hello') });
    expect(read('empty')).toEqual({ kind: 'file', bytes: Buffer.alloc(0) });
  });

  it('says what is missing', () => {
    expect(read('nothing')).toEqual({ kind: 'missing' });
    expect(read('no/thing')).toEqual({ kind: 'missing' });
  });

  it('follows no link, neither at the end nor on the way, not even inside the folder', () => {
    mkdirSync(join(root, 'real'));
    writeFileSync(join(root, 'real/file'), 'x');
    symlinkSync('/etc/passwd', join(root, 'passwd'));
    symlinkSync('/etc', join(root, 'etc'));
    symlinkSync('real', join(root, 'alias'));
    expect(read('passwd', 1_000_000)).toEqual({ kind: 'refused', reason: 'it is a symbolic link' });
    expect(read('etc/passwd', 1_000_000)).toEqual({ kind: 'refused', reason: 'etc is a symbolic link' });
    expect(read('alias/file')).toEqual({ kind: 'refused', reason: 'alias is a symbolic link' });
  });

  it('does not wait for a FIFO', () => {
    execFileSync('mkfifo', [join(root, 'fifo')]);
    expect(read('fifo')).toEqual({ kind: 'refused', reason: 'it is a FIFO' });
  });

  it('reads no folder and no socket', async () => {
    mkdirSync(join(root, 'folder'));
    const server = createServer().listen(join(root, 'socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    expect(read('folder')).toEqual({ kind: 'refused', reason: 'it is a folder' });
    expect(read('socket')).toEqual({ kind: 'refused', reason: 'it is a socket' });
    await new Promise((resolve) => server.close(resolve));
  });

  it('reads no device', () => {
    expect(readResultFile({ root: '/dev', path: 'zero', maxBytes: 10 })).toEqual({
      kind: 'refused',
      reason: 'it is a device',
    });
  });

  it('reads nothing larger than allowed, not a byte and not a terabyte', () => {
    writeFileSync(join(root, 'eleven'), 'x'.repeat(11));
    writeFileSync(join(root, 'sparse'), '');
    truncateSync(join(root, 'sparse'), 2 ** 40);
    expect(read('eleven', 10)).toEqual({ kind: 'refused', reason: 'it is larger than 10 bytes' });
    expect(read('eleven', 11)).toMatchObject({ kind: 'file' });
    expect(read('sparse')).toMatchObject({ kind: 'refused' });
  });

  it('uses no path that leads or looks elsewhere', () => {
    expect(read('../x')).toMatchObject({ kind: 'refused', reason: expect.stringContaining('plain form') });
    expect(read('/etc/passwd')).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('absolute'),
    });
  });
});

describe('resultPathProblem', () => {
  it.each(['a', 'a/b.txt', 'päth/漢字.png', 'with space', `${'x'.repeat(255)}`])('takes %j', (path) => {
    expect(resultPathProblem(path)).toBeNull();
  });

  it.each([
    '',
    '/a',
    'a/../b',
    './a',
    'a//b',
    'a/',
    'new\nline',
    'nul\0',
    'esc\x1b[31m',
    'back\\slash',
    'rtl\u202e',
    'cut\ufffd',
    'half\ud800',
    'x'.repeat(256),
    'y/'.repeat(40).concat('z'),
    'w'.repeat(4096),
  ])('refuses %j', (path) => {
    expect(resultPathProblem(path)).not.toBeNull();
  });
});
