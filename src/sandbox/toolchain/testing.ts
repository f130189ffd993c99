import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { AssayError } from '../../core/index.ts';
import { resolveToolchain } from '../toolchain.ts';
import type { Toolchain } from '../types.ts';

/** What lies at a path: the text of a file (executable in a `bin` or `shims` folder), or a link. `$ROOT` is the world. */
export type Leaf = string | { link: string };

export const elf = '\x7fELF';

export type World = {
  /** The absolute path of a name in this world. */
  at(path: string): string;
  /** From `home/project`. */
  resolve(program: string): Promise<Toolchain>;
  /** The error that resolving ends with. */
  error(program: string): Promise<AssayError>;
};

/** Made-up installations in a folder of their own, for one test; the home folder is `home`. */
export function world(leaves: Record<string, Leaf>, variables: Record<string, string> = {}): World {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'assay-world-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const at = (path: string) => join(root, path);
  const inRoot = (text: string) => text.replaceAll('$ROOT', root);
  mkdirSync(at('home/project'), { recursive: true });
  writeFileSync(at('home/project/README'), '');
  for (const [path, leaf] of Object.entries(leaves)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    if (typeof leaf === 'string') writeFileSync(at(path), inRoot(leaf));
    else symlinkSync(inRoot(leaf.link), at(path));
    if (typeof leaf === 'string' && /\/(bin|shims)\/[^/]*$/.test(path)) chmodSync(at(path), 0o755);
  }
  const env = Object.fromEntries(Object.entries(variables).map(([key, text]) => [key, inRoot(text)]));
  const resolve = (program: string) =>
    resolveToolchain({
      program: inRoot(program),
      cwd: at('home/project'),
      env: { HOME: at('home'), ...env },
    });
  return {
    at,
    resolve,
    async error(program) {
      const caught: unknown = await resolve(program).then(
        () => null,
        (reason: unknown) => reason,
      );
      if (!AssayError.is(caught)) throw new Error(`resolved, or failed otherwise: ${String(caught)}`);
      return caught;
    },
  };
}
