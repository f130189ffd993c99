import { describe, expect, it } from 'vitest';
import { AssayError } from '../../core/index.ts';
import { fakeKernel } from '../fake-kernel.ts';
import type { FileStat, KernelFiles } from '../types.ts';
import { watchFiles } from './files.ts';

const GiB = 2 ** 30;

/** A folder that tells sizes without reading, and counts what is read. */
function folderOf(start: Record<string, { bytes: number; stamp: string; sha256: string }>) {
  let files = start;
  const hashed: string[] = [];
  const folder: KernelFiles = {
    list: async () => {
      throw new Error('nothing is listed where sizes can be told');
    },
    stat: async (): Promise<FileStat[]> =>
      Object.entries(files).map(([path, { bytes, stamp }]) => ({ path, bytes, stamp })),
    hash: async (path) => {
      hashed.push(path);
      return files[path]?.sha256 ?? null;
    },
    read: async () => null,
    write: async () => {},
  };
  return {
    folder,
    hashed,
    set(next: typeof start) {
      files = next;
      hashed.length = 0;
    },
  };
}

describe('watchFiles', () => {
  it('compares listings where the kernel tells no sizes', async () => {
    const kernel = fakeKernel({
      replies: [{ files: { 'a/new.csv': 'x', same: 'two', gone: null } }],
      files: { same: 'one', gone: '1', kept: '1' },
    });
    const watch = await watchFiles(kernel.files);
    await kernel.execute('1');
    const { created, changed, deleted, warnings } = await watch.changes();
    expect([created, changed, deleted].map((files) => files.map(({ path }) => path))).toEqual([
      ['a/new.csv'],
      ['same'],
      ['gone'],
    ]);
    expect(changed[0]?.before).toHaveLength(64);
    expect(warnings).toEqual([]);
    expect(watch.current.map(({ path }) => path)).toEqual(['a/new.csv', 'kept', 'same']);
    expect(await watch.changes()).toEqual({ created: [], changed: [], deleted: [], warnings: [] });
  });

  it('reads only what was written to, among 10,000 files', async () => {
    const start = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`f${at}`, { bytes: 1, stamp: '1', sha256: `${at}` }]),
    );
    const { folder, hashed, set } = folderOf(start);
    const watch = await watchFiles(folder);
    expect(hashed).toHaveLength(10_000);
    set({
      ...start,
      f7: { bytes: 1, stamp: '2', sha256: 'other' },
      f8: { bytes: 1, stamp: '2', sha256: '8' },
    });
    const { changed, created, deleted } = await watch.changes();
    expect(hashed).toEqual(['f7', 'f8']);
    expect(changed).toEqual([{ path: 'f7', bytes: 1, sha256: 'other', before: '7' }]);
    expect([created, deleted]).toEqual([[], []]);
  });

  it('does not read what is too large, and says so once', async () => {
    const huge = (stamp: string) => ({ 'raw.bin': { bytes: 5 * GiB, stamp, sha256: 'never asked' } });
    const { folder, hashed, set } = folderOf(huge('1'));
    const watch = await watchFiles(folder);
    expect(watch.warnings).toEqual([
      'raw.bin has 5.0 GiB, too much to be hashed: whether it changes is told by its size and its times alone.',
    ]);
    set(huge('2'));
    expect(await watch.changes()).toEqual({
      created: [],
      changed: [{ path: 'raw.bin', bytes: 5 * GiB, sha256: '', before: '' }],
      deleted: [],
      warnings: [],
    });
    expect(hashed).toEqual([]);
  });

  it('names only so many files of a kind', async () => {
    const { folder, set } = folderOf({});
    const watch = await watchFiles(folder, { maxNamed: 2 });
    set(Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { bytes: 1, stamp: '1', sha256: name }])));
    const { created, warnings } = await watch.changes();
    expect(created.map(({ path }) => path)).toEqual(['a', 'b']);
    expect(warnings).toEqual(['created: 3 files, of which 2 are named.']);
    expect(watch.current).toHaveLength(3);
  });

  it('warns where the code has made a folder that cannot be listed', async () => {
    const { folder } = folderOf({});
    const watch = await watchFiles({ ...folder, list: folder.list, stat: once(folder) });
    const { created, warnings } = await watch.changes();
    expect(created).toEqual([]);
    expect(warnings).toEqual(['The files could not be looked at: too many files']);
  });
});

/** Tells sizes the first time only. */
function once({ stat }: KernelFiles): () => Promise<FileStat[]> {
  let asked = 0;
  return async () => {
    if (asked++ > 0) throw new AssayError({ code: 'input', message: 'too many files', fix: 'Remove some' });
    return (await stat?.()) ?? [];
  };
}
