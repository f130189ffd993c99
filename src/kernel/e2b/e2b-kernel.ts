import { AssayError, type CellEnd, type CellResult, type Clock, type Output } from '../../core/index.ts';
import { OutputCollector } from '../output-collector.ts';
import type {
  ExecuteOptions,
  Kernel,
  KernelFiles,
  KernelInfo,
  KernelLimits,
  OpenKernelOptions,
} from '../types.ts';
import { type Awaited, awaitEnd } from './await-end.ts';
import { CellOutputs } from './cell-outputs.ts';
import { type Remote, RemoteFailure } from './remote.ts';
import type { RemoteEnd } from './remote-cell.ts';
import { type ReplayLog, traceOf } from './replay-log.ts';
import { type Session, unavailable } from './session.ts';

export type E2bKernelOptions = {
  info: KernelInfo;
  session: Session;
  log: ReplayLog;
  files: KernelFiles;
  limits: KernelLimits;
  clock: Clock;
  graceMs: number;
  /** Gives back what the kernel holds on this machine. */
  release: () => void;
  onSpill?: NonNullable<OpenKernelOptions['onSpill']>;
};

/** Displays remembered for updates by later cells. */
const maxDisplays = 10_000;

/** A kernel in a sandbox of E2B, which may vanish at any time and is then made anew. */
export class E2bKernel implements Kernel {
  readonly #options: E2bKernelOptions;
  readonly info: KernelInfo;
  readonly files: KernelFiles;
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #restarting: Promise<unknown> = Promise.resolve();
  #interrupting: Promise<unknown> = Promise.resolve();
  /** The cell that runs, and what was asked for it from outside. */
  #current: { remote: Remote; isInterrupted: boolean; isRestarted: boolean } | null = null;
  #displays = new Set<string>();
  #closed: Promise<void> | null = null;

  constructor(options: E2bKernelOptions) {
    this.#options = options;
    this.info = options.info;
    this.files = options.files;
  }

