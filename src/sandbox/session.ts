import type { Clock, Enforcement, Outcome, Unavailable } from '../core/index.ts';
import { Capture } from './capture.ts';
import type { Cgroup } from './cgroup/index.ts';
import type { Collector } from './collector.ts';
import { startDeadline } from './deadline.ts';
import { bwrapEnded, everythingGone } from './death.ts';
import type { MachineFacts } from './diagnose-bwrap.ts';
import { describeEnding } from './ending.ts';
import type { Launched } from './launch.ts';
import { identify, killWithChildren, type ProcessId, secondOf, signalProcess } from './processes.ts';
import type { KillReason } from './reason.ts';
import { readSetup, readStatus, SetupReader, StatusReader } from './reports.ts';
import type { RunOptions } from './types.ts';

export type SessionOptions = {
  launched: Launched;
  cgroup: Cgroup;
  /** The shell inside enters the groups, if there are any, by itself. */
  entersItself: boolean;
  enforcement: Enforcement;
  facts: MachineFacts;
  clock: Clock;
  /** Gives back what the sandbox holds on the host; called once all its processes are dead. */
  release: () => void;
  /** Where given, all that comes over the private channel is put in here, and the channel is closed to the code. */
  collector: Collector | null;
  run: Pick<RunOptions, 'command' | 'limits' | 'signal' | 'onOutput'>;
};

/** How long bwrap and the fills may take; the command's own wall limit starts after them. */
const setupLimitMs = 60_000;

