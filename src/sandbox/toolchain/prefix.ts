import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { AssayError } from '../../core/index.ts';
import { isInside } from '../is-inside.ts';
import { isFolder, realOr } from './files.ts';
import type { Lookup } from './find.ts';

/** Mounted by every sandbox. */
const systemRoots = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc/alternatives'];

/** Folders that hold far more than a toolchain, so none may be mounted whole. */
const sharedRoots = [
  '/',
  '/etc',
  '/var',
  '/home',
  '/root',
  '/opt',
  '/mnt',
  '/srv',
  '/tmp',
  '/run',
  '/dev',
  '/proc',
  '/sys',
];

/** Folders of the home folder where programs keep secrets. Nothing in them is a toolchain. */
const secretFolders = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.config',
  '.docker',
  '.kube',
  '.netrc',
  '.password-store',
];

/** True for what every sandbox has without a mount, such as `/usr`. */
export function isSystem(path: string): boolean {
  return systemRoots.some((root) => isInside(path, root));
}

/** Whether other things than one toolchain live in `folder`, such as `/home/me` and `/home/me/.local`. */
export function isShared(folder: string, { home }: Lookup): boolean {
  const realHome = realOr(home);
  return (
    sharedRoots.includes(folder) ||
    [home, realHome].some((root) => isInside(root, folder) || folder === join(root, '.local'))
  );
}

/**
 * The real folders to mount, without those that are there anyway. What a toolchain's files claim is not believed
 * blindly: a cloned project can bring a `.venv` whose `pyvenv.cfg` names the home folder as its base.
 * @throws AssayError `environment` for a prefix that holds more than a toolchain
 */
export function admit(prefixes: readonly string[], lookup: Lookup): string[] {
  const real = [...new Set(prefixes.filter((path) => fs.existsSync(path)).map(realOr))].filter(
    (path) => !isSystem(path),
  );
  for (const path of real) if (isForbidden(path, lookup)) throw forbidden(path);
  return real.filter((path) => !real.some((other) => other !== path && isInside(path, other)));
}

function isForbidden(path: string, lookup: Lookup): boolean {
  const home = realOr(lookup.home);
  return isShared(path, lookup) || secretFolders.some((name) => isInside(path, join(home, name)));
}

function forbidden(path: string): AssayError {
  return new AssayError({
    code: 'environment',
    message: `The toolchain claims the folder ${path}, which holds more than a toolchain`,
    because: 'the sandbox would show private files to the code that runs in it',
    fix: 'Use an interpreter installed in a folder of its own (a fresh `python3 -m venv .venv`, pyenv, nvm, or the system package)',
  });
}

/** `prefix` as one mount, or entry by entry where it holds one of the files that may carry credentials. */
export function withoutFiles(prefix: string, hidden: readonly string[]): string[] {
  if (!hidden.some((name) => fs.existsSync(join(prefix, name)))) return [prefix];
  return fs
    .readdirSync(prefix)
    .filter((name) => !hidden.includes(name))
    .map((name) => join(prefix, name))
    .filter((path) => isInside(realOr(path), realOr(prefix)));
}

/**
 * The highest part of each spelled path that is not itself below a prefix but leads into one: mounted at its own
 * name, it makes the path work inside and shows nothing that a prefix does not show already.
 */
export function aliases(spelled: readonly string[], prefixes: readonly string[]): string[] {
  const visible = (path: string) => isSystem(path) || prefixes.some((prefix) => isInside(path, prefix));
  const found = spelled
    .filter((path) => !visible(path) && visible(realOr(path)))
    .map((path) => {
      let highest = path;
      for (let at = dirname(path); at !== '/' && visible(realOr(at)) && isFolder(at); at = dirname(at))
        highest = at;
      return highest;
    });
  return [...new Set(found)];
}
