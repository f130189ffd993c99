import { bridgeCell, quietCell } from './bridge-source.ts';
import type { Failure } from './failure.ts';
import { failureOf } from './failure.ts';
import type { Hello } from './output-change.ts';
import { type OutputSink, type RemoteEnd, runCell } from './remote-cell.ts';
import type { E2bConnection, E2bSdk, Sandbox } from './sdk.ts';

export type RemoteOptions = {
  sdk: E2bSdk;
  connection: E2bConnection;
  template: string | undefined;
  language: string;
  /** The working folder in the sandbox, absolute. */
  folder: string;
  lifetimeMs: number;
  onExpiry: 'kill' | 'pause';
  network: boolean;
  envs: Readonly<Record<string, string>>;
  /** Of one request that is no cell. */
  requestMs: number;
};

type Context = { id: string; language: string; cwd: string };

/** A failure of the service, thrown between the parts of this room only. */
export class RemoteFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.detail);
    this.name = 'RemoteFailure';
    this.failure = failure;
  }
}

/** One sandbox of the service and the interpreter in it. What the service refuses is thrown as a `RemoteFailure`. */
export class Remote {
  readonly #options: RemoteOptions;
  readonly sandbox: Sandbox;
  #context: Context | null = null;
  /** null where no bridge could be laid: another language. */
  hello: Hello | null = null;

  private constructor(options: RemoteOptions, sandbox: Sandbox) {
    this.#options = options;
    this.sandbox = sandbox;
  }

  static async create(options: RemoteOptions, signal: AbortSignal): Promise<Remote> {
    const { sdk, connection, template, lifetimeMs, onExpiry, network, envs, requestMs } = options;
    try {
      const sandbox = await sdk.Sandbox.create({
        ...connection,
        debug: false,
        ...(template === undefined ? {} : { template }),
        timeoutMs: lifetimeMs,
        allowInternetAccess: network,
        lifecycle: { onTimeout: onExpiry },
        metadata: { tool: 'assay' },
        envs: { ...envs },
        requestTimeoutMs: requestMs,
        signal,
      });
      return new Remote(options, sandbox);
    } catch (error) {
      throw new RemoteFailure(await failureOf(error, { sandbox: null, apiKey: connection.apiKey }));
    }
  }

  /** Comes back to a sandbox that runs or is paused. */
  async reconnect(): Promise<void> {
    await this.call(() =>
      this.sandbox.connect({
        timeoutMs: this.#options.lifetimeMs,
        requestTimeoutMs: this.#options.requestMs,
      }),
    );
  }

  /** Makes the interpreter; the folder is there afterwards. */
  async start(): Promise<void> {
    const { language, folder, requestMs } = this.#options;
    await this.call(() => this.sandbox.files.makeDir(folder, { requestTimeoutMs: requestMs }));
    this.#context = await this.call(() =>
      this.sandbox.createCodeContext({ cwd: folder, language, requestTimeoutMs: requestMs }),
    );
    await this.enter();
  }

  /** Lays the bridge in a fresh interpreter and goes to the working folder: a restart by the service forgets both. */
  async enter(): Promise<void> {
    this.hello = null;
    if (this.#options.language !== 'python') return;
    const end = await this.#runRaw(bridgeCell(this.#options.folder), {
      timeoutMs: this.#options.requestMs,
      marksEnd: false,
      sink: {
        put: () => {},
        apply: (change) => {
          if (change.kind === 'hello') this.hello = change.hello;
        },
      },
    });
    if (end.kind === 'failed') throw new RemoteFailure(end.failure);
    if (end.kind !== 'ended')
      throw new RemoteFailure({ kind: 'connection', detail: 'the interpreter ended as soon as it was used' });
  }

  /** Python that the bridge could not be laid in, so that some of its outputs are not as they were. */
  get lacksBridge(): boolean {
    return this.#options.language === 'python' && this.hello === null;
  }

  /** Starts the interpreter anew; files stay. */
  async restart(): Promise<void> {
    const context = this.#context;
    if (context === null || this.#options.language !== 'python') {
      // Only Python finds its way back to its folder.
      if (context !== null) await this.sandbox.removeCodeContext(context).catch(() => {});
      return this.start();
    }
    try {
      await this.call(() => this.sandbox.restartCodeContext(context));
      await this.enter();
    } catch (error) {
      if (!(error instanceof RemoteFailure) || error.failure.kind !== 'context') throw error;
      await this.start();
    }
  }

  run(
    code: string,
    options: { timeoutMs: number; sink: OutputSink; storeHistory?: boolean },
  ): Promise<RemoteEnd> {
    const isQuiet = options.storeHistory === false && this.hello !== null;
    return this.#runRaw(isQuiet ? quietCell(code) : code, { ...options, marksEnd: this.hello !== null });
  }

  /** Whether the interpreter answers. After the SDK has broken a cell off it may never do so again. */
  async probe(timeoutMs: number): Promise<RemoteEnd> {
    return this.run(this.#options.language === 'python' ? '0' : '', {
      timeoutMs,
      storeHistory: false,
      sink: { put: () => {}, apply: () => {} },
    });
  }

  get canInterrupt(): boolean {
    return this.hello !== null;
  }

  /** Sends what Ctrl-C sends; the SDK has no call for it. False where that cannot be done. */
  async interrupt(timeoutMs: number): Promise<boolean> {
    if (this.hello === null) return false;
    try {
      await this.sandbox.commands.run(`kill -INT ${this.hello.pid}`, {
        ...this.asOwner,
        timeoutMs,
        requestTimeoutMs: timeoutMs,
      });
      return true;
    } catch {
      return false;
    }
  }

  /** From now on it lives as long as a new one would. */
  async extend(): Promise<void> {
    const { lifetimeMs, requestMs } = this.#options;
    await this.call(() => this.sandbox.setTimeout(lifetimeMs, { requestTimeoutMs: requestMs }));
  }

  /** Never rejects: what is left dies at the end of its lifetime. */
  async kill(): Promise<void> {
    await this.sandbox.kill({ requestTimeoutMs: Math.min(10_000, this.#options.requestMs) }).catch(() => {});
  }

  /** For calls about files and processes of the interpreter: at E2B it runs as root, and other calls as `user`. */
  get asOwner(): { user?: string } {
    return this.hello === null ? {} : { user: this.hello.user };
  }

  /** Makes a call of the SDK; what it throws becomes a `RemoteFailure`. */
  async call<Value>(made: () => Promise<Value>): Promise<Value> {
    try {
      return await made();
    } catch (error) {
      const { apiKey } = this.#options.connection;
      throw new RemoteFailure(await failureOf(error, { sandbox: this.sandbox, apiKey }));
    }
  }

  #runRaw(
    code: string,
    options: { timeoutMs: number; marksEnd: boolean; sink: OutputSink },
  ): Promise<RemoteEnd> {
    const context = this.#context;
    if (context === null) throw new Error('a cell was run before the interpreter was made');
    const { requestMs, connection } = this.#options;
    return runCell({
      ...options,
      sandbox: this.sandbox,
      context,
      code,
      requestMs,
      apiKey: connection.apiKey,
    });
  }
}