/** One sandbox from the start of bwrap until everything in it is dead. */
export class Session {
  readonly #options: SessionOptions;
  readonly #stdout: Capture;
  readonly #stderr: Capture;
  readonly #status = new StatusReader();
  readonly #setup = new SetupReader();
  /** Undo what waits for something: timers, listeners. */
  #stops: (() => void)[] = [];
  /** null where it could not be started. */
  readonly #bwrap: ProcessId | null;
  /** Pid 1 of the sandbox, once bwrap has told. */
  #first: ProcessId | null = null;
  #killed: KillReason | null = null;
  #failure: Unavailable | null = null;
  #startedAt: number;
  #over = false;
  /** Resolves when the command runs, or when it never will. */
  readonly started: Promise<void>;
  /** Resolves when everything in the sandbox is dead. Never rejects. */
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
    this.#collectChannel();
    this.#watchAbort();
    this.#watchClock(setupLimitMs, () => this.#fail(setupTooSlow));
    this.started = this.#awaitStart();
    this.#enter().catch((error: unknown) => this.#fail(cannotEnter(error)));
    this.outcome = this.#live();
  }

  get enforcement(): Enforcement {
    return this.#options.enforcement;
  }

  /** Kills everything. The first reason given stays. */
  kill(reason: KillReason): void {
    // What was sent too much may be read only after the end.
    if (!this.#over || reason === 'output_limit') this.#killed ??= reason;
    if (!this.#over) this.#killAll();
  }

  /** Signals the first program of the sandbox; false where it has ended or not started. */
  signal(name: NodeJS.Signals): boolean {
    const program = this.#first === null ? null : secondOf(this.#first);
    return program !== null && signalProcess(program, name);
  }

  #fail(failure: Unavailable): void {
    if (this.#over) return;
    this.#failure ??= failure;
    this.#killAll();
  }

  #killAll(): void {
    const { cgroup, launched } = this.#options;
    if (this.#bwrap !== null && this.#first === null) killWithChildren(this.#bwrap);
    // With pid 1 the kernel kills the whole pid namespace.
    if (this.#first !== null) signalProcess(this.#first, 'SIGKILL');
    if (this.#bwrap !== null) signalProcess(this.#bwrap, 'SIGKILL');
    cgroup.killAll();
    // A shell at the gate takes end of file as its end. What it said may still be unread, so the other way stays open.
    launched.setup.end();
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

  #collectChannel(): void {
    const { launched, collector } = this.#options;
    if (launched.channel === null || collector === null) return;
    launched.channel.on('data', (bytes: Buffer) => {
      if (!collector.take(bytes)) this.kill('output_limit');
    });
    launched.channel.end();
  }

  #watchAbort(): void {
    const { signal } = this.#options.run;
    if (signal === undefined) return;
    const onAbort = () => this.kill('aborted');
    signal.addEventListener('abort', onAbort, { once: true });
    this.#stops.push(() => signal.removeEventListener('abort', onAbort));
    if (signal.aborted) onAbort();
  }

  /** Replaces the deadline there was. */
  #watchClock(afterMs: number, onPassed: () => void): void {
    this.#stopClock();
    this.#stopClock = startDeadline({ clock: this.#options.clock, afterMs, onPassed });
  }

  #stopClock: () => void = () => {};

  /**
   * Lets the shell at the gate go on once the group holds bwrap, the sandbox's pid 1 and the shell: all that ever runs
   * descends from these, so nothing escapes the limits. bwrap is moved while it builds the sandbox, as the kernel takes
   * some 10 ms for the first move after a quiet spell. A shell that enters by itself need not wait for the runner.
   */
  async #enter(): Promise<void> {
    const { launched, cgroup, entersItself } = this.#options;
    if (this.#bwrap === null) return;
    const { pid } = this.#bwrap;
    if (entersItself) launched.setup.write('go\n');
    await Promise.all([
      readStatus(launched.status, this.#status).then(() => this.#meetFirst()),
      readSetup(launched.setup, this.#setup),
      entersItself ? null : cgroup.addSoon([pid]),
    ]);
    const first = this.#first;
    if (entersItself || first === null || this.#setup.state.kind !== 'preparing') return;
    const shell = secondOf(first);
    if (shell === null) throw new Error('the shell inside the sandbox cannot be found in /proc');
    await cgroup.addSoon([pid, first.pid, shell.pid]);
    // Not sooner: what runs before it is in the group would escape the limits.
    launched.setup.write('go\n');
  }

  #meetFirst(): void {
    const { childPid } = this.#status;
    if (childPid !== null) this.#first = identify(childPid);
  }

  #awaitStart(): Promise<void> {
    const { launched, clock, run } = this.#options;
    return new Promise((resolve) => {
      launched.setup.on('end', () => {
        if (this.#over || this.#setup.state.kind !== 'running') return;
        this.#startedAt = clock.monotonicMs();
        this.#watchClock(run.limits.wallMs, () => this.kill('timeout'));
      });
      launched.setup.on('close', resolve);
    });
  }

  async #live(): Promise<Outcome> {
    const { launched, clock, cgroup, release, enforcement, run, facts } = this.#options;
    const spawnError = await bwrapEnded(launched.child);
    this.#over = true;
    const wallMs = Math.max(0, clock.monotonicMs() - this.#startedAt);
    this.#stopClock();
    for (const stop of this.#stops.splice(0)) stop();
    const collected = this.#options.collector === null || launched.channel === null ? [] : [launched.channel];
    const gone = await everythingGone({
      cgroup,
      first: this.#first,
      // bwrap can be seen to have ended before what was said earlier is read.
      streams: [launched.stdout, launched.stderr, launched.status, launched.setup, ...collected],
      killAll: () => this.#killAll(),
    });
    const counters = cgroup.counters();
    // What cannot be killed keeps its group and its uid until a later sweep.
    const removed = gone && (await isRemoved(cgroup));
    if (removed) release();
    return describeEnding({
      killed: this.#killed,
      failure: this.#failure,
      spawnError,
      bwrapSignal: launched.child.signalCode,
      exitCode: this.#status.exitCode,
      setup: this.#setup.state,
      counters,
      wallMs,
      undying: !removed,
      stdout: this.#stdout.captured(),
      stderr: this.#stderr.captured(),
      command: run.command,
      facts,
      enforcement,
    });
  }
}

async function isRemoved(cgroup: Cgroup): Promise<boolean> {
  try {
    await cgroup.remove();
    return true;
  } catch {
    return false;
  }
}

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
