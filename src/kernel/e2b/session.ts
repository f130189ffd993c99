import type { CellEnd } from '../../core/index.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import type { KernelFiles } from '../types.ts';
import type { Failure } from './failure.ts';
import { Lifetime } from './lifetime.ts';
import type { Mirror } from './mirror.ts';
import { noBridge, startedAnew } from './notices.ts';
import { describe, replay } from './rebuild.ts';
import { Remote, RemoteFailure, type RemoteOptions } from './remote.ts';
import type { ReplayLog } from './replay-log.ts';
import { cannotSend, cannotStart, throughLink, unavailable } from './service-error.ts';
import { filesOf, type ShownFile } from './shown-files.ts';

export type SessionOptions = {
  remote: RemoteOptions;
  mirror: Mirror;
  log: ReplayLog;
  /** The local folder and what it holds. */
  root: string;
  local: KernelFiles;
  readOnly: readonly ShownFile[];
  /** How long the interpreter is given to answer a probe. */
  probeMs: number;
};

/** A sandbox that is there when it is needed: kept alive, come back to, or made anew with its state. */
export class Session {
  readonly #options: SessionOptions;
  #life: Lifetime | null = null;
  /** Why the last sandbox was given up. */
  #lostBy = '';
  /** The interpreter may never answer again; asked before the next cell. */
  #isSuspect = false;
  /** The interpreter is fresh; what it finds is noted before the next cell. */
  #isFresh = false;
  /** The local folder has all that the last cell did. */
  #isSynced = true;
  /** It was come back to, and has not answered since. */
  #isUnproven = false;
  #hasToldOfBridge = false;
  /** What changes the sandbox itself comes one after the other. */
  readonly #alone = oneAtATime();
  /** Files move one way at a time. */
  readonly #inTurn = oneAtATime();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Makes the first sandbox. @throws AssayError `environment`, or `usage` for a key that is refused */
  async open(signal: AbortSignal): Promise<Remote> {
    const { log, root, local, mirror } = this.#options;
    log.rebase(root, await local.list());
    try {
      const { remote } = await this.#make(signal);
      await replay(remote, log, mirror);
      if (log.base.length > 0) await mirror.learn(remote, new Set(log.base.map((file) => file.path)));
      return remote;
    } catch (error) {
      await this.close();
      throw error instanceof RemoteFailure ? cannotStart(error.failure) : error;
    }
  }

