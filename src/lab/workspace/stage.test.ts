import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AssayError } from '../../core/index.ts';
import { brokenSeals, seal } from '../snapshot/seal.ts';
import { type Snapshot, takeSnapshot } from '../snapshot/take-snapshot.ts';
import { defaultSnapshotLimits, walk } from '../snapshot/walk.ts';
import { stage } from './stage.ts';

const made: string[] = [];
afterAll(() => {
  for (const dir of made) fs.rmSync(dir, { recursive: true, force: true });
});

function folder(): string {
  const dir = fs.mkdtempSync(path.join(tmpdir(), 'assay-stage-'));
  made.push(dir);
  return dir;
}

function snapshotOf(files: Record<string, string>, links: Record<string, string> = {}): Snapshot {
  const dir = folder();
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    fs.writeFileSync(path.join(dir, file), text, { mode: file.endsWith('.sh') ? 0o700 : 0o600 });
  }
  for (const [at, target] of Object.entries(links)) fs.symlinkSync(target, path.join(dir, at));
  return takeSnapshot({
    into: folder(),
    ...walk(dir, defaultSnapshotLimits),
    isSealed: (file) => file.includes('test'),
    locate: (file) => path.join(dir, file),
  });
}

function treeOf(dir: string, at = ''): Record<string, string> {
  const entries = fs.readdirSync(path.join(dir, at), { withFileTypes: true });
  return Object.assign(
    {},
    ...entries.map((entry) => {
      const file = path.join(at, entry.name);
      if (entry.isDirectory()) return treeOf(dir, file);
      const full = path.join(dir, file);
      return {
        [file]: entry.isSymbolicLink() ? `-> ${fs.readlinkSync(full)}` : fs.readFileSync(full, 'utf8'),
      };
    }),
  );
}

const change = (file: string, after: string | null) => ({
  path: file,
  before: null,
  after: after === null ? null : Buffer.from(after),
  mode: 0o644,
});

describe('a snapshot', () => {
  it('keeps open and sealed files apart, with hashes and modes, readable by another user', () => {
    const snapshot = snapshotOf({ 'a.py': 'a', 'run.sh': 's', 'tests/test_a.py': 't' });
    expect([snapshot.openFiles, snapshot.sealedFiles]).toEqual([['a.py', 'run.sh'], ['tests/test_a.py']]);
    expect(treeOf(snapshot.openDir)).toEqual({ 'a.py': 'a', 'run.sh': 's' });
    expect(snapshot.hashes.get('a.py')).toBe(
      'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb',
    );
    expect([snapshot.modes.get('run.sh'), snapshot.modes.get('a.py')]).toEqual([0o700, 0o600]);
    const modes = ['run.sh', 'a.py'].map(
      (file) => fs.statSync(path.join(snapshot.openDir, file)).mode & 0o777,
    );
    expect(modes).toEqual([0o755, 0o644]);
    expect(snapshot.totalBytes).toBe(3);
  });

  it('puts what a sealed link leads to in its place', () => {
    const snapshot = snapshotOf(
      { 'shared/cases.json': '[]', 'shared/deep/x.txt': 'x' },
      { tests: 'shared', 'test_data.json': 'shared/cases.json', alias: 'shared' },
    );
    expect(snapshot.sealedFiles).toEqual(['test_data.json', 'tests/cases.json', 'tests/deep/x.txt']);
    expect(treeOf(snapshot.sealedDir)).toEqual({
      'test_data.json': '[]',
      'tests/cases.json': '[]',
      'tests/deep/x.txt': 'x',
    });
    expect(snapshot.links).toEqual(['alias']);
    expect(treeOf(snapshot.openDir).alias).toBe('-> shared');
  });

  it('says where it cannot be written', () => {
    const blocked = path.join(folder(), 'file');
    fs.writeFileSync(blocked, '');
    const take = () =>
      takeSnapshot({
        into: blocked,
        entries: [],
        folders: [],
        isSealed: () => false,
        locate: (file) => file,
      });
    expect(take).toThrow(AssayError);
  });
});

describe('seals', () => {
  it('break when the bytes change, and not when a file is only touched', () => {
    const snapshot = snapshotOf({
      'test_a.py': 'one',
      'test_b.py': 'two',
      'test_c.py': 'six',
      'test_d.py': 'ten',
    });
    const before = seal(snapshot, snapshot.sealedFiles);
    expect(brokenSeals(snapshot, before)).toEqual([]);
    const at = (file: string) => path.join(snapshot.sealedDir, file);
    const { atime, mtime } = fs.statSync(at('test_a.py'));
    fs.writeFileSync(at('test_a.py'), 'eno');
    // Setting the times back does not set the change time back.
    fs.utimesSync(at('test_a.py'), atime, mtime);
    fs.utimesSync(at('test_b.py'), 0, 0);
    fs.rmSync(at('test_c.py'));
    expect(brokenSeals(snapshot, before)).toEqual(['test_a.py', 'test_c.py']);
  });
});

describe('the folder a workspace is filled from', () => {
  it('has the empty folders of the project, patched or not', () => {
    const dir = folder();
    fs.mkdirSync(path.join(dir, 'out', 'deep'), { recursive: true });
    fs.writeFileSync(path.join(dir, 'a.py'), 'a');
    const walked = walk(dir, defaultSnapshotLimits);
    const locate = (file: string) => path.join(dir, file);
    const snapshot = takeSnapshot({ ...walked, into: folder(), isSealed: () => false, locate });
    for (const changes of [[], [change('a.py', 'b')]]) {
      const filled = stage({ snapshot, changes, byteCode: [], sealed: [], into: path.join(folder(), 'x') });
      expect(fs.existsSync(path.join(filled, 'out', 'deep'))).toBe(true);
    }
  });

  const files = { 'a.py': 'a', 'pkg/b.py': 'b', 'pkg/c.py': 'c' };

  it('is the snapshot itself without changes', () => {
    const snapshot = snapshotOf(files);
    expect(stage({ snapshot, changes: [], byteCode: [], sealed: [], into: path.join(folder(), 'x') })).toBe(
      snapshot.openDir,
    );
  });

  it('has sealed files as plain ones where they are asked for', () => {
    const snapshot = snapshotOf({ ...files, 'tests/test_a.py': 't', 'tests/test_b.py': 'u' });
    const into = path.join(folder(), 'x');
    stage({ snapshot, changes: [], byteCode: [], sealed: ['tests/test_a.py'], into });
    expect(treeOf(into)).toEqual({ ...files, 'tests/test_a.py': 't' });
  });

  it('has changed, new and deleted files, and leaves the snapshot alone', () => {
    const snapshot = snapshotOf(files, { link: 'pkg' });
    const into = path.join(folder(), 'x');
    const changes = [change('pkg/b.py', 'B'), change('new/deep/d.py', 'd'), change('a.py', null)];
    expect(stage({ snapshot, changes, byteCode: [], sealed: [], into })).toBe(into);
    expect(treeOf(into)).toEqual({ 'pkg/b.py': 'B', 'pkg/c.py': 'c', 'new/deep/d.py': 'd', link: '-> pkg' });
    expect(treeOf(snapshot.openDir)).toEqual({ ...files, link: '-> pkg' });
  });
});
