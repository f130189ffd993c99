import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultSnapshotLimits, walk } from './walk.ts';

const made: string[] = [];
afterAll(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

function project(files: Record<string, string>): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'assay-walk-'));
  made.push(dir);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    writeFileSync(path.join(dir, file), text);
  }
  return dir;
}

const pathsOf = (dir: string) => walk(dir, defaultSnapshotLimits).entries.map((entry) => entry.path);

describe('walking a project', () => {
  it('follows nested ignore rules without a repository', () => {
    const dir = project({
      '.gitignore': '*.log\nbuild/\n!keep.log\n/only-top\n',
      'a.log': '',
      'keep.log': '',
      'build/x': '',
      'only-top': '',
      'pkg/only-top': '',
      'pkg/.gitignore': '*.tmp\n!a.log\n',
      'pkg/a.log': '',
      'pkg/b.tmp': '',
      'b.tmp': '',
    });
    expect(pathsOf(dir)).toEqual([
      '.gitignore',
      'b.tmp',
      'keep.log',
      'pkg/.gitignore',
      'pkg/a.log',
      'pkg/only-top',
    ]);
  });

  it('leaves out repositories and caches, and names environments', () => {
    const dir = project({
      'a.py': '',
      '.git/config': '',
      'sub/.git': 'gitdir: ../.git/modules/sub',
      '__pycache__/a.pyc': '',
      'pkg/.pytest_cache/x': '',
      'node_modules/x/index.js': '',
      'env/pyvenv.cfg': 'home = /usr/bin',
      'env/lib/x.py': '',
    });
    const { entries, environments } = walk(dir, defaultSnapshotLimits);
    expect(entries.map((entry) => entry.path)).toEqual(['a.py']);
    expect(environments.map(({ path: at }) => at).sort()).toEqual(['env', 'node_modules']);
  });

  it('keeps what git tracks in spite of a rule, and the rules of the repository around it', () => {
    const dir = project({
      '.gitignore': 'lib/\n*.dat\n',
      'app/lib/forced.py': '',
      'app/lib/other.py': '',
      'app/a.dat': '',
      'app/a.py': '',
    });
    execFileSync('git', ['init', '-q'], { cwd: dir });
    execFileSync('git', ['add', '-f', 'app/lib/forced.py'], { cwd: dir });
    expect(pathsOf(path.join(dir, 'app'))).toEqual(['a.py', 'lib/forced.py']);
  });

  it('uses its own rules alone where the repository around ignores it as a whole', () => {
    const dir = project({
      '.gitignore': 'out/\n',
      'out/p/a.py': '',
      'out/p/.gitignore': 'b.py\n',
      'out/p/b.py': '',
    });
    execFileSync('git', ['init', '-q'], { cwd: dir });
    expect(pathsOf(path.join(dir, 'out', 'p'))).toEqual(['.gitignore', 'a.py']);
  });

  it('keeps built files an import needs, marked as ignored', () => {
    const dir = project({
      '.gitignore': '*.so\n_version.py\n*.egg-info\nsecret.py\n',
      'pkg/fast.so': '',
      'pkg/_version.py': '',
      'pkg.egg-info/PKG-INFO': '',
      'secret.py': '',
    });
    const kept = walk(dir, defaultSnapshotLimits).entries.flatMap((entry) =>
      entry.kind === 'file' && entry.ignored ? [entry.path] : [],
    );
    expect(kept).toEqual(['pkg.egg-info/PKG-INFO', 'pkg/_version.py', 'pkg/fast.so']);
  });

  it('keeps links that stay inside and leaves out the others and special files, saying so', () => {
    const dir = project({ 'data/real.txt': 'x', '.git/secret': '' });
    symlinkSync('real.txt', path.join(dir, 'data', 'inside'));
    symlinkSync(path.join(dir, 'data'), path.join(dir, 'folder'));
    symlinkSync('/etc/passwd', path.join(dir, 'outside'));
    symlinkSync('../../..', path.join(dir, 'data', 'up'));
    symlinkSync('nowhere', path.join(dir, 'dangling'));
    symlinkSync('loop', path.join(dir, 'loop'));
    symlinkSync('.git/secret', path.join(dir, 'git-link'));
    execFileSync('mkfifo', [path.join(dir, 'pipe')]);
    const { entries, warnings } = walk(dir, defaultSnapshotLimits);
    expect(entries.filter((entry) => entry.kind === 'link')).toEqual([
      { kind: 'link', path: 'data/inside', target: 'real.txt' },
      { kind: 'link', path: 'folder', target: 'data' },
    ]);
    for (const left of ['outside', 'data/up', 'dangling', 'loop', 'git-link', 'pipe']) {
      expect(warnings.some((warning) => warning.includes(left))).toBe(true);
    }
  });

  it('leaves out what has a name that is not UTF-8, saying so', () => {
    const dir = project({ 'a.py': '' });
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/caf`), Buffer.from([0xe9]), Buffer.from('.txt')]), '');
    const { entries, warnings } = walk(dir, defaultSnapshotLimits);
    expect(entries.map((entry) => entry.path)).toEqual(['a.py']);
    expect(warnings).toEqual([expect.stringContaining('not UTF-8')]);
  });

  it('leaves out a huge file with a warning and refuses a huge project', () => {
    const dir = project({ 'a.py': '', 'huge.bin': '' });
    truncateSync(path.join(dir, 'huge.bin'), 65 * 1024 * 1024);
    const { entries, warnings } = walk(dir, defaultSnapshotLimits);
    expect(entries.map((entry) => entry.path)).toEqual(['a.py']);
    expect(warnings).toEqual(['huge.bin is larger than 64 MiB and is left out of the sandbox']);
    expect(() => walk(dir, { ...defaultSnapshotLimits, fileBytes: 1e9, totalBytes: 1e6 })).toThrow(
      'MiB of files',
    );
    expect(() => walk(dir, { ...defaultSnapshotLimits, files: 0 })).toThrow('more than 0 files');
  });
});
