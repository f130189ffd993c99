import { AssayError, type CellEnd, type CellResult, type Clock } from '../../core/index.ts';
import { closed, closedEnd, nothingRan } from '../no-run.ts';
import { OutputCollector } from '../output-collector.ts';
import type {
  ExecuteOptions,
  Kernel,
  KernelFiles,
  KernelInfo,
  KernelLimits,
  OpenKernelOptions,
} from '../types.ts';
import { awaitCell, type Waited } from './await-cell.ts';
import { CellRun } from './cell-run.ts';
import { died, hasDied } from './death.ts';
import { infoOf } from './kernel-info.ts';
import type { KernelProcess } from './kernel-process.ts';
import type { KernelSpec } from './kernelspec.ts';
import { LateOutput } from './late-output.ts';
import { merge } from './merge-late.ts';

export type JupyterKernelOptions = {
  spec: KernelSpec;
  first: KernelProcess;
  /** Starts the next process. */
  start: (signal: AbortSignal) => Promise<KernelProcess>;
  /** Gives back what the kernel holds on the host, once no process of it lives. */
  release: () => Promise<void>;
  limits: KernelLimits;
  files: KernelFiles;
  clock: Clock;
  interruptGraceMs: number;
  onSpill?: NonNullable<OpenKernelOptions['onSpill']>;
};

/** A kernel over the Jupyter protocol: one process at a time, started anew when it is lost. */
export class JupyterKernel implements Kernel {
  readonly #options: JupyterKernelOptions;
  readonly #closing = new AbortController();
  readonly info: KernelInfo;
  readonly files: KernelFiles;
  /** The process that runs cells, or that ran them and has died. */
  #process: KernelProcess | null = null;
  #starting: Promise<KernelProcess> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #current: { run: CellRun; process: KernelProcess } | null = null;
  #late = new LateOutput();
  /** Asked for from outside, for the cell that runs. */
  #interrupted = false;
  #restarted = false;
  #interrupting: Promise<unknown> = Promise.resolve();

  constructor(options: JupyterKernelOptions) {
    this.#options = options;
    this.files = options.files;
    this.info = infoOf(options.spec, options.first);
    this.#adopt(options.first);
  }

  execute(code: string, options: ExecuteOptions = {}): Promise<CellResult> {
    const result = this.#last.then(() => this.#run(code, options));
    this.#last = result.catch(() => {});
    return result;
  }

  async interrupt(): Promise<void> {
    const current = this.#current;
    if (current === null) return;
    this.#interrupted = true;
    await this.#interruptBy(current.process);
  }

  async restart(): Promise<void> {
    if (this.#closing.signal.aborted) throw closed();
    this.#restarted = this.#current !== null;
    await this.#starting?.catch(() => {});
    const process = this.#process;
    this.#process = null;
    await process?.kill();
    await this.#startAnew();
  }

  async close(): Promise<void> {
    if (!this.#closing.signal.aborted) {
      this.#closing.abort();
      this.#closed = this.#end();
    }
    await this.#closed;
  }

  #closed: Promise<void> = Promise.resolve();

  async #end(): Promise<void> {
    await this.#starting?.catch(() => {});
    await this.#process?.kill();
    await this.#last;
    await this.#options.release();
  }

