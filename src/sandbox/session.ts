import type { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Enforcement, Outcome, Unavailable } from '../core/index.ts';
import { Capture } from './capture.ts';
import type { Cgroup } from './cgroup/index.ts';
import { startDeadline } from './deadline.ts';
import { diagnose } from './diagnose.ts';
import type { Launched } from './launch.ts';
import { unavailableOutcome } from './outcome.ts';
import {
  identify,
  isRunning,
  killWithChildren,
  type ProcessId,
  secondOf,
  signalProcess,
} from './processes.ts';
import { decideEnding, type KillReason } from './reason.ts';
import { SetupReader, StatusReader } from './reports.ts';
import type { RunOptions } from './types.ts';

export type SessionOptions = {
  launched: Launched;
  cgroup: Cgroup;
  /** The group can now be entered without the kernel holding up the caller. */
  groupReady: Promise<void>;
  enforcement: Enforcement;
  clock: Clock;
  /** What the sandbox holds on the host; given back once all its processes are dead. */
  release: () => void;
  run: Pick<RunOptions, 'command' | 'limits' | 'signal' | 'onOutput'>;
};

/** How long bwrap and the fills may take; the command's own wall limit starts after them. */
const setupLimitMs = 60_000;

/** How long the killed get to disappear before the sandbox is given up on. SIGKILL takes effect at once unless the kernel is stuck. */
const dyingLimitMs = 5_000;

/** Turns of the event loop to wait for the killed before sleeping in between. */
const eagerTurns = 50;

/** One sandbox from the start of bwrap until everything in it is dead. */
export class Session {
  readonly #options: SessionOptions;
  readonly #stdout: Capture;
  readonly #stderr: Capture;
  readonly #status = new StatusReader();
  readonly #setup = new SetupReader();
  readonly #stops: (() => void)[] = [];
  /** null where it could not be started. */
  readonly #bwrap: ProcessId | null;
  #first: ProcessId | null = null;
  #killed: KillReason | null = null;
  #failure: Unavailable | null = null;
  #startedAt: number;
  /** Resolves when the command runs, or when it never will. */
  readonly started: Promise<void>;
  readonly outcome: Promise<Outcome>;

