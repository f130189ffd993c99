import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Kernel } from '../../src/kernel/index.ts';
import { ran, shownValue } from './checks.ts';
import type { Behaviour } from './conformance.ts';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

const text = async (kernel: Kernel, path: string) => {
  const bytes = await kernel.files.read(path);
  return bytes === null ? null : Buffer.from(bytes).toString('utf8');
};

const listed = async (kernel: Kernel, prefix: string) =>
  (await kernel.files.list()).filter(({ path }) => path.startsWith(prefix));

export const files: readonly Behaviour[] = [
  {
    name: 'lists what the code writes, in folders too, with hashes, sorted',
    async check(kernel) {
      await ran(
        kernel,
        'import os\nos.makedirs("l/sub")\nfor name, text in [("l/z.txt", "z"), ("l/sub/a.txt", "a"), ("l/empty", "")]:\n    with open(name, "w") as f: _ = f.write(text)',
      );
      expect(await listed(kernel, 'l/')).toEqual([
        { path: 'l/empty', bytes: 0, sha256: hash('') },
        { path: 'l/sub/a.txt', bytes: 1, sha256: hash('a') },
        { path: 'l/z.txt', bytes: 1, sha256: hash('z') },
      ]);
    },
  },
  {
    name: 'sees a file that was overwritten with as many bytes, or deleted',
    async check(kernel) {
      await ran(kernel, 'open("over.txt", "w").write("one")');
      expect(await listed(kernel, 'over')).toMatchObject([{ sha256: hash('one') }]);
      await ran(
        kernel,
        'import os\ns = os.stat("over.txt")\nopen("over.txt", "w").write("two")\nos.utime("over.txt", ns=(s.st_atime_ns, s.st_mtime_ns))',
      );
      expect(await listed(kernel, 'over')).toMatchObject([{ sha256: hash('two') }]);
      await ran(kernel, 'os.remove("over.txt")');
      expect(await listed(kernel, 'over')).toEqual([]);
    },
  },
  {
    name: 'reads any bytes the code has written',
    async check(kernel) {
      await ran(kernel, 'open("raw.bin", "wb").write(bytes(range(256)))');
      expect(await kernel.files.read('raw.bin')).toEqual(
        Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
      );
    },
  },
  {
    name: 'writes files for the code, which may change them',
    async check(kernel) {
      await kernel.files.write('given/deep/data.csv', Buffer.from('a,b\n1,2\n'));
      expect(await shownValue(kernel, 'open("given/deep/data.csv").read()')).toBe("'a,b\\n1,2\\n'");
      await ran(
        kernel,
        'open("given/deep/data.csv", "a").write("3,4\\n"); open("given/deep/new", "w").close()',
      );
      expect(await text(kernel, 'given/deep/data.csv')).toBe('a,b\n1,2\n3,4\n');
      await kernel.files.write('given/deep/data.csv', Buffer.from('over'));
      expect(await shownValue(kernel, 'open("given/deep/data.csv").read()')).toBe("'over'");
    },
  },
  {
    name: 'gives null for what is no file',
    async check(kernel) {
      expect(await kernel.files.read('nothing/here')).toBeNull();
      await ran(kernel, 'import os; os.makedirs("folder", exist_ok=True)');
      expect(await kernel.files.read('folder')).toBeNull();
    },
  },
  {
    name: 'names nothing above the working folder',
    async check(kernel) {
      for (const path of ['../up', '/etc/hostname', 'a/../../up', '']) {
        expect(await kernel.files.read(path).catch(() => null)).toBeNull();
        await expect(kernel.files.write(path, Buffer.from('x'))).rejects.toMatchObject({ code: 'input' });
      }
    },
  },
  {
    name: 'follows no link out of the working folder',
    needs: 'links',
    async check(kernel) {
      await ran(
        kernel,
        'import os\nos.makedirs("ln", exist_ok=True)\nos.symlink("/etc/passwd", "ln/passwd")\nos.symlink("/etc", "ln/etc")\nos.symlink("/tmp", "ln/tmp")\nos.mkfifo("ln/fifo")',
      );
      expect(await listed(kernel, 'ln/')).toEqual([]);
      for (const path of ['ln/passwd', 'ln/etc/passwd', 'ln/fifo'])
        expect(await kernel.files.read(path)).toBeNull();
      await expect(kernel.files.write('ln/tmp/assay-planted', Buffer.from('x'))).rejects.toMatchObject({
        code: 'input',
      });
      // A link in the last place is replaced, not written through.
      await kernel.files.write('ln/passwd', Buffer.from('mine'));
      expect(await text(kernel, 'ln/passwd')).toBe('mine');
    },
  },
  {
    name: 'shows one kernel nothing of another',
    own: {},
    async check(kernel, open) {
      const other = await open();
      await ran(kernel, 'secret = 1; open("mine.txt", "w").write("x")');
      expect((await other.execute('secret')).end).toMatchObject({ status: 'error', ename: 'NameError' });
      expect(await shownValue(other, 'import os; os.path.exists("mine.txt")')).toBe('False');
      expect(await other.files.list()).toEqual([]);
    },
  },
];