  async #run(code: string, options: ExecuteOptions): Promise<CellResult> {
    const { clock } = this.#options;
    const startedAt = clock.monotonicMs();
    for (let attempt = 0; ; attempt++) {
      const result = await this.#attempt(code, options);
      if (result.end.status === 'aborted' && attempt < maxResends) {
        await new Promise((resolve) => setTimeout(resolve, resendMs));
        continue;
      }
      return { ...result, durationMs: Math.max(0, clock.monotonicMs() - startedAt) };
    }
  }

  async #attempt(code: string, options: ExecuteOptions): Promise<Omit<CellResult, 'durationMs'>> {
    if (options.signal?.aborted) return { ...nothingRan, end: { status: 'interrupted', stateLost: false } };
    const ready = await this.#ready();
    if ('status' in ready) return { ...nothingRan, end: ready };
    // An interrupt meant for the last cell must not hit this one.
    await this.#interrupting;
    const run = this.#newRun(options);
    this.#current = { run, process: ready };
    this.#interrupted = false;
    this.#restarted = false;
    const id = this.#send(ready, run, code, options);
    const waited = await awaitCell({
      run,
      process: ready,
      clock: this.#options.clock,
      deadlineMs: options.deadlineMs ?? this.#options.limits.deadlineMs,
      graceMs: this.#options.interruptGraceMs,
      interrupt: (second) => this.#interruptBy(ready, second),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    this.#current = null;
    ready.forget(id);
    const end = this.#endOf(run, waited);
    // A cell that was not run tells nothing and takes nothing, nor does one that is kept out of the history.
    const takesNone = end.status === 'aborted' || options.storeHistory === false;
    const late = takesNone ? { warnings: [] } : this.#late.drain();
    const result = run.result();
    this.#late.remember(id, { executionCount: run.executionCount, displays: run.displays });
    if (waited.isLost) this.#lose(ready);
    return { ...merge(result, late), end };
  }

  #newRun(options: ExecuteOptions): CellRun {
    const { limits, onSpill } = this.#options;
    return new CellRun({
      collector: new OutputCollector({
        outputBytes: limits.outputBytes,
        ...(onSpill === undefined ? {} : { onSpill }),
      }),
      onOutput: (output) => options.onOutput?.(output),
      isKnownDisplay: (displayId) => this.#late.isKnownDisplay(displayId),
    });
  }

  #send(process: KernelProcess, run: CellRun, code: string, options: ExecuteOptions): string {
    const content = {
      code,
      silent: false,
      store_history: options.storeHistory ?? true,
      user_expressions: {},
      allow_stdin: false,
      // Cells come one at a time, so there is never one to be dropped after a failure.
      stop_on_error: false,
    };
    return process.request('shell', 'execute_request', content, (channel, message) => {
      run.take(channel, message);
      if (channel === 'stdin' && message.type === 'input_request') process.refuseInput();
    });
  }

  #endOf(run: CellRun, waited: Waited): CellEnd {
    const { stopped, isLost, outcome } = waited;
    if (this.#restarted && isLost) return { status: 'interrupted', stateLost: true };
    if (this.#closing.signal.aborted && isLost)
      return { status: 'unavailable', detail: 'the kernel was closed', fix: 'Open another kernel' };
    if (stopped?.why === 'deadline')
      return { status: 'timeout', deadlineMs: stopped.deadlineMs, stateLost: isLost };
    if (stopped?.why === 'aborted') return { status: 'interrupted', stateLost: isLost };
    if (outcome !== null) return died(outcome, waited.log);
    const end = run.codeEnd;
    return this.#interrupted && end.status === 'error' ? { status: 'interrupted', stateLost: false } : end;
  }

  /** The process to run a cell in, or the end of a cell that cannot run. */
  async #ready(): Promise<KernelProcess | CellEnd> {
    if (this.#closing.signal.aborted) return closedEnd;
    const process = this.#process;
    if (process !== null && process.outcome !== null) {
      this.#lose(process);
      return hasDied(process.outcome, process.log);
    }
    if (process !== null) return process;
    try {
      return await (this.#starting ?? this.#startAnew());
    } catch (error) {
      if (!AssayError.is(error)) throw error;
      const because = error.because === undefined ? '' : `: ${error.because}`;
      return { status: 'unavailable', detail: `${error.message}${because}`, fix: error.fix };
    }
  }

  /** A process is gone with all variables; the next one starts while nobody waits for it yet. */
  #lose(process: KernelProcess): void {
    if (this.#process === process) this.#process = null;
    if (this.#process !== null || this.#starting !== null || this.#closing.signal.aborted) return;
    this.#startAnew().catch(() => {
      // The next cell tries again, and says why where that fails.
    });
  }

  #startAnew(): Promise<KernelProcess> {
    const starting = this.#options.start(this.#closing.signal).then((process) => this.#adopt(process));
    this.#starting = starting;
    const done = () => {
      if (this.#starting === starting) this.#starting = null;
    };
    starting.then(done, done);
    return starting;
  }

  #adopt(process: KernelProcess): KernelProcess {
    this.#process = process;
    process.onUnclaimed = (channel, message) => {
      if (channel !== 'iopub' || this.#process !== process) return;
      if (!this.#late.take(message)) this.#current?.run.takeOutput(message);
    };
    return process;
  }

  /** @param second the first was not enough: whatever the kernel may listen to */
  async #interruptBy(process: KernelProcess, second = false): Promise<void> {
    const { interruptMode } = this.#options.spec;
    const ways = second ? (['signal', 'message'] as const) : [interruptMode];
    this.#interrupting = Promise.all(ways.map((by) => process.interrupt({ by })));
    await this.#interrupting;
  }
}

/** Some kernels refuse all that comes within a moment after a failure, as they take it to have been sent before. */
const maxResends = 20;
const resendMs = 50;
