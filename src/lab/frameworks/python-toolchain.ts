import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AssayError } from '../../core/index.ts';
import { resolveToolchain, type Toolchain } from '../../sandbox/index.ts';
import type { SourceTree, TestCommand } from './framework.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The Python that runs a project's tests: the one the test command names, else the project's own environment or the
 * active one (VIRTUAL_ENV, CONDA_PREFIX), else the one behind `script` on PATH, `python3`, `python`. Of several, the
 * first that has `module` installed; where none has, the first, whose run then says what is missing: an interpreter
 * outside the environment would lack the project's dependencies instead.
 * @throws AssayError `environment` where there is no Python, or the one named does not exist.
 */
export async function pythonToolchain(options: {
  tree: SourceTree;
  command: TestCommand | null;
  /** A module that must be importable; null for one of the standard library. */
  module: string | null;
  /** Name of the script that starts the framework, to find the interpreter behind it. */
  script: string | null;
  env: Environment;
}): Promise<Toolchain> {
  const { tree, command, module, env } = options;
  if (command?.program != null) return resolveToolchain({ program: command.program, cwd: tree.dir, env });
  const { inside, outside } = programs(options, await behindScript(options));
  for (const group of [inside, outside]) {
    const found = await resolveAll(group, tree.dir, env);
    const [first] = found;
    if (first === undefined) continue;
    return found.find(({ program }) => module !== null && hasModule(program, module)) ?? first;
  }
  throw noPython();
}

function programs(
  options: { tree: SourceTree; command: TestCommand | null; env: Environment },
  scripted: readonly string[],
): { inside: string[]; outside: string[] } {
  const { tree, command, env } = options;
  const own = [...tree.environments].sort(
    (a, b) => preference(a) - preference(b) || a.length - b.length || (a < b ? -1 : 1),
  );
  const active = [env.VIRTUAL_ENV, env.CONDA_PREFIX].filter(
    (folder) => folder !== undefined && folder !== '',
  );
  const inEnvironments = [...own.map((folder) => path.join(tree.dir, folder)), ...active].map((folder) =>
    path.join(folder ?? '', 'bin', 'python'),
  );
  // `pytest ...` by hand is whichever pytest PATH has, where the project has none of its own.
  return command?.via === 'script'
    ? { inside: [...inEnvironments, ...scripted], outside: ['python3', 'python'] }
    : { inside: inEnvironments, outside: [...scripted, 'python3', 'python'] };
}

async function resolveAll(all: readonly string[], cwd: string, env: Environment): Promise<Toolchain[]> {
  const found: Toolchain[] = [];
  for (const program of new Set(all)) {
    const toolchain = await tryResolve(program, cwd, env);
    if (toolchain !== null && !found.some((other) => other.program === toolchain.program))
      found.push(toolchain);
  }
  return found;
}

function preference(environment: string): number {
  const at = ['.venv', 'venv'].indexOf(environment);
  return at === -1 ? 2 : at;
}

/** The interpreter in the first line of the framework's script on PATH. */
async function behindScript(options: {
  tree: SourceTree;
  script: string | null;
  env: Environment;
}): Promise<string[]> {
  if (options.script === null) return [];
  const toolchain = await tryResolve(options.script, options.tree.dir, options.env);
  if (toolchain === null) return [];
  const line = /^#!\s*(\S+python[\d.]*)\s*$/m.exec(readFileSync(toolchain.program, 'latin1').slice(0, 256));
  return line?.[1] === undefined ? [] : [line[1]];
}

async function tryResolve(program: string, cwd: string, env: Environment): Promise<Toolchain | null> {
  try {
    return await resolveToolchain({ program, cwd, env });
  } catch (error) {
    if (AssayError.is(error)) return null;
    throw error;
  }
}

/** Top-level names of the standard library and of every installed package, from the interpreter's usual folders. */
export function installedModules({ program, prefixes }: Toolchain): ReadonlySet<string> {
  const libraries = [path.dirname(path.dirname(program)), '/usr', ...prefixes].flatMap(libraryFolders);
  const folders = libraries.flatMap((library) => [
    library,
    ...['lib-dynload', 'site-packages', 'dist-packages'].map((folder) => path.join(library, folder)),
  ]);
  const modules = folders.flatMap(names).filter((name) => /^\w+(\.py|\..*\.?so)?$/.test(name));
  return new Set(modules.map((name) => name.replace(/\..*$/, '')));
}

/** Looks in the usual folders of an interpreter; starts nothing. */
function hasModule(program: string, module: string): boolean {
  return libraryFolders(path.dirname(path.dirname(program)))
    .flatMap((library) => ['site-packages', 'dist-packages'].map((folder) => path.join(library, folder)))
    .some((folder) => existsSync(path.join(folder, module)) || existsSync(path.join(folder, `${module}.py`)));
}

function libraryFolders(prefix: string): string[] {
  const roots = prefix === '/usr' ? ['/usr/lib', '/usr/local/lib'] : [path.join(prefix, 'lib')];
  return roots.flatMap((root) =>
    names(root)
      .filter((name) => /^(python|pypy)3?/.test(name))
      .map((name) => path.join(root, name)),
  );
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function noPython(): AssayError {
  return new AssayError({
    code: 'environment',
    message: 'No Python was found to run the tests with',
    because: 'neither the project, the environment nor PATH has one',
    fix: 'Install Python 3.8 or later, or name one in the test command (--test "/path/to/python -m pytest")',
  });
}
