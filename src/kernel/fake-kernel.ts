import { createHash } from 'node:crypto';
import type { CellResult, KernelFile } from '../core/index.ts';
import { closedEnd, nothingRan } from './no-run.ts';
import type { ExecuteOptions, Kernel, KernelFiles, KernelInfo } from './types.ts';

/** What a fake kernel answers to one cell. What is left out is as of a cell that ran well and printed nothing. */
export type FakeReply = Partial<CellResult> & {
  /** Text by path, put into the working folder while the cell runs; null deletes. */
  files?: Record<string, string | Uint8Array | null>;
  /** Waited for before the answer; a cell that never ends is `new Promise(() => {})`, until it is interrupted. */
  until?: Promise<unknown>;
};

export type FakeKernelOptions = {
  /** One answer a cell, in order, or a function of the code. A cell after the last answer ends as `unavailable`. */
  replies: readonly FakeReply[] | ((code: string, index: number) => FakeReply | Promise<FakeReply>);
  /** The working folder at the start: text by path. */
  files?: Record<string, string | Uint8Array>;
  info?: Partial<KernelInfo>;
};

export type FakeKernel = Kernel & {
  /** The code of all cells it was given, probes of assay included. */
  readonly executed: readonly string[];
  readonly interrupts: number;
  readonly restarts: number;
  readonly closed: boolean;
};

/** A kernel without a process, which answers as it is told: the test double for loops over kernels. */
export function fakeKernel(options: FakeKernelOptions): FakeKernel {
  const folder = new Map(Object.entries(options.files ?? {}).map(([path, text]) => [path, bytesOf(text)]));
  const executed: string[] = [];
  let interrupts = 0;
  let restarts = 0;
  let closed = false;
  let count = 0;
  let interruptRunning = () => {};
  let last: Promise<unknown> = Promise.resolve();

  const replyTo = async (code: string, index: number): Promise<FakeReply> => {
    if (typeof options.replies === 'function') return options.replies(code, index);
    return options.replies[index] ?? noReply;
  };

  const runCell = async (code: string, run: ExecuteOptions): Promise<CellResult> => {
    if (closed) return { ...quiet, end: closedEnd };
    if (run.signal?.aborted) return { ...quiet, end: { status: 'interrupted', stateLost: false } };
    const interrupted = new Promise<'interrupted'>((resolve) => {
      interruptRunning = () => resolve('interrupted');
      run.signal?.addEventListener('abort', () => resolve('interrupted'), { once: true });
    });
    const index = executed.push(code) - 1;
    const { files = {}, until, ...result } = await replyTo(code, index);
    const how = await Promise.race([until, interrupted]);
    interruptRunning = () => {};
    if (how === 'interrupted') return { ...quiet, end: { status: 'interrupted', stateLost: false } };
    for (const [path, content] of Object.entries(files)) {
      if (content === null) folder.delete(path);
      else folder.set(path, bytesOf(content));
    }
    for (const output of result.outputs ?? []) run.onOutput?.(output);
    if (run.storeHistory ?? true) count++;
    return { ...quiet, executionCount: count, ...result };
  };

  return {
    info: {
      name: 'fake',
      language: 'python',
      languageVersion: '3',
      implementation: 'fake kernel',
      runtime: 'jupyter',
      enforcement: null,
      ...options.info,
    },
    execute(code, run = {}) {
      const result = last.then(() => runCell(code, run));
      // What a reply function throws is the test's own error and reaches its own caller only.
      last = result.catch(() => {});
      return result;
    },
    async interrupt() {
      interrupts++;
      interruptRunning();
    },
    async restart() {
      restarts++;
      count = 0;
      interruptRunning();
    },
    files: filesOf(folder),
    async close() {
      closed = true;
      interruptRunning();
    },
    executed,
    get interrupts() {
      return interrupts;
    },
    get restarts() {
      return restarts;
    },
    get closed() {
      return closed;
    },
  };
}

const quiet: CellResult = { ...nothingRan, end: { status: 'ok' }, durationMs: 1 };

const noReply: FakeReply = {
  end: { status: 'unavailable', detail: 'the fake kernel has no more replies', fix: 'Give it more' },
};

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : content;
}

function filesOf(folder: Map<string, Uint8Array>): KernelFiles {
  const describe = ([path, bytes]: [string, Uint8Array]): KernelFile => ({
    path,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  return {
    list: async () => [...folder].sort(([a], [b]) => (a < b ? -1 : 1)).map(describe),
    read: async (path) => folder.get(path) ?? null,
    async write(path, bytes) {
      folder.set(path, bytes);
    },
  };
}
