import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { AssayError } from '../../core/index.ts';
import {
  createSandbox,
  type Limits,
  resultPathProblem,
  type Sandbox,
  systemClock,
} from '../../sandbox/index.ts';
import { defaultLimits } from '../limits.ts';
import type { Kernel, KernelLimits, OpenKernelOptions } from '../types.ts';
import { codeIsAnother, layGround, reopen } from './ground.ts';
import { type Invocation, invocationOf } from './invocation.ts';
import { JupyterKernel } from './jupyter-kernel.ts';
import { KernelProcess } from './kernel-process.ts';
import { type Environment, findKernelSpec } from './kernelspec.ts';
import { FontCache, type MatplotlibFiles, matplotlibSettings } from './matplotlib.ts';
import { workingFiles } from './working-files.ts';
import { loadZeroMq } from './zeromq.ts';

export type OpenJupyterOptions = OpenKernelOptions & {
  /** An installed kernel's name, or the absolute path of a folder with a `kernel.json`. Default `python3`. */
  kernel?: string;
  /**
   * A folder on the host to work in, made where it is missing and kept at the end. Under root it is opened to all, so
   * have it inside one that only root can enter. Default: one of the kernel's own, removed at the end.
   */
  folder?: string;
  /** Host folders and files shown read-only below the working folder. The code must be able to read them. */
  readOnly?: readonly { source: string; path: string }[];
  /** Refuse to run where a limit cannot be enforced. Default true. */
  strict?: boolean;
  /** Shared with other kernels, and left open. Default: one of its own. */
  sandbox?: Sandbox;
  /** Where kernels and their programs are looked for. Default: this process's. */
  env?: Environment;
  /** How long it may take until the kernel answers. Default 60 s: the first start after an install reads the disk. */
  startMs?: number;
  /** How long after an interrupt a cell may go on before the next step. Default 5 s. */
  interruptGraceMs?: number;
};

/**
 * Starts an installed Jupyter kernel in a sandbox without network and waits until it answers.
 *
 * @throws AssayError `environment` where there is no such kernel, no sandbox, or it does not come up; `usage` for a
 * path in `readOnly` that is none
 */
export async function openJupyterKernel(options: OpenJupyterOptions = {}): Promise<Kernel> {
  const env = options.env ?? process.env;
  const readOnly = options.readOnly ?? [];
  for (const shown of readOnly) checkShown(shown);
  const spec = findKernelSpec({ kernel: options.kernel ?? 'python3', env });
  const [zeromq, invocation] = await Promise.all([loadZeroMq(), invocationOf({ spec, env })]);
  const limits = { ...defaultLimits, ...options.limits };
  const sandbox = options.sandbox ?? createSandbox();
  const staging = sandbox.stage();
  const strict = options.strict ?? true;
  const drawing =
    spec.language === 'python' ? prepareDrawing({ invocation, env, sandbox, strict }) : nothingDrawn;
  const release = async () => {
    await drawing.end();
    staging.remove();
    if (options.sandbox === undefined) sandbox.close();
  };
  try {
    const ground = layGround({
      staging,
      readOnly,
      ...(options.folder === undefined ? {} : { work: options.folder }),
    });
    const start = (signal: AbortSignal) => {
      reopen(ground.work);
      return KernelProcess.start({
        zeromq,
        sandbox,
        ground,
        invocation,
        limits: sandboxLimits(limits),
        strict,
        clock: options.clock ?? systemClock,
        startMs: options.startMs ?? 60_000,
        matplotlibFiles: drawing.files(),
        signal,
      });
    };
    const first = await start(options.signal ?? new AbortController().signal);
    return new JupyterKernel({
      spec,
      first,
      start,
      release,
      limits,
      files: workingFiles({ root: ground.work, leftOut: readOnly.map(({ path }) => path) }),
      clock: options.clock ?? systemClock,
      interruptGraceMs: options.interruptGraceMs ?? 5000,
      ...(options.onSpill === undefined ? {} : { onSpill: options.onSpill }),
    });
  } catch (error) {
    await release();
    throw error;
  }
}

type Drawing = { files: () => MatplotlibFiles; end: () => Promise<void> };

const nothingDrawn: Drawing = { files: () => ({}), end: async () => {} };

/** Puts matplotlib's list of fonts together while the first kernel starts, for the next ones to find it. */
function prepareDrawing(options: {
  invocation: Invocation;
  env: Environment;
  sandbox: Sandbox;
  strict: boolean;
}): Drawing {
  const { invocation, env, sandbox, strict } = options;
  const { toolchain } = invocation;
  const ending = new AbortController();
  const cache = new FontCache({ toolchain, env });
  const settings = matplotlibSettings({ program: toolchain.program });
  const { signal } = ending;
  const making = cache.read() === null ? cache.make({ sandbox, toolchain, strict, signal }) : null;
  return {
    files: () => ({ ...settings, ...cache.read() }),
    async end() {
      ending.abort();
      await making;
    },
  };
}

function sandboxLimits({ memoryBytes, pids }: KernelLimits): Limits {
  return {
    // Cells have deadlines; a kernel lives as long as its run.
    wallMs: 30 * 24 * 3_600_000,
    memoryBytes,
    pids,
    cpus: availableParallelism(),
    // The kernel's own log; what cells print comes in messages.
    output: { maxBytes: 64 * 1024, onExcess: 'truncate' },
    tmpBytes: Math.max(2 ** 20, memoryBytes / 2),
    fileBytes: 16 * 2 ** 30,
    openFiles: 4096,
  };
}

function checkShown({ source, path }: { source: string; path: string }): void {
  const problem = resultPathProblem(path);
  if (problem !== null) {
    throw new AssayError({
      code: 'usage',
      message: `${JSON.stringify(path)} is no path below the working folder`,
      because: problem,
      fix: 'Use a plain relative path, such as data',
    });
  }
  const stats = statSync(source, { throwIfNoEntry: false });
  if (stats === undefined) {
    throw new AssayError({
      code: 'input',
      message: `${source} is not there`,
      fix: 'Name a file or folder that exists',
    });
  }
  const needed = stats.isDirectory() ? 0o005 : 0o004;
  if (!codeIsAnother() || (stats.mode & needed) === needed) return;
  throw new AssayError({
    code: 'environment',
    message: `${source} could not be read by the analysis`,
    because:
      'assay runs as root, so the analysis runs as another user than root, and this is open to root alone',
    fix: `Let others read it: chmod -R o+rX ${source}; or run assay as an ordinary user`,
  });
}
