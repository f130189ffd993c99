import { randomUUID } from 'node:crypto';
import { AssayError, type Clock, type Enforcement, type Outcome } from '../../core/index.ts';
import type { Limits, Sandbox, SandboxProcess } from '../../sandbox/index.ts';
import { type Channel, Connection, hasSockets } from './connection.ts';
import { type Ground, type Run, workingFolder } from './ground.ts';
import type { Invocation } from './invocation.ts';
import type { Content, Message } from './message.ts';
import { neverAnswered, startFailure } from './start-failure.ts';
import type { ZeroMq } from './zeromq.ts';

export type ProcessOptions = {
  zeromq: ZeroMq;
  sandbox: Sandbox;
  ground: Ground;
  invocation: Invocation;
  limits: Limits;
  strict: boolean;
  clock: Clock;
  /** How long it may take until it answers, in milliseconds. */
  startMs: number;
  /** For the folder of matplotlib's settings. */
  matplotlibFiles: Record<string, string | Uint8Array>;
  signal?: AbortSignal;
};

type Listener = (channel: Channel, message: Message) => void;

/** One process of a kernel, from its start until it is gone. */
export class KernelProcess {
  readonly #options: ProcessOptions;
  readonly #process: SandboxProcess;
  readonly #run: Run;
  readonly #listeners = new Map<string, Listener>();
  #connection: Connection | null = null;
  /** The last of what it wrote to its own standard error. */
  #log = '';
  /** What it answered to `kernel_info_request`. */
  reply: Content = {};
  /** How it ended; null while it lives. */
  outcome: Outcome | null = null;
  /** Gets what belongs to no request that is listened to. */
  onUnclaimed: Listener = () => {};

  /**
   * Starts a kernel and waits until it answers.
   *
   * @throws AssayError `environment` where it does not come up
   */
  static async start(options: ProcessOptions): Promise<KernelProcess> {
    const key = randomUUID();
    const run = options.ground.newRun({ key, files: options.matplotlibFiles });
    let log = '';
    let hear = (text: string) => {
      log += text;
    };
    const process = await options.sandbox.spawn({
      command: { argv: options.invocation.argv, cwd: workingFolder, env: options.invocation.env },
      policy: {
        mounts: [...options.ground.mounts, run.mount],
        toolchains: [options.invocation.toolchain],
        strict: options.strict,
      },
      limits: options.limits,
      onOutput: (stream, bytes) => {
        if (stream === 'stderr') hear(Buffer.from(bytes).toString('utf8'));
      },
    });
    // Nobody types: the code finds the end of its input at once.
    process.stdin.end();
    const kernel = new KernelProcess(options, process, run);
    hear = (text) => kernel.#hear(text);
    hear(log);
    try {
      await kernel.#comeUp(key);
      return kernel;
    } catch (error) {
      await kernel.kill();
      throw error;
    }
  }

  private constructor(options: ProcessOptions, process: SandboxProcess, run: Run) {
    this.#options = options;
    this.#process = process;
    this.#run = run;
    this.exited = process.exited.then((outcome) => {
      this.outcome = outcome;
      this.#connection?.close();
      run.remove();
      return outcome;
    });
  }

  /** Resolves when everything in its sandbox is dead. Never rejects. */
  readonly exited: Promise<Outcome>;

  get enforcement(): Enforcement {
    return this.#process.enforcement;
  }

  get log(): string {
    return this.#log;
  }

  /** Sends a request; `listen` gets everything that belongs to it, until it is forgotten. Returns its id. */
  request(channel: 'shell' | 'control', type: string, content: Content, listen: Listener): string {
    const id = this.#connection?.send(channel, type, content) ?? '';
    if (id !== '') this.#listeners.set(id, listen);
    return id;
  }

  forget(id: string): void {
    this.#listeners.delete(id);
  }

  /** Answers a question for input, which nobody is there to answer. */
  refuseInput(): void {
    this.#connection?.send('stdin', 'input_reply', { value: '' });
  }

  /** Asks what runs to stop. Resolves when the kernel has taken note, or will not within a second. */
  async interrupt(options: { by: 'signal' | 'message' }): Promise<void> {
    if (options.by === 'signal') return this.#process.signal('SIGINT');
    let id = '';
    const taken = new Promise<void>((resolve) => {
      id = this.request('control', 'interrupt_request', {}, (channel) => {
        if (channel === 'control') resolve();
      });
    });
    await within(Promise.race([taken, this.exited]), 1000);
    this.forget(id);
  }

  kill(): Promise<Outcome> {
    this.#connection?.close();
    return this.#process.kill().then(() => this.exited);
  }

  #hear(text: string): void {
    this.#log = (this.#log + text).slice(-logChars);
  }

  #route(channel: Channel, message: Message): void {
    const listener = message.parentId === null ? undefined : this.#listeners.get(message.parentId);
    if (listener === undefined) this.onUnclaimed(channel, message);
    else listener(channel, message);
  }

  async #comeUp(key: string): Promise<void> {
    const { zeromq, startMs, clock, signal } = this.#options;
    const end = clock.monotonicMs() + startMs;
    const check = () => {
      if (signal?.aborted) throw aborted();
      if (this.outcome !== null) throw startFailure({ ...this.#facts(), outcome: this.outcome });
      if (clock.monotonicMs() > end)
        throw neverAnswered({
          ...this.#facts(),
          startMs,
          hasSockets: hasSockets(this.#run.folder),
          unreadable: this.#connection?.unreadable ?? 0,
        });
    };
    while (!hasSockets(this.#run.folder)) {
      check();
      await within(this.exited, socketPollMs);
    }
    this.#connection = new Connection({
      zeromq,
      folder: this.#run.folder,
      key,
      onMessage: (channel, message) => this.#route(channel, message),
    });
    while (!(await this.#answers(check)));
  }

  /** Whether it answers, and what it puts out can be heard: a subscription takes effect some time after connecting. */
  async #answers(check: () => void): Promise<boolean> {
    let heard = () => {};
    const idle = new Promise<void>((resolve) => {
      heard = resolve;
    });
    let id = '';
    const replied = new Promise<void>((resolve) => {
      id = this.request('shell', 'kernel_info_request', {}, (channel, { type, content }) => {
        if (channel === 'iopub' && type === 'status' && content.execution_state === 'idle') heard();
        if (channel !== 'shell' || type !== 'kernel_info_reply') return;
        this.reply = content;
        resolve();
      });
    });
    while (!(await within(Promise.race([replied, this.exited]), answerPollMs))) check();
    check();
    const isHeard = await within(idle, idleMs);
    this.forget(id);
    return isHeard;
  }

  #facts() {
    return { argv: this.#options.invocation.argv, log: this.#log };
  }
}

const logChars = 20_000;
/** A start takes hundreds of milliseconds. */
const socketPollMs = 4;
const answerPollMs = 100;
/** The reply and the status after it come together. */
const idleMs = 25;

/** Whether a promise resolves within some milliseconds. */
export async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

function aborted(): AssayError {
  return new AssayError({
    code: 'environment',
    message: 'Opening the kernel was aborted',
    fix: 'Open it again',
  });
}
