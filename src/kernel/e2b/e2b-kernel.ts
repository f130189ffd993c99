import type { CellEnd, CellResult, Clock, Output } from '../../core/index.ts';
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
import { type Awaited, awaitEnd } from './await-end.ts';
import { endOf } from './cell-end.ts';
import { CellOutputs } from './cell-outputs.ts';
import { flooded, withLimit } from './output-limit.ts';
import { type Remote, RemoteFailure } from './remote.ts';
import type { RemoteEnd } from './remote-cell.ts';
import { type ReplayLog, traceOf } from './replay-log.ts';
import { cannotRestart } from './service-error.ts';
import type { Session } from './session.ts';

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
  readonly #whenClosing: Promise<void>;
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
    this.#whenClosing = new Promise((resolve) => {
      this.#closing.signal.addEventListener('abort', () => resolve(), { once: true });
    });
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
    // One that was being made meanwhile.
    await this.#options.session.close();
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
      throw cannotRestart(error.failure);
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
      const end = await this.#endOf(awaited);
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
    const { clock, graceMs, limits } = this.#options;
    const { remote } = life;
    const deadlineMs = options.deadlineMs ?? limits.deadlineMs;
    const outputs = this.#newOutputs(options);
    const current = { remote, isInterrupted: false, isRestarted: false };
    this.#current = current;
    const flood = new AbortController();
    const lost = Promise.race([life.lost, this.#whenClosing]).then(
      (): RemoteEnd => ({
        kind: 'failed',
        failure: { kind: 'gone', detail: 'it was not found' },
        hasStarted: true,
      }),
    );
    const ended = remote.run(code, {
      // The SDK's own deadline is the second interrupt: the service sends one when the request is broken off.
      timeoutMs: remote.canInterrupt ? deadlineMs + graceMs : deadlineMs,
      sink: withLimit(outputs, () => flood.abort()),
      ...(options.storeHistory === undefined ? {} : { storeHistory: options.storeHistory }),
    });
    const awaited = await awaitEnd({
      ended: Promise.race([ended, lost]),
      clock,
      deadlineMs,
      graceMs,
      interrupt: () => remote.interrupt(graceMs),
      signal: AbortSignal.any([flood.signal, ...(options.signal === undefined ? [] : [options.signal])]),
    });
    this.#current = null;
    this.#remember(outputs.displays);
    const { end } = awaited;
    const result = outputs.result(end?.kind === 'ended' ? end.executionCount : null);
    if (flood.signal.aborted) result.warnings.push(flooded);
    if (options.storeHistory !== false) this.#log({ code, deadlineMs, result, awaited, current });
    const wasInterrupted = current.isInterrupted && end?.kind === 'ended' && end.error !== null;
    const stopped = awaited.stopped ?? (wasInterrupted ? { why: 'aborted' } : null);
    return { result, awaited: { end, stopped, wasRestarted: current.isRestarted } };
  }

  #remember(displays: Iterable<string>): void {
    for (const display of displays) this.#displays.add(display);
    if (this.#displays.size > maxDisplays)
      this.#displays = new Set([...this.#displays].slice(-maxDisplays / 2));
  }

  /** Notes what it takes to come to the same state in another sandbox. */
  #log(cell: {
    code: string;
    deadlineMs: number;
    result: Pick<CellResult, 'outputs'>;
    awaited: Awaited;
    current: { isInterrupted: boolean; isRestarted: boolean };
  }): void {
    const { code, deadlineMs, awaited, current } = cell;
    const { log } = this.#options;
    const { end, stopped } = awaited;
    const ranToItsEnd = end?.kind === 'ended' && stopped === null && !current.isInterrupted;
    if (ranToItsEnd && !current.isRestarted)
      log.addCell({ code, deadlineMs, trace: traceOf(cell.result.outputs, end.error?.ename ?? null) });
    else if (!wasNotTaken(awaited)) log.addBrokenOff();
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

  async #endOf(awaited: Awaited & { wasRestarted: boolean }): Promise<CellEnd> {
    if (this.#closing.signal.aborted) return closedEnd;
    if (!awaited.wasRestarted) return endOf(this.#options.session, awaited);
    await this.#restarting;
    return { status: 'interrupted', stateLost: true };
  }
}

/** The service said no before anything of the cell ran. */
function wasNotTaken({ end }: Awaited): boolean {
  if (end?.kind !== 'failed' || end.hasStarted) return false;
  return end.failure.kind === 'gone' || end.failure.kind === 'context';
}
