import { homedir } from 'node:os';
import { AssayError } from '../core/index.ts';
import { type Environment, type Found, find, type Lookup } from './toolchain/find.ts';
import { go } from './toolchain/go.ts';
import { java, maven } from './toolchain/java.ts';
import { node } from './toolchain/node.ts';
import { binary, script } from './toolchain/other.ts';
import { admit, aliases } from './toolchain/prefix.ts';
import { python } from './toolchain/python.ts';
import type { Family, Resolved } from './toolchain/resolved.ts';
import { rust } from './toolchain/rust.ts';
import { opaqueShim, shim } from './toolchain/shims.ts';
import type { Toolchain } from './types.ts';

/** In order: what stands for another program first, what fits any program last. */
const families: readonly Family[] = [shim, opaqueShim, rust, python, node, go, maven, java, script];

/** A chain of scripts and shims longer than this goes round in circles. */
const maxDepth = 8;

/**
 * What must be mounted, and set, for `program` to run in a sandbox as it runs here: the prefixes of the
 * interpreter or compiler behind it, followed through virtual environments, version managers, symbolic links and
 * interpreter lines; of package caches the packages alone, never settings or credentials. Known from files only:
 * asking the interpreter would run the project's `sitecustomize` and `.pth` files outside the sandbox.
 *
 * `cwd`: the project, which the caller mounts; a relative program and version files are looked up from it.
 * `env`: decides PATH, HOME and the version managers' variables; nothing else of it is passed on.
 * @throws AssayError `environment` where the program, or what it stands on, is not installed
 */
export async function resolveToolchain(options: {
  program: string;
  cwd?: string;
  env?: Environment;
}): Promise<Toolchain> {
  const env = options.env ?? process.env;
  const lookup: Lookup = { cwd: options.cwd ?? process.cwd(), env, home: env.HOME || homedir() };
  const found = find(options.program, lookup);
  if (found === null) throw notFound(options.program);
  const resolved = resolveFound(found, lookup, 0);
  const prefixes = admit(resolved.prefixes, lookup);
  return {
    program: resolved.program,
    prefixes: [
      ...prefixes,
      ...aliases([...resolved.prefixes, ...resolved.spelled, resolved.program, ...resolved.path], prefixes),
    ],
    path: [...new Set(resolved.path)],
    env: resolved.env,
  };
}

function resolveFound(found: Found, lookup: Lookup, depth: number): Resolved {
  if (depth > maxDepth) throw endless(found.file);
  const resolve = (next: Found) => resolveFound(next, lookup, depth + 1);
  for (const family of families) {
    const resolved = family(found, lookup, resolve);
    if (resolved !== null) return resolved;
  }
  return binary(found, lookup);
}

function notFound(program: string): AssayError {
  return new AssayError({
    code: 'environment',
    message: `Program not found: ${program}`,
    because: program.includes('/') ? 'no executable file is there' : 'no folder of PATH has it',
    fix: `Install ${program}, or name it by its path`,
  });
}

function endless(file: string): AssayError {
  return new AssayError({
    code: 'environment',
    message: `${file} leads through more than ${maxDepth} scripts and shims`,
    because: 'they probably start each other',
    fix: 'Name the real program by its path',
  });
}
