import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { AssayError } from '../../core/index.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** An installed kernel: how a `kernel.json` says it is started. */
export type KernelSpec = {
  name: string;
  language: string;
  /** With `{connection_file}` and `{resource_dir}` still in place. */
  argv: [string, ...string[]];
  env: Record<string, string>;
  interruptMode: 'signal' | 'message';
  /** The folder that holds `kernel.json`. */
  folder: string;
};

const kernelJson = z.object({
  argv: z.array(z.string()).min(1),
  language: z.string().default(''),
  env: z.record(z.string(), z.string()).default({}),
  interrupt_mode: z.enum(['signal', 'message']).default('signal'),
});

/** A folder below which Jupyter looks for `kernels/NAME/kernel.json`, and the prefix it belongs to, if any. */
type DataFolder = { path: string; prefix: string | null };

/**
 * Finds a kernel where Jupyter's own tools look, without them: JUPYTER_PATH, the user's data folder, then the prefix
 * of each program folder on PATH (so a virtual environment that is active, or put there by `script/env`), then the
 * system's ("Jupyter paths", docs.jupyter.org).
 *
 * @param options.kernel a name such as `python3`, or the absolute path of a folder with a `kernel.json`
 * @throws AssayError `environment` where there is none, or its `kernel.json` cannot be used
 */
export function findKernelSpec(options: { kernel: string; env?: Environment }): KernelSpec {
  const env = options.env ?? process.env;
  if (isAbsolute(options.kernel))
    return readSpec({ path: options.kernel, prefix: prefixAbove(options.kernel) });
  const folders = dataFolders(env);
  for (const { path, prefix } of folders) {
    const found = entries(join(path, 'kernels')).find((name) => isSameName(name, options.kernel));
    if (found === undefined) continue;
    const folder = join(path, 'kernels', found);
    if (existsSync(join(folder, 'kernel.json'))) return readSpec({ path: folder, prefix });
  }
  throw notFound(options.kernel, installed(folders), folders);
}

/** Kernel names are compared without case. */
const isSameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function dataFolders(env: Environment): DataFolder[] {
  const home = env.HOME || homedir();
  const named = (env.JUPYTER_PATH ?? '').split(':').filter(isAbsolute);
  const prefixes = [
    ...(env.VIRTUAL_ENV ? [env.VIRTUAL_ENV] : []),
    ...(env.CONDA_PREFIX ? [env.CONDA_PREFIX] : []),
    ...(env.PATH ?? '').split(':').filter(isProgramFolder).map(dirname),
    '/usr/local',
    '/usr',
  ];
  return [
    ...named.map((path) => ({ path, prefix: null })),
    {
      path: env.JUPYTER_DATA_DIR ?? join(env.XDG_DATA_HOME ?? join(home, '.local/share'), 'jupyter'),
      prefix: null,
    },
    ...[...new Set(prefixes)].map((prefix) => ({ path: join(prefix, 'share/jupyter'), prefix })),
  ];
}

const isProgramFolder = (folder: string) => isAbsolute(folder) && basename(folder) === 'bin';

/** The prefix whose `share/jupyter/kernels` holds this folder. */
function prefixAbove(folder: string): string | null {
  const end = folder.indexOf('/share/jupyter/kernels/');
  return end === -1 ? null : folder.slice(0, end);
}

function readSpec({ path, prefix }: DataFolder): KernelSpec {
  const file = join(path, 'kernel.json');
  const { argv, language, env, interrupt_mode } = parse(file);
  const [program = '', ...rest] = argv;
  return {
    name: basename(path),
    language: language.toLowerCase(),
    argv: [programIn(program, prefix), ...rest],
    env,
    interruptMode: interrupt_mode,
    folder: realpathSync(path),
  };
}

/** Packages write `python` for the interpreter of the very environment they are installed in. */
function programIn(program: string, prefix: string | null): string {
  if (prefix === null || program.includes('/')) return program;
  const own = join(prefix, 'bin', program);
  return existsSync(own) ? own : program;
}

function parse(file: string): z.infer<typeof kernelJson> {
  let because: string;
  try {
    const parsed = kernelJson.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    if (parsed.success) return parsed.data;
    because = z.prettifyError(parsed.error);
  } catch (error) {
    because = error instanceof Error ? error.message : String(error);
  }
  throw new AssayError({
    code: 'environment',
    message: `The kernel description ${file} cannot be used`,
    because,
    fix: `Install that kernel again, or remove ${dirname(file)}`,
  });
}

function installed(folders: readonly DataFolder[]): string[] {
  const names = folders.flatMap(({ path }) =>
    entries(join(path, 'kernels')).filter((name) => existsSync(join(path, 'kernels', name, 'kernel.json'))),
  );
  return [...new Set(names)].sort();
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function notFound(kernel: string, known: readonly string[], folders: readonly DataFolder[]): AssayError {
  const where = folders.map(({ path }) => join(path, 'kernels')).join(', ');
  const isPython = /^python\d*$/i.test(kernel);
  return new AssayError({
    code: 'environment',
    message: `There is no Jupyter kernel named ${kernel} here`,
    because:
      known.length === 0
        ? `none is installed in ${where}`
        : `installed are: ${known.join(', ')} (in ${where})`,
    fix: isPython
      ? 'Run `script/setup`, or install one: `python3 -m venv .venv && .venv/bin/pip install ipykernel`, then put .venv/bin on PATH'
      : `Install it (see ${kernelList}), or name one that is installed`,
  });
}

const kernelList = 'https://github.com/jupyter/jupyter/wiki/Jupyter-kernels';
