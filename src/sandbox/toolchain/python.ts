import { basename, dirname, join } from 'node:path';
import { AssayError } from '../../core/index.ts';
import { entries, isFolder, readText, realOr } from './files.ts';
import { examine, type Found, hops, type Lookup } from './find.ts';
import { isShared, isSystem, withoutFiles } from './prefix.ts';
import { type Family, merge, type Resolved } from './resolved.ts';

/** CPython and PyPy: the system's, a folder of their own, conda, and virtual environments over any of them. */
export const python: Family = (found, lookup) => {
  if (!/^(python|pypy)\d*(\.\d+)?t?$/.test(basename(found.file))) return null;
  const venv = enclosingVenv(found.file);
  return venv === null ? installation(found, lookup) : inVenv({ found, venv, lookup });
};

export type Venv = { dir: string; config: string };

/** The virtual environment whose `bin` folder holds `file` (PEP 405). */
export function enclosingVenv(file: string): Venv | null {
  const dir = dirname(dirname(file));
  const config = readText(join(dir, 'pyvenv.cfg'));
  return config === null ? null : { dir: realOr(dir), config };
}

/** What a script in the environment's `bin` needs besides its interpreter. */
export function venvPrefixes({ dir }: Venv): string[] {
  return withoutFiles(dir, ['pip.conf', 'uv.toml']);
}

function inVenv(options: { found: Found; venv: Venv; lookup: Lookup }): Resolved {
  const { found, venv, lookup } = options;
  const home = configValue(venv.config, 'home');
  // With `--copies` the interpreter lies in the environment itself: the base is then known from the file alone.
  const inside = dirname(dirname(found.real)) === venv.dir;
  const base = inside && home !== null ? baseInterpreter(home) : found;
  if (base === null) throw noBase(venv, home);
  const shared = configValue(venv.config, 'include-system-site-packages') === 'true';
  const installed = installation({ ...base, file: base.real }, lookup, shared);
  const own: Resolved = {
    program: join(venv.dir, 'bin', basename(found.file)),
    prefixes: venvPrefixes(venv),
    // The interpreter finds its standard library through `home`, and its own file through the links.
    spelled: [found.file, ...hops(found.file), ...(home === null ? [] : [home])],
    path: [join(venv.dir, 'bin')],
    env: { VIRTUAL_ENV: venv.dir },
  };
  return merge(own, { ...installed, path: [] });
}

function configValue(config: string, key: string): string | null {
  return new RegExp(`^\\s*${key}\\s*=\\s*(.*?)\\s*$`, 'm').exec(config)?.[1] ?? null;
}

function baseInterpreter(home: string): Found | null {
  const names = entries(home).filter((name) => /^(python|pypy)3?(\.\d+)?$/.test(name));
  return names.map((name) => examine(join(home, name))).find((found) => found !== null) ?? null;
}

function noBase(venv: Venv, home: string | null): AssayError {
  return new AssayError({
    code: 'environment',
    message: `The virtual environment ${venv.dir} has lost the Python it was made from`,
    because: `its pyvenv.cfg names ${home ?? 'no home'}, where no interpreter is`,
    fix: `Make it anew: python3 -m venv --clear ${venv.dir}`,
  });
}

/** `users`: whether the user's own site-packages are seen by this interpreter. */
function installation(found: Found, lookup: Lookup, users = true): Resolved {
  const prefix = dirname(dirname(found.real));
  const library = entries(join(prefix, 'lib')).find((name) => matchesVersion(name, basename(found.real)));
  if (library === undefined && !isSystem(found.real)) throw noLibrary(found.real, prefix);
  const site = users ? userSite(library, lookup) : null;
  const calledBy = join(dirname(found.real), basename(found.file));
  return {
    program: examine(calledBy)?.real === found.real ? calledBy : found.real,
    prefixes: [
      ...(library === undefined || isSystem(prefix) ? [] : prefixesOf({ found, prefix, library, lookup })),
      ...(site === null ? [] : [site.folder]),
    ],
    spelled: [],
    path: dirname(found.real) === '/usr/bin' ? [] : [dirname(found.real)],
    env: { ...condaEnv(prefix), ...(site === null ? {} : { PYTHONUSERBASE: site.base }) },
  };
}

function prefixesOf(options: { found: Found; prefix: string; library: string; lookup: Lookup }): string[] {
  const { found, prefix, library, lookup } = options;
  if (!isShared(prefix, lookup))
    return withoutFiles(prefix, ['.condarc', 'condarc', 'pip.conf', 'pkgs', 'envs']);
  // Installed among other things, as by `./configure --prefix=$HOME/.local`: its own parts only.
  const shared = entries(join(prefix, 'lib')).filter((name) => /^lib(python|pypy)\d.*\.so/.test(name));
  return [found.real, ...[library, ...shared].map((name) => join(prefix, 'lib', name))];
}

/** `lib/python3.11` belongs to `python3.11`, and to a `python3` or `pypy3` that names no minor version. */
function matchesVersion(library: string, interpreter: string): boolean {
  if (!/^(python|pypy)\d/.test(library)) return false;
  const version = /\d+\.\d+t?$/.exec(interpreter)?.[0];
  return version === undefined || library === `python${version}` || library === `pypy${version}`;
}

function noLibrary(real: string, prefix: string): AssayError {
  return new AssayError({
    code: 'environment',
    message: `${real} has no standard library in ${join(prefix, 'lib')}`,
    because: 'the interpreter is a wrapper, or was moved away from where it was installed',
    fix: 'Name the real interpreter, which `python3 -c "import sys; print(sys._base_executable)"` prints',
  });
}

function condaEnv(prefix: string): Record<string, string> {
  return isFolder(join(prefix, 'conda-meta')) ? { CONDA_PREFIX: prefix } : {};
}

/** Packages installed with `pip install --user`: that one folder, as an interpreter outside environments sees it. */
function userSite(
  library: string | undefined,
  { env, home }: Lookup,
): { base: string; folder: string } | null {
  if (library === undefined) return null;
  const base = env.PYTHONUSERBASE ?? join(home, '.local');
  const folder = join(base, 'lib', library, 'site-packages');
  return isFolder(folder) ? { base, folder } : null;
}
