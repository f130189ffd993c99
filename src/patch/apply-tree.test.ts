import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AssayError, type FileChange } from '../core/index.ts';
import { applyToTree } from './apply-tree.ts';
import { invertChanges } from './compose.ts';
import { treeDisk } from './staged-file.ts';
import { encodeText } from './text.ts';
import { treeReader } from './tree-reader.ts';
import { hashOf, treeState } from './tree-state.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'assay-apply-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const change = (name: string, before: string | null, after: string | null, mode = 0o644): FileChange => ({
  path: name,
  before: before === null ? null : encodeText(before),
  after: after === null ? null : encodeText(after),
  mode,
});

function lay(tree: Record<string, string>): void {
  for (const [name, content] of Object.entries(tree)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
}

function tree(): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter(
    (entry) => !entry.isDirectory(),
  );
  return Object.fromEntries(
    entries.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(root, file), readFileSync(file, 'utf8')];
    }),
  );
}

const folders = () =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();

function refused(action: () => unknown): AssayError {
  try {
    action();
  } catch (error) {
    if (AssayError.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const start = { 'a.py': 'one\n', 'lib/b.py': 'two\n', 'old/deep/c.py': 'three\n' };
const changes = [
  change('a.py', 'one\n', 'ONE\n'),
  change('lib/b.py', 'two\n', null),
  change('old/deep/c.py', 'three\n', null),
  change('new/deeper/c.py', null, 'three\n'),
];
const finished = { 'a.py': 'ONE\n', 'new/deeper/c.py': 'three\n' };

describe('applyToTree', () => {
  it('changes, deletes and creates, removes emptied folders, and undoes it all', () => {
    lay(start);
    const { undo } = applyToTree({ root, changes });
    expect(tree()).toEqual(finished);
    expect(folders()).toEqual(['deeper', 'new']);
    undo();
    expect(tree()).toEqual(start);
    expect(folders()).toEqual(['deep', 'lib', 'old']);
  });

  it('keeps the mode a file has, and gives new files theirs', () => {
    lay({ 'run.sh': 'x\n', 'gone.sh': 'y\n' });
    chmodSync(path.join(root, 'run.sh'), 0o4751);
    chmodSync(path.join(root, 'gone.sh'), 0o700);
    const { undo } = applyToTree({
      root,
      changes: [
        change('run.sh', 'x\n', 'z\n'),
        change('gone.sh', 'y\n', null),
        change('new.sh', null, 'n\n', 0o755),
      ],
    });
    const mode = (name: string) => (statSync(path.join(root, name)).mode & 0o7777).toString(8);
    expect(mode('run.sh')).toBe('4751');
    expect(mode('new.sh')).toBe('755');
    undo();
    expect([mode('run.sh'), mode('gone.sh')]).toEqual(['4751', '700']);
  });

  it('leaves the files of an owner to that owner, whoever applies', () => {
    lay({ 'a.py': 'one\n' });
    const { uid, gid } = process.getuid?.() === 0 ? { uid: 12_345, gid: 12_346 } : statSync(root);
    for (const name of ['', 'a.py']) chownSync(path.join(root, name), uid, gid);
    applyToTree({ root, changes: [change('a.py', 'one\n', 'ONE\n'), change('b.py', null, 'new\n')] });
    for (const name of ['a.py', 'b.py']) {
      expect(statSync(path.join(root, name))).toMatchObject({ uid, gid });
    }
  });

  it.each<[string, () => void, string]>([
    ['changed', () => writeFileSync(path.join(root, 'lib/b.py'), 'mine\n'), 'its content differs'],
    ['deleted', () => rmSync(path.join(root, 'lib/b.py')), 'it is gone'],
    ['created', () => lay({ 'new/deeper/c.py': 'mine\n' }), 'it did not exist then'],
    [
      'replaced by a symlink',
      () => {
        renameSync(path.join(root, 'lib/b.py'), path.join(root, 'real.py'));
        symlinkSync('../real.py', path.join(root, 'lib/b.py'));
      },
      'it is a symlink now',
    ],
    [
      'moved behind a symlink',
      () => {
        renameSync(path.join(root, 'lib'), path.join(root, 'real'));
        symlinkSync('real', path.join(root, 'lib'));
      },
      'lib is a symlink now',
    ],
    [
      'linked twice',
      () => linkSync(path.join(root, 'lib/b.py'), path.join(root, 'twin.py')),
      'it has other hard links',
    ],
    [
      'put behind a file',
      () => {
        rmSync(path.join(root, 'lib'), { recursive: true });
        writeFileSync(path.join(root, 'lib'), '');
      },
      'lib is no folder now',
    ],
    [
      'turned into a folder',
      () => {
        rmSync(path.join(root, 'lib/b.py'));
        mkdirSync(path.join(root, 'lib/b.py'));
      },
      'it is no plain file now',
    ],
  ])('writes nothing when a file was %s', (_, disturb, because) => {
    lay(start);
    disturb();
    const before = tree0();
    expect(refused(() => applyToTree({ root, changes }))).toMatchObject({ code: 'changed', because });
    expect(tree0()).toEqual(before);
  });

  /** Names and kinds, for trees with links and folders in the places of files. */
  function tree0(): string[] {
    return readdirSync(root, { recursive: true })
      .map((name) => {
        const stat = lstatSync(path.join(root, String(name)));
        return `${name} ${stat.isFile() ? readFileSync(path.join(root, String(name)), 'utf8') : stat.mode}`;
      })
      .toSorted();
  }

  it('compares with the hashes of the start, not only with the patch', () => {
    lay(start);
    const expectedHashes = new Map([['a.py', hashOf(encodeText('another one\n'))]]);
    expect(refused(() => applyToTree({ root, changes, expectedHashes })).code).toBe('changed');
    expect(tree()).toEqual(start);
  });

  it.each(['/etc/x', '../x', 'a/../../x', '.git/config', 'a\0b', 'C:x', 'a\\b'])(
    'never writes to %j',
    (name) => {
      expect(refused(() => applyToTree({ root, changes: [change(name, null, 'x')] })).code).toBe('input');
    },
  );

  it('does not write through a symlink that takes the place of a folder in the middle', () => {
    lay(start);
    const outside = mkdtempSync(path.join(tmpdir(), 'assay-outside-'));
    writeFileSync(path.join(outside, 'b.py'), 'outside\n');
    let swapped = false;
    const disk = {
      ...treeDisk,
      rename: (from: string, to: string) => {
        if (!swapped) {
          swapped = true;
          renameSync(path.join(root, 'lib'), path.join(root, 'moved'));
          symlinkSync(outside, path.join(root, 'lib'));
        }
        treeDisk.rename(from, to);
      },
    };
    applyToTree({
      root,
      disk,
      changes: [change('a.py', 'one\n', 'ONE\n'), change('lib/b.py', 'two\n', 'TWO\n')],
    });
    expect(swapped).toBe(true);
    expect(readdirSync(outside)).toEqual(['b.py']);
    expect(readFileSync(path.join(outside, 'b.py'), 'utf8')).toBe('outside\n');
    expect(readFileSync(path.join(root, 'moved/b.py'), 'utf8')).toBe('TWO\n');
    rmSync(outside, { recursive: true });
  });

  // Three old files get a second name by link; then one name changes by rename, two by unlink, one by link.
  it.each([1, 2, 3, 4, 5, 6, 7])('puts everything back when call %i that changes a name fails', (failing) => {
    lay(start);
    let calls = 0;
    let failed = false;
    const flaky =
      <Args extends string[]>(real: (...args: Args) => void) =>
      (...args: Args) => {
        calls += 1;
        if (calls === failing) {
          failed = true;
          throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
        }
        real(...args);
      };
    const disk = {
      link: flaky(treeDisk.link),
      rename: flaky(treeDisk.rename),
      unlink: flaky(treeDisk.unlink),
    };
    const error = refused(() => applyToTree({ root, changes, disk }));
    expect(failed).toBe(true);
    expect(error.code).toBe('environment');
    expect(error.message).toContain('every file is as it was');
    expect(tree()).toEqual(start);
    expect(folders()).toEqual(['deep', 'lib', 'old']);
  });

  it('says what could not be put back, and keeps the old content', () => {
    lay(start);
    const disk = {
      ...treeDisk,
      rename: (from: string, to: string) => {
        if (from.endsWith('.old')) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
        treeDisk.rename(from, to);
      },
      unlink: () => {
        throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
      },
    };
    const error = refused(() => applyToTree({ root, changes, disk }));
    expect(error).toMatchObject({ code: 'environment' });
    const backup = /old content is in (\S+)\)/.exec(error.message)?.[1];
    expect(readFileSync(path.join(root, backup ?? ''), 'utf8')).toBe('one\n');
  });

  it('refuses to undo over later work', () => {
    lay(start);
    const { undo } = applyToTree({ root, changes });
    writeFileSync(path.join(root, 'a.py'), 'mine\n');
    expect(refused(undo).code).toBe('changed');
    expect(tree()).toEqual({ ...finished, 'a.py': 'mine\n' });
  });
});

describe('treeState', () => {
  it('tells before, after, mixed and other', () => {
    lay(start);
    expect(treeState(root, changes)).toBe('before');
    const { undo } = applyToTree({ root, changes });
    expect(treeState(root, changes)).toBe('after');
    undo();
    writeFileSync(path.join(root, 'a.py'), 'ONE\n');
    expect(treeState(root, changes)).toBe('mixed');
    writeFileSync(path.join(root, 'a.py'), 'else\n');
    expect(treeState(root, changes)).toBe('other');
    expect(treeState(root, invertChanges(changes))).toBe('other');
  });

  it('finds a tree that a SIGKILL cut off at any step, and finishes it', { timeout: 120_000 }, async () => {
    const names = ['a', 'b', 'd/c', 'd/e/f7', 'g7', 'h'].map((name) => `${name}.txt`);
    const many = [
      ...names.map((name) => change(name, `old ${name}\n`, name.endsWith('7.txt') ? null : `new ${name}\n`)),
      ...['made/x', 'made/y/z', 'w'].map((name) => change(name, null, `made ${name}\n`)),
    ];
    const input = JSON.stringify(
      many.map((one) => ({ ...one, before: text(one.before), after: text(one.after) })),
    );
    const states: string[] = [];
    // Six second names by link, then nine changes of names; the call after the last one is never made.
    for (let step = 1; step <= 16; step += 1) {
      rmSync(root, { recursive: true, force: true });
      lay(Object.fromEntries(names.map((name) => [name, `old ${name}\n`])));
      const script = path.join(import.meta.dirname, 'apply-tree.child.ts');
      const child = spawn(process.execPath, [script, root, String(step)], {
        stdio: ['pipe', 'inherit', 'inherit'],
      });
      child.stdin.end(input);
      const [, signal] = await once(child, 'exit');
      expect(signal).toBe(step === 16 ? null : 'SIGKILL');
      states.push(treeState(root, many));
      applyToTree({ root, changes: many, finish: true });
      expect(treeState(root, many)).toBe('after');
      expect(Object.keys(tree()).filter((name) => name.includes('.assay-'))).toEqual([]);
    }
    expect(states).toEqual([...Array(7).fill('before'), ...Array(8).fill('mixed'), 'after']);
  });

  const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString());
});

describe('treeReader', () => {
  it('reads plain files and tells everything else apart', () => {
    lay({ 'a/b.txt': 'x', 'twin.txt': 'y', 'large.txt': 'z'.repeat(100) });
    linkSync(path.join(root, 'twin.txt'), path.join(root, 'twin2.txt'));
    symlinkSync('a', path.join(root, 'link'));
    symlinkSync('a/b.txt', path.join(root, 'file-link'));
    const read = treeReader(root, { maxBytes: 50 });
    expect(read('a/b.txt')).toMatchObject({ mode: statSync(path.join(root, 'a/b.txt')).mode & 0o777 });
    expect(read('a')).toEqual({ special: 'folder' });
    expect(read('link')).toEqual({ special: 'symlink' });
    expect(read('link/b.txt')).toEqual({ special: 'symlink' });
    expect(read('file-link')).toEqual({ special: 'symlink' });
    expect(read('twin.txt')).toEqual({ special: 'hard_link' });
    expect(read('large.txt')).toEqual({ special: 'too_large' });
    expect(read('none/at/all')).toBeNull();
    expect(read('a/b.txt/c')).toBeNull();
    expect(read('../etc/passwd')).toBeNull();
  });

  it('says so where the disk refuses', () => {
    const read = treeReader(path.join(root, 'gone'));
    expect(refused(() => read('a.py'))).toMatchObject({
      code: 'environment',
      because: expect.stringContaining('ENOENT'),
    });
  });
});