  constructor(options: SessionOptions) {
    const { limits } = options.run;
    this.#options = options;
    const { pid } = options.launched.child;
    this.#bwrap = pid === undefined ? null : identify(pid);
    this.#stdout = new Capture(limits.output);
    this.#stderr = new Capture(limits.output);
    this.#startedAt = options.clock.monotonicMs();
    this.#readOutput('stdout', this.#stdout);
    this.#readOutput('stderr', this.#stderr);
    this.#watchAbort();
    this.#stops.push(
      startDeadline({
        clock: options.clock,
        afterMs: setupLimitMs,
        onPassed: () => this.#fail(setupTooSlow),
      }),
    );
    this.started = this.#readSetup();
    this.#enter().catch((error: unknown) => this.#fail(cannotEnter(error)));
    this.outcome = this.#live();
  }

  /** Kills everything. The first reason given stays. */
  kill(reason: KillReason): void {
    this.#killed ??= reason;
    this.#killAll();
  }

  /** Signals the first program of the sandbox; false where it has ended or not started. */
  signal(name: NodeJS.Signals): boolean {
    const program = this.#first === null ? null : secondOf(this.#first);
    return program !== null && signalProcess(program, name);
  }

  #fail(failure: Unavailable): void {
    this.#failure ??= failure;
    this.#killAll();
  }

  #killAll(): void {
    const { cgroup, launched } = this.#options;
    if (this.#bwrap !== null) killWithChildren(this.#bwrap);
    cgroup.killAll();
    if (this.#first !== null) signalProcess(this.#first, 'SIGKILL');
    // A sandbox that is still being built waits for a word on this; end of file makes it give up.
    launched.setup.destroy();
  }

  #readOutput(stream: 'stdout' | 'stderr', capture: Capture): void {
    const { launched, run } = this.#options;
    launched[stream].on('data', (bytes: Buffer) => {
      capture.push(bytes);
      run.onOutput?.(stream, bytes);
      const { maxBytes, onExcess } = run.limits.output;
      if (onExcess === 'kill' && capture.totalBytes > maxBytes) this.kill('output_limit');
    });
  }

  #watchAbort(): void {
    const { signal } = this.#options.run;
    if (signal === undefined) return;
    const onAbort = () => this.kill('aborted');
    signal.addEventListener('abort', onAbort, { once: true });
    this.#stops.push(() => signal.removeEventListener('abort', onAbort));
    if (signal.aborted) onAbort();
  }

  /**
   * bwrap, the sandbox's pid 1 and the shell that waits at the gate are put into the group; all that ever runs descends
   * from the shell, so nothing escapes the limits.
   */
  async #enter(): Promise<void> {
    const { launched, cgroup, groupReady } = this.#options;
    const { pid } = launched.child;
    if (pid === undefined) return;
    await Promise.all([this.#childPid(), this.#atGate(), groupReady]);
    const first = this.#first;
    if (first === null || this.#setup.state.kind !== 'preparing') return;
    const shell = secondOf(first);
    if (shell === null) throw new Error('the shell inside the sandbox cannot be found in /proc');
    await cgroup.addSoon([pid, first.pid, shell.pid]);
    launched.setup.write('go\n');
  }

  #childPid(): Promise<void> {
    const { status } = this.#options.launched;
    return new Promise((resolve) => {
      status.on('data', (bytes: Buffer) => {
        this.#status.push(bytes);
        const { childPid } = this.#status;
        if (childPid === null) return;
        this.#first ??= identify(childPid);
        resolve();
      });
      status.on('close', resolve);
    });
  }

  #atGate(): Promise<void> {
    const { setup } = this.#options.launched;
    return new Promise((resolve) => {
      setup.on('data', (bytes: Buffer) => {
        this.#setup.push(bytes);
        if (this.#setup.state.kind !== 'building') resolve();
      });
      setup.on('close', resolve);
    });
  }

  #readSetup(): Promise<void> {
    const { setup } = this.#options.launched;
    setup.on('end', () => {
      if (this.#setup.state.kind === 'running') this.#startWall();
    });
    return new Promise((resolve) => setup.on('close', resolve));
  }

  #startWall(): void {
    const { clock, run } = this.#options;
    this.#stop();
    this.#watchAbort();
    this.#startedAt = clock.monotonicMs();
    this.#stops.push(
      startDeadline({ clock, afterMs: run.limits.wallMs, onPassed: () => this.kill('timeout') }),
    );
  }

  #stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  async #live(): Promise<Outcome> {
    const { launched, clock, cgroup, release } = this.#options;
    const spawnError = await ended(launched);
    const wallMs = clock.monotonicMs() - this.#startedAt;
    this.#stop();
    this.#killAll();
    const gone = await this.#allGone();
    const counters = cgroup.counters();
    // What cannot be killed keeps its group and its uid until the next sweep.
    if (gone) {
      await cgroup.remove();
      release();
    }
    return this.#describe({ spawnError, wallMs, gone, counters });
  }

  /** Whether the group is empty, pid 1 gone and all output read within the limit. */
  async #allGone(): Promise<boolean> {
    const { launched, cgroup } = this.#options;
    const giveUp = AbortSignal.timeout(dyingLimitMs);
    const read = Promise.all([closed(launched.stdout, giveUp), closed(launched.stderr, giveUp)]);
    const isGone = () => cgroup.isEmpty() && (this.#first === null || !isRunning(this.#first));
    for (let turn = 0; !isGone(); turn++) {
      if (giveUp.aborted) return false;
      // Most are gone within microseconds of bwrap's own end.
      await (turn < eagerTurns ? nextTurn() : sleep(Math.min(turn - eagerTurns + 1, 16)));
      if (turn >= eagerTurns) this.#killAll();
    }
    await read;
    return !giveUp.aborted;
  }

  #describe(ending: {
    spawnError: Error | null;
    wallMs: number;
    gone: boolean;
    counters: ReturnType<Cgroup['counters']>;
  }): Outcome {
    const { spawnError, wallMs, gone, counters } = ending;
    const { launched, run } = this.#options;
    const bwrapSaid = this.#stderr.captured();
    const decided = decideEnding({
      killed: this.#killed,
      counters,
      exitCode: this.#status.exitCode,
      bwrapSignal: launched.child.signalCode,
    });
    const unavailable =
      decided.reason === 'oom' || this.#killed !== null
        ? null
        : (this.#failure ??
          diagnose({ setup: this.#setup.state, stderr: bwrapSaid.head, spawnError, command: run.command }));
    const enforcement = gone
      ? this.#options.enforcement
      : { ...this.#options.enforcement, notes: [...this.#options.enforcement.notes, undyingNote] };
    if (unavailable !== null) return unavailableOutcome(unavailable);
    return {
      ...decided,
      stdout: this.#stdout.captured(),
      stderr: bwrapSaid,
      usage: {
        wallMs: Math.max(0, wallMs),
        cpuMs: counters.cpuMs,
        memoryPeakBytes: counters.memoryPeakBytes,
        pidsPeak: counters.pidsPeak,
      },
      enforcement,
      unavailable: null,
    };
  }
}

const undyingNote = 'processes of this sandbox did not die within 5 s of SIGKILL; they wait in the kernel';

const setupTooSlow: Unavailable = {
  cause: `the sandbox was not ready after ${setupLimitMs / 1000} s`,
  fix: 'Look at the load of the machine and at the size of the files to copy in, then try again',
};

function cannotEnter(error: unknown): Unavailable {
  const because = error instanceof Error ? error.message : String(error);
  return {
    cause: `the sandbox could not be put into its control group: ${because}`,
    fix: 'Run `assay doctor` to see which control groups this machine lets you use',
  };
}

/** Resolves when bwrap is gone, with the error that kept it from starting, if any. */
function ended({ child }: Launched): Promise<Error | null> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve(null));
    child.once('error', (error) => {
      // Also emitted when a kill fails; then the exit is still to come.
      if (child.pid === undefined) resolve(error);
    });
  });
}

/** Resolves when all output has been read: whoever could still write is dead. Or when it took too long. */
function closed(stream: Readable, giveUp: AbortSignal): Promise<void> {
  if (stream.closed) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('close', resolve);
    giveUp.addEventListener('abort', () => resolve(), { once: true });
  });
}
