import { describe, expect, it } from 'vitest';
import type { Opened } from '../project/opened.ts';
import { foldersAbove, workspaceMounts } from './mounts.ts';

function opened(change: { open?: string[]; sealed?: string[]; environments?: string[] }): Opened {
  return {
    base: {
      openDir: '/s/open',
      sealedDir: '/s/sealed',
      openFiles: change.open ?? [],
      sealedFiles: change.sealed ?? [],
      totalBytes: 0,
    },
    environments: (change.environments ?? []).map((at) => ({ path: at, real: `/real/${at}` })),
    tree: { dir: '/p' },
    injectDir: '/s/runner',
  } as unknown as Opened;
}

function targets(kind: string, mounts: ReturnType<typeof workspaceMounts>): string[] {
  return mounts.filter((mount) => mount.kind === kind).map((mount) => mount.target);
}

const lay = (project: Opened, sealed: readonly string[]) =>
  workspaceMounts(project, { fill: '/s/open', sealed, empty: '/s/empty' });

describe('the mounts of a workspace', () => {
  const sealed = ['conftest.py', 'a/b/test_x.py', 'a/data.json'];
  const mounts = lay(opened({ open: ['a/b/c.py'], sealed, environments: ['sub/.venv'] }), sealed);

  it('make every folder above a protected file or an environment a mount point, upper ones first', () => {
    expect(targets('tmpfs', mounts)).toEqual(['/p', '/p/a', '/p/sub', '/p/a/b']);
    for (const target of targets('ro', mounts).filter((each) => each.startsWith('/p/'))) {
      const above = foldersAbove([target.slice('/p/'.length)]).map((folder) => `/p/${folder}`);
      // A folder of byte code lies in one of the others.
      expect(targets('tmpfs', mounts)).toEqual(expect.arrayContaining(above));
    }
  });

  it('lay protected files and environments read-only after the workspace, and close byte code', () => {
    expect(targets('ro', mounts)).toEqual([
      '/p/conftest.py',
      '/p/a/b/test_x.py',
      '/p/a/data.json',
      '/p/__pycache__',
      '/p/a/b/__pycache__',
      '/p/sub/.venv',
      '/assay',
    ]);
    expect(mounts.findIndex((mount) => mount.kind === 'ro')).toBeGreaterThan(
      mounts.findIndex((mount) => mount.kind === 'fill'),
    );
  });

  it('mount whole folders where there are too many files, but none that holds an open or a hidden file', () => {
    const many = Array.from({ length: 401 }, (_, n) => `tests/unit/test_${n}.py`);
    const all = [...many, 'mixed/test_a.py', 'secret/test_seen.py', 'test_top.py'];
    const project = opened({ open: ['mixed/code.py'], sealed: [...all, 'secret/test_held.py'] });
    const laid = lay(project, all);
    expect(targets('ro', laid)).toEqual([
      '/p/tests',
      '/p/mixed/test_a.py',
      '/p/secret/test_seen.py',
      '/p/test_top.py',
      '/p/mixed/__pycache__',
      '/p/secret/__pycache__',
      '/p/__pycache__',
      '/assay',
    ]);
    expect(targets('tmpfs', laid)).toEqual(['/p', '/p/mixed', '/p/secret']);
  });
});
