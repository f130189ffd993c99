import { basename, dirname, join } from 'node:path';
import { AssayError } from '../../core/index.ts';
import { isInside } from '../is-inside.ts';
import { entries, isFolder, realOr } from './files.ts';
import { examine, type Found, find, hops, type Lookup } from './find.ts';
import { enclosingModules } from './node.ts';
import { isShared, isSystem } from './prefix.ts';
import { enclosingVenv, venvPrefixes } from './python.ts';
import { type Family, merge, type Resolved } from './resolved.ts';

/** A script: the interpreter its first line names, and what lies around it. */
export const script: Family = (found, lookup, resolve) => {
  if (found.shebang === null) return null;
  return merge(surroundings(found, lookup), resolve(interpreterOf(found.shebang, found, lookup)));
};

/** Any other program: itself, and the folders that a prefix of its own has beside `bin`. */
export function binary(found: Found, lookup: Lookup): Resolved {
  return surroundings(found, lookup);
}

function surroundings(found: Found, lookup: Lookup): Resolved {
  const venv = enclosingVenv(found.file);
  if (venv !== null) {
    return {
      program: join(venv.dir, 'bin', basename(found.file)),
      prefixes: venvPrefixes(venv),
      spelled: [found.file],
      path: [join(venv.dir, 'bin')],
      env: { VIRTUAL_ENV: venv.dir },
    };
  }
  const modules = enclosingModules(found.real);
  // The project itself is mounted by the caller.
  const isProjects = isInside(found.real, realOr(lookup.cwd));
  return {
    // As found, not as resolved: many programs look at the name they are called by.
    program: found.file,
    prefixes:
      isSystem(found.real) || isProjects ? [] : modules === null ? dedicated(found.real, lookup) : [modules],
    spelled: isProjects ? [] : hops(found.file),
    path: isSystem(found.real) || isProjects ? [] : [dirname(found.file)],
    env: {},
  };
}

function dedicated(real: string, lookup: Lookup): string[] {
  const prefix = dirname(dirname(real));
  const store = /^\/nix\/store|^.*\/Cellar(?=\/)/.exec(real)?.[0];
  if (store !== undefined)
    return [store, ...['opt', 'lib'].map((name) => join(dirname(store), name)).filter(isFolder)];
  if (basename(dirname(real)) !== 'bin' || isShared(prefix, lookup)) return [real];
  const beside = entries(prefix).filter((name) => ['bin', 'lib', 'lib64', 'libexec', 'share'].includes(name));
  return beside.length > 1 ? beside.map((name) => join(prefix, name)) : [real];
}

function interpreterOf(shebang: string[], found: Found, lookup: Lookup): Found {
  const [path = '', ...rest] = shebang;
  const named =
    basename(path) === 'env' ? rest.find((word) => !word.startsWith('-') && !word.includes('=')) : undefined;
  const interpreter = named === undefined ? examine(path) : find(named, lookup);
  if (interpreter !== null) return interpreter;
  throw new AssayError({
    code: 'environment',
    message: `The interpreter of ${found.file} is missing: ${named ?? path}`,
    because: 'the script was installed for an interpreter that is gone or not on PATH',
    fix: `Install ${basename(named ?? path)}, or install ${basename(found.file)} again`,
  });
}
