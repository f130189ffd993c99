import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AssayError } from '../../core/index.ts';
import { resultPathProblem, systemClock } from '../../sandbox/index.ts';
import { workingFiles } from '../jupyter/working-files.ts';
import { defaultLimits } from '../limits.ts';
import type { Kernel, KernelInfo, OpenKernelOptions } from '../types.ts';
import { E2bKernel } from './e2b-kernel.ts';
import { Mirror } from './mirror.ts';
import type { Remote } from './remote.ts';
import { ReplayLog } from './replay-log.ts';
import { connectionOf, loadSdk } from './sdk.ts';
import { Session } from './session.ts';

export type OpenE2bOptions = OpenKernelOptions & {
  /** With `E2B_API_KEY`, and `E2B_DOMAIN`, `E2B_API_URL`, `E2B_SANDBOX_URL` where the service is another's. */
  env: Readonly<Record<string, string | undefined>>;
  /** Sandbox template. Default: the SDK's own for code, `code-interpreter-v1`. */
  template?: string;
  /** Of the interpreter, as the service names it. Default `python`; others are interrupted by a restart only. */
  language?: string;
  /**
   * A folder on this machine that the working folder is kept the same as: what it holds is sent at the start, and what
   * each cell writes is fetched. Default: one of the kernel's own, removed at the end.
   */
  folder?: string;
  /** Files and folders of this machine sent below the working folder. Changes of them by the code are not fetched. */
  readOnly?: readonly { source: string; path: string }[];
  /** The working folder in the sandbox, absolute. Default `/home/user/assay`. */
  remoteFolder?: string;
  /** Let the code reach the internet. Default false. */
  network?: boolean;
  /** Environment of the code. */
  envs?: Readonly<Record<string, string>>;
  /** How long the sandbox outlives this process, in milliseconds; extended while the kernel is open. Default 10 min. */
  lifetimeMs?: number;
  /**
   * What the service does with a sandbox at the end of its lifetime. Default `kill`: nothing is left over, and it is made
   * anew with its state when it is needed. `pause` keeps it, at a cost, until somebody deletes it.
   */
  onExpiry?: 'kill' | 'pause';
  /** How long an interrupted cell may go on before the next step. Default 5 s. */
  interruptGraceMs?: number;
  /** How long the interpreter may take to answer a probe after a cell was broken off. Default 3 s. */
  probeMs?: number;
  /** How long one request that is no cell may take. Default 30 s. */
  requestMs?: number;
};

/**
 * Opens a kernel in a sandbox of E2B. Memory and processes are limited by the template, not by `limits`.
 *
 * @throws AssayError `usage` where there is no key, it is refused, or a path in `readOnly` is none; `environment` where
 * no sandbox comes up
 */
export async function openE2bKernel(options: OpenE2bOptions): Promise<Kernel> {
  const connection = connectionOf(options.env);
  const readOnly = options.readOnly ?? [];
  for (const { path: shown } of readOnly) checkShown(shown);
  const sdk = await loadSdk();
  const limits = { ...defaultLimits, ...options.limits };
  const language = options.language ?? 'python';
  const folder = options.remoteFolder ?? '/home/user/assay';
  const own = mkdtempSync(path.join(tmpdir(), 'assay-e2b-'));
  const { root, incoming } = layFolders(own, options.folder);
  const release = () => {
    for (const made of [own, incoming]) rmSync(made, { recursive: true, force: true });
  };
  try {
    const log = new ReplayLog({ blobs: path.join(own, 'blobs') });
    const local = workingFiles({ root, leftOut: [] });
    const leftOut = readOnly.map((shown) => shown.path);
    const session = new Session({
      remote: {
        sdk,
        connection,
        template: options.template,
        language,
        folder,
        lifetimeMs: options.lifetimeMs ?? 10 * 60_000,
        onExpiry: options.onExpiry ?? 'kill',
        network: options.network ?? false,
        envs: options.envs ?? {},
        requestMs: options.requestMs ?? 30_000,
      },
      mirror: new Mirror({ root, incoming, folder, leftOut }),
      log,
      root,
      local,
      readOnly,
      probeMs: options.probeMs ?? 3000,
    });
    const remote = await session.open(options.signal ?? new AbortController().signal);
    return new E2bKernel({
      info: infoOf(remote, language),
      session,
      log,
      files: { ...local, write: (file, bytes) => session.write(file, bytes) },
      limits,
      clock: options.clock ?? systemClock,
      graceMs: options.interruptGraceMs ?? 5000,
      release,
      ...(options.onSpill === undefined ? {} : { onSpill: options.onSpill }),
    });
  } catch (error) {
    release();
    throw error;
  }
}

/** Files on their way lie beside the folder they go to, on the same disk. */
function layFolders(own: string, folder: string | undefined): { root: string; incoming: string } {
  const root = folder ?? path.join(own, 'work');
  mkdirSync(root, { recursive: true });
  const incoming =
    folder === undefined ? path.join(own, 'incoming') : mkdtempSync(`${path.resolve(folder)}.assay-`);
  mkdirSync(incoming, { recursive: true });
  return { root, incoming };
}

function infoOf(remote: Remote, language: string): KernelInfo {
  return {
    name: language,
    language,
    languageVersion: remote.hello?.languageVersion ?? '',
    implementation: remote.hello?.implementation ?? `E2B ${language}`,
    runtime: 'e2b',
    enforcement: null,
  };
}

function checkShown(shown: string): void {
  const problem = resultPathProblem(shown);
  if (problem === null) return;
  throw new AssayError({
    code: 'usage',
    message: `${JSON.stringify(shown)} is no path below the working folder`,
    because: problem,
    fix: 'Use a plain relative path, such as data',
  });
}