  /** The sandbox to run a cell in, with what a person should know of it; or the end of a cell that cannot run. */
  ready(signal: AbortSignal): Promise<{ life: Lifetime; warnings: string[] } | { end: CellEnd }> {
    return this.#alone(async () => {
      let failure: Failure = { kind: 'connection', detail: 'no sandbox' };
      for (let attempt = 0; attempt < 2 && !signal.aborted; attempt++) {
        try {
          return await this.#prepare(signal);
        } catch (error) {
          if (!(error instanceof RemoteFailure)) throw error;
          failure = error.failure;
          if (failure.kind !== 'gone') break;
          await this.giveUp(failure);
        }
      }
      return { end: unavailable(failure) };
    });
  }

  /** The sandbox is gone: come back to where it waits paused, or the next cell gets another. */
  async giveUp(failure: Failure): Promise<void> {
    const life = this.#life;
    if (life === null) return;
    this.#lostBy = failure.detail;
    if (this.#options.remote.onExpiry === 'pause' && (await this.#comeBack(life))) return;
    this.#life = null;
    life.stop();
    await life.remote.kill();
  }

  /** A cell was broken off: before the next one the interpreter is asked whether it answers. */
  suspect(): void {
    this.#isSuspect = true;
  }

  /** The service has started the interpreter anew, without a bridge. */
  async reenter(): Promise<void> {
    this.#isFresh = true;
    try {
      await this.#life?.remote.enter();
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      if (error.failure.kind === 'gone') await this.giveUp(error.failure);
      else this.suspect();
    }
  }

  /** Asks the interpreter. True where it answers; else it is started anew and false. @throws RemoteFailure */
  async probeOrRestart(): Promise<boolean> {
    const remote = this.#life?.remote;
    if (remote === undefined) return false;
    const end = await remote.probe(this.#options.probeMs);
    if (end.kind === 'ended' && end.error === null) {
      this.#isSuspect = false;
      this.#isUnproven = false;
      return true;
    }
    if (end.kind === 'failed' && end.failure.kind === 'gone') throw new RemoteFailure(end.failure);
    await this.#restart();
    return false;
  }

  /** @throws RemoteFailure */
  restart(): Promise<void> {
    return this.#alone(() => this.#restart());
  }

  /** Fetches what the last cell did to files; says what a person should know. */
  sync(): Promise<string[]> {
    return this.#inTurn(async () => {
      const remote = this.#life?.remote;
      this.#isSynced = false;
      if (remote === undefined) return [];
      try {
        const warnings = await this.#options.mirror.pull(remote, await this.#localPaths());
        this.#isSynced = true;
        return warnings;
      } catch (error) {
        if (!(error instanceof RemoteFailure)) throw error;
        if (error.failure.kind === 'gone') await this.giveUp(error.failure);
        return [`The files of this cell could not be fetched from the sandbox: ${error.failure.detail}`];
      }
    });
  }

  /** Puts a file into the local folder and the sandbox. @throws AssayError `input` for a path that is none */
  write(file: string, bytes: Uint8Array): Promise<void> {
    return this.#inTurn(async () => {
      const { mirror, local, log } = this.#options;
      const link = mirror.linkAbove(file);
      if (link !== null) throw throughLink(file, link);
      await local.write(file, bytes);
      log.addWrite(file, bytes);
      try {
        if (this.#life !== null) await mirror.sendWritten(this.#life.remote, file);
      } catch (error) {
        if (!(error instanceof RemoteFailure)) throw error;
        if (error.failure.kind !== 'gone') throw cannotSend(file, error.failure);
        // The next sandbox gets it from the log.
        await this.giveUp(error.failure);
      }
    });
  }

  /** Never rejects. */
  async close(): Promise<void> {
    const life = this.#life;
    this.#life = null;
    life?.stop();
    await life?.remote.kill();
  }

  async #prepare(signal: AbortSignal): Promise<{ life: Lifetime; warnings: string[] }> {
    const warnings = this.#life === null ? await this.#rebuild(signal) : [];
    if (this.#isSuspect && !(await this.probeOrRestart())) warnings.push(startedAnew);
    if (this.#isFresh) {
      warnings.push(...(await this.sync()));
      await this.#forgetCells();
    }
    const life = this.#life;
    if (life === null) throw new RemoteFailure({ kind: 'gone', detail: this.#lostBy });
    await life.extendIfDue();
    if (life.remote.lacksBridge && !this.#hasToldOfBridge) warnings.push(noBridge);
    this.#hasToldOfBridge = life.remote.lacksBridge;
    return { life, warnings };
  }

  async #make(signal: AbortSignal): Promise<Lifetime> {
    const { mirror, readOnly } = this.#options;
    const remote = await Remote.create(this.#options.remote, signal);
    const life = new Lifetime(remote, this.#options.remote.lifetimeMs);
    this.#life = life;
    this.#isSuspect = false;
    this.#isUnproven = false;
    mirror.forget();
    await remote.start();
    await mirror.push(remote, readOnly.flatMap(filesOf));
    return life;
  }

  async #rebuild(signal: AbortSignal): Promise<string[]> {
    const { log, mirror, local } = this.#options;
    if (this.#isFresh) await this.#forgetCells();
    try {
      const { remote } = await this.#make(signal);
      const replayed = await replay(remote, log, mirror);
      // What was fetched has been told of: cells that were run again may have written otherwise.
      if (this.#isSynced) await mirror.restoreAll(remote, await local.list(), log.base);
      else await mirror.pull(remote, await this.#localPaths());
      if (replayed.isStateLost) await this.#forgetCells();
      return describe(replayed, this.#lostBy);
    } catch (error) {
      // One that is half made is of no use to the next cell.
      await this.close();
      throw error;
    }
  }

  async #restart(): Promise<void> {
    this.#isSuspect = true;
    this.#isFresh = true;
    await this.#life?.remote.restart();
    this.#isSuspect = false;
  }

  async #comeBack({ remote }: Lifetime): Promise<boolean> {
    // The service may say for ever that it has come back, and never let anything through to it.
    if (this.#isUnproven) return false;
    this.#isUnproven = true;
    try {
      await remote.reconnect();
      // Connections of the interpreter do not outlive a pause, and files have been lost by one.
      this.#isSuspect = true;
      if (this.#isSynced) await this.#options.mirror.restore(remote, await this.#options.local.list());
      return true;
    } catch (error) {
      if (error instanceof RemoteFailure) return false;
      throw error;
    }
  }

  /** A sandbox that has to be made anew starts from the files that there are now. */
  async #forgetCells(): Promise<void> {
    this.#isFresh = false;
    this.#options.log.rebase(this.#options.root, await this.#options.local.list());
  }

  async #localPaths(): Promise<string[]> {
    return (await this.#options.local.list()).map((file) => file.path);
  }
}