  execute(code: string, options: ExecuteOptions = {}): Promise<CellResult> {
    const { clock } = this.#options;
    const result = this.#last.then(async () => {
      const startedAt = clock.monotonicMs();
      const cell = await this.#run(code, options);
      return { ...cell, durationMs: Math.max(0, clock.monotonicMs() - startedAt) };
    });
    this.#last = result.catch(() => {});
    return result;
  }

  async interrupt(): Promise<void> {
    const current = this.#current;
    if (current === null) return;
    current.isInterrupted = true;
    const sent = current.remote.interrupt(this.#options.graceMs);
    this.#interrupting = sent;
    // Where a signal cannot be sent, nothing but a fresh interpreter ends the cell.
    if (!(await sent) && this.#current === current) await this.restart();
  }

  async restart(): Promise<void> {
    if (this.#closing.signal.aborted) throw closed();
    if (this.#current !== null) this.#current.isRestarted = true;
    const restarted = this.#restart();
    this.#restarting = restarted.catch(() => {});
    await restarted;
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    this.#closing.abort();
    await this.#options.session.close();
    await this.#last;
    this.#options.release();
  }

  async #restart(): Promise<void> {
    const { session } = this.#options;
    try {
      await session.restart();
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      // The next cell gets a new sandbox, which is as fresh.
      if (error.failure.kind === 'gone') return session.giveUp(error.failure);
      throw new AssayError({
        code: 'environment',
        message: 'The interpreter could not be started anew',
        because: error.failure.detail,
        fix: 'Run the cell again, or open another kernel',
      });
    }
  }

  async #run(code: string, options: ExecuteOptions): Promise<Omit<CellResult, 'durationMs'>> {
    const { session } = this.#options;
    const warnings: string[] = [];
    for (let attempt = 0; ; attempt++) {
      await this.#restarting;
      await this.#interrupting;
      if (this.#closing.signal.aborted) return { ...nothingRan, end: closedEnd };
      if (options.signal?.aborted)
        return { ...nothingRan, warnings, end: { status: 'interrupted', stateLost: false } };
      const ready = await session.ready(this.#closing.signal);
      if ('end' in ready)
        return { ...nothingRan, warnings, end: this.#closing.signal.aborted ? closedEnd : ready.end };
      warnings.push(...ready.warnings);
      const { result, awaited } = await this.#attempt(code, options, ready.life);
      if (attempt === 0 && wasNotTaken(awaited) && !this.#closing.signal.aborted) {
        await this.#recover(awaited);
        continue;
      }
      const end = await this.#endOf(awaited, options);
      const fetched = this.#closing.signal.aborted ? [] : await session.sync();
      return { ...result, end, warnings: [...warnings, ...result.warnings, ...fetched] };
    }
  }

  async #attempt(
    code: string,
    options: ExecuteOptions,
    life: { remote: Remote; lost: Promise<unknown> },
  ): Promise<{
    result: Omit<CellResult, 'end' | 'durationMs'>;
    awaited: Awaited & { wasRestarted: boolean };
  }> {
    const { clock, graceMs, limits, log } = this.#options;
    const { remote } = life;
    const deadlineMs = options.deadlineMs ?? limits.deadlineMs;
    const outputs = this.#newOutputs(options);
    const current = { remote, isInterrupted: false, isRestarted: false };
    this.#current = current;
    const lost = life.lost.then(
      (): RemoteEnd => ({
        kind: 'failed',
        failure: { kind: 'gone', detail: 'it was not found' },
        hasStarted: true,
      }),
    );
    const ended = remote.run(code, {
      // The SDK's own deadline is the second interrupt: the service sends one when the request is broken off.
      timeoutMs: remote.canInterrupt ? deadlineMs + graceMs : deadlineMs,
      sink: outputs,
      ...(options.storeHistory === undefined ? {} : { storeHistory: options.storeHistory }),
    });
    const awaited = await awaitEnd({
      ended: Promise.race([ended, lost]),
      clock,
      deadlineMs,
      graceMs,
      interrupt: () => remote.interrupt(graceMs),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    this.#current = null;
    const { end } = awaited;
    for (const display of outputs.displays) this.#displays.add(display);
    if (this.#displays.size > maxDisplays)
      this.#displays = new Set([...this.#displays].slice(-maxDisplays / 2));
    const result = outputs.result(end?.kind === 'ended' ? end.executionCount : null);
    if (
      end?.kind === 'ended' &&
      awaited.stopped === null &&
      options.storeHistory !== false &&
      !current.isRestarted
    )
      log.addCell({ code, deadlineMs, trace: traceOf(result.outputs, end.error?.ename ?? null) });
    if (current.isInterrupted && awaited.stopped === null && end?.kind === 'ended' && end.error !== null)
      return { result, awaited: { stopped: { why: 'aborted' }, end, wasRestarted: current.isRestarted } };
    return { result, awaited: { ...awaited, wasRestarted: current.isRestarted } };
  }

  #newOutputs(options: ExecuteOptions): CellOutputs {
    const { limits, onSpill } = this.#options;
    return new CellOutputs({
      collector: new OutputCollector({
        outputBytes: limits.outputBytes,
        ...(onSpill === undefined ? {} : { onSpill }),
      }),
      onOutput: (output: Output) => options.onOutput?.(output),
      knownDisplays: this.#displays,
    });
  }

  /** The cell was not taken at all, so that it can be given once more. */
  async #recover({ end }: Awaited): Promise<void> {
    const { session } = this.#options;
    if (end?.kind === 'failed' && end.failure.kind === 'gone') await session.giveUp(end.failure);
    else session.suspect();
  }

  /** What became of the cell; leaves the interpreter as one that the next cell can be run in. */
  async #endOf(awaited: Awaited & { wasRestarted: boolean }, options: ExecuteOptions): Promise<CellEnd> {
    if (this.#closing.signal.aborted) return closedEnd;
    if (awaited.wasRestarted) {
      await this.#restarting;
      return { status: 'interrupted', stateLost: true };
    }
    try {
      if (awaited.stopped !== null) return await this.#endOfStopped(awaited, options);
      return awaited.end === null ? { status: 'aborted' } : await this.#endByItself(awaited.end);
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      if (error.failure.kind === 'gone') await this.#options.session.giveUp(error.failure);
      else this.#options.session.suspect();
      return unavailable(error.failure);
    }
  }

  async #endOfStopped({ stopped, end }: Awaited, options: ExecuteOptions): Promise<CellEnd> {
    const { session } = this.#options;
    let stateLost = false;
    if (end === null) {
      await session.restart();
      stateLost = true;
    } else if (end.kind === 'restarted') {
      await session.reenter();
      stateLost = true;
    } else if (end.kind === 'failed' && end.failure.kind === 'gone') {
      await session.giveUp(end.failure);
    } else if (end.kind !== 'ended') {
      stateLost = !(await session.probeOrRestart());
    }
    if (stopped?.why === 'deadline') return { status: 'timeout', deadlineMs: stopped.deadlineMs, stateLost };
    return {
      status: 'interrupted',
      stateLost: stateLost || options.signal === undefined ? stateLost : false,
    };
  }

  async #endByItself(end: RemoteEnd): Promise<CellEnd> {
    const { session } = this.#options;
    switch (end.kind) {
      case 'ended':
        return end.error === null ? { status: 'ok' } : { status: 'error', ...end.error };
      case 'restarted':
        await session.reenter();
        return {
          status: 'died',
          cause: 'unknown',
          detail:
            "the interpreter's process ended while the cell ran, as when memory runs out; E2B started another",
        };
      case 'aborted':
        return { status: 'aborted' };
      case 'cut':
        session.suspect();
        return {
          status: 'unavailable',
          detail: `E2B: ${end.detail}; the cell may have run`,
          fix: 'Look at what is there, then run the cell again where it is needed',
        };
      case 'failed':
        if (end.failure.kind === 'gone') await session.giveUp(end.failure);
        else session.suspect();
        return unavailable(end.failure);
    }
  }
}

/** The service said no before anything of the cell ran. */
function wasNotTaken({ end }: Awaited): boolean {
  if (end?.kind !== 'failed' || end.hasStarted) return false;
  return end.failure.kind === 'gone' || end.failure.kind === 'context';
}

const closedEnd: CellEnd = {
  status: 'unavailable',
  detail: 'the kernel is closed',
  fix: 'Open another kernel',
};

const nothingRan: Omit<CellResult, 'end' | 'durationMs'> = {
  executionCount: null,
  outputs: [],
  streamBytes: { stdout: 0, stderr: 0 },
  truncated: false,
  warnings: [],
};

function closed(): AssayError {
  return new AssayError({ code: 'environment', message: 'The kernel is closed', fix: 'Open another kernel' });
}
