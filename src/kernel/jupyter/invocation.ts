import { isAbsolute, join } from 'node:path';
import { resolveToolchain, type Toolchain } from '../../sandbox/index.ts';
import { connectionFile, matplotlibFolder } from './ground.ts';
import type { Environment, KernelSpec } from './kernelspec.ts';

/** How a kernel is started inside the sandbox. */
export type Invocation = { argv: [string, ...string[]]; env: Record<string, string>; toolchain: Toolchain };

/** @throws AssayError `environment` where the program of the kernel is not installed */
export async function invocationOf(options: { spec: KernelSpec; env: Environment }): Promise<Invocation> {
  const { spec, env } = options;
  const [program, ...rest] = spec.argv;
  // A relative program counts from the description, which is mounted below.
  const toolchain = await resolveToolchain({ program: fill(program, spec), cwd: spec.folder, env });
  const named = apartFromWork(rest.map((argument) => fill(argument, spec)));
  return {
    argv: [toolchain.program, ...named, ...(isIpykernel(spec) ? ipykernelOptions : [])],
    env: { ...(spec.language === 'python' ? pythonEnv : {}), ...expand(spec.env, env) },
    // What the description refers to in its own folder, e.g. a start script.
    toolchain: { ...toolchain, prefixes: withFolder(toolchain.prefixes, spec.folder) },
  };
}

function fill(argument: string, { folder }: KernelSpec): string {
  return argument.replaceAll('{connection_file}', connectionFile).replaceAll('{resource_dir}', folder);
}

function withFolder(prefixes: readonly string[], folder: string): string[] {
  const inside = prefixes.some((prefix) => folder.startsWith(join(prefix, '/')));
  return inside || !isAbsolute(folder) ? [...prefixes] : [...prefixes, folder];
}

/**
 * `python -m` looks into the working folder first, and older launchers leave it there: a `json.py` among the data would
 * then be taken for the library's while the kernel starts. IPython puts the folder where it belongs later on.
 */
const launch =
  "import sys; '' in sys.path and sys.path.remove(''); from ipykernel import kernelapp; kernelapp.launch_new_instance()";

function apartFromWork(args: readonly string[]): string[] {
  const at = args.indexOf('-m');
  const isLauncher = at >= 0 && /^ipykernel(?:_launcher)?$/.test(args[at + 1] ?? '');
  return isLauncher ? [...args.slice(0, at), '-c', launch, ...args.slice(at + 2)] : [...args];
}

const isIpykernel = ({ argv }: KernelSpec) =>
  argv.some((argument) => /\bipykernel(_launcher)?\b/.test(argument));

/** History on disk costs time at each cell and locks out other kernels; colours and control characters confuse models. */
const ipykernelOptions = [
  '--HistoryManager.hist_file=:memory:',
  '--HistoryManager.enabled=False',
  '--InteractiveShell.colors=nocolor',
];

const pythonEnv = {
  IPYTHONDIR: '/tmp/.ipython',
  MPLCONFIGDIR: matplotlibFolder,
  MPLBACKEND: 'module://matplotlib_inline.backend_inline',
  // Else a warning about debuggers in the kernel's log.
  PYDEVD_DISABLE_FILE_VALIDATION: '1',
  // Compiled files of the analysis' own modules are nobody's result.
  PYTHONDONTWRITEBYTECODE: '1',
};

/** `${NAME}` in a description stands for a variable of whoever starts the kernel; a kernel here has none but these. */
function expand(variables: Record<string, string>, env: Environment): Record<string, string> {
  const value = (name: string) => (passedOn.has(name) ? (env[name] ?? '') : '');
  return Object.fromEntries(
    Object.entries(variables).map(([name, text]) => [
      name,
      text.replaceAll(/\$\{(\w+)\}/g, (_, inner: string) => value(inner)),
    ]),
  );
}

/** Everything else of the runner's environment may be a secret. */
const passedOn = new Set(['PATH', 'LANG', 'TZ', 'CONDA_PREFIX', 'VIRTUAL_ENV', 'JAVA_HOME', 'R_HOME']);
