import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseGitIndex, trackedFiles } from './git-index.ts';

const made: string[] = [];
afterAll(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

const names = ['a.py', 'deep/er/b.py', 'deep/er/ba.py', 'deep/x', 'ünï.txt', 'seven77', 'eight888'];

function repository(version: number): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'assay-index-'));
  made.push(dir);
  for (const name of names) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), name);
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, stdio: 'pipe' });
  git('init', '-q');
  git('config', 'index.version', String(version));
  git('add', '-A');
  git('update-index', `--index-version=${version}`);
  return dir;
}

describe('the paths git tracks', () => {
  it.each([2, 3, 4])('are read from an index of version %i as git lists them', (version) => {
    const dir = repository(version);
    expect([...(trackedFiles(dir) ?? [])].sort()).toEqual([...names].sort());
  });

  it('are relative to the project where it is a sub-folder of the repository', () => {
    const dir = repository(2);
    expect([...(trackedFiles(path.join(dir, 'deep')) ?? [])].sort()).toEqual(['er/b.py', 'er/ba.py', 'x']);
  });

  it('follow the file that stands for .git in a second work tree', () => {
    const dir = repository(2);
    const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, stdio: 'pipe' });
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x');
    const second = path.join(dir, '..', `${path.basename(dir)}-second`);
    made.push(second);
    git('worktree', 'add', '-q', second);
    expect([...(trackedFiles(second) ?? [])].sort()).toEqual([...names].sort());
  });

  it('are unknown without a repository, and from bytes that are no index', () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'assay-index-'));
    made.push(dir);
    expect(trackedFiles(dir)).toBeNull();
    expect(() => parseGitIndex(Buffer.from('no index at all'))).toThrow('not an index');
    mkdirSync(path.join(dir, '.git'));
    writeFileSync(path.join(dir, '.git', 'index'), 'DIRC\0\0\0\x09');
    expect(trackedFiles(dir)).toBeNull();
  });
});
