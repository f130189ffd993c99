import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { AssayError, type CellEnd } from '../../core/index.ts';
import type { KernelFiles } from '../types.ts';
import { type Failure, fixOf } from './failure.ts';
import type { Mirror } from './mirror.ts';
import { describe, replay } from './rebuild.ts';
import { Remote, RemoteFailure, type RemoteOptions } from './remote.ts';
import type { ReplayLog } from './replay-log.ts';

export type SessionOptions = {
  remote: RemoteOptions;
  mirror: Mirror;
  log: ReplayLog;
  /** The local folder and what it holds. */
  root: string;
  local: KernelFiles;
  readOnly: readonly { source: string; path: string }[];
  /** How long the interpreter is given to answer a probe. */
  probeMs: number;
};

/** One life of a sandbox: `lost` resolves when the service says that it is gone. */
type Life = { remote: Remote; lost: Promise<Failure>; tellLost: (failure: Failure) => void };

/** A sandbox that is there when it is needed: kept alive, come back to, or made anew with its state. */
export class Session {
  readonly #options: SessionOptions;
  #life: Life | null = null;
  /** Why the last sandbox was given up. */
  #lostBy = '';
  /** The interpreter may never answer again; asked before the next cell. */
  #isSuspect = false;
  /** The interpreter is fresh; what it finds is noted before the next cell. */
  #isFresh = false;
  /** The local folder has all that the last cell did. */
  #isSynced = true;
  #timer: NodeJS.Timeout | null = null;
  #extendedAt = 0;
  #hasToldOfBridge = false;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get remote(): Remote | null {
    return this.#life?.remote ?? null;
  }

  /** Makes the first sandbox. @throws AssayError `environment`, `usage` for a refused key */
  async open(signal: AbortSignal): Promise<Remote> {
    const { log, root, local } = this.#options;
    log.rebase(root, await local.list());
    try {
      const remote = await this.#make(signal);
      const { mirror } = this.#options;
      await replay(remote, log, mirror);
      if (log.base.length > 0) await mirror.learn(remote, new Set(log.base.map((file) => file.path)));
      return remote;
    } catch (error) {
      await this.close();
      if (!(error instanceof RemoteFailure)) throw error;
      throw cannotStart(error.failure);
    }
  }

  /** The sandbox to run a cell in, with what a person should know of it; or the end of a cell that cannot run. */
  ready(signal: AbortSignal): Promise<{ life: Life; warnings: string[] } | { end: CellEnd }> {
    return this.#alone(() => this.#ready(signal));
  }

  async #ready(signal: AbortSignal): Promise<{ life: Life; warnings: string[] } | { end: CellEnd }> {
    let failure: Failure | null = null;
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        const warnings = this.#life === null ? await this.#rebuild(signal) : [];
        warnings.push(...(await this.#settle()));
        const life = this.#life;
        if (life === null) continue;
        await this.#extendIfDue(life);
        if (life.remote.lacksBridge && !this.#hasToldOfBridge) warnings.push(noBridge);
        this.#hasToldOfBridge = life.remote.lacksBridge;
        return { life, warnings };
      } catch (error) {
        if (!(error instanceof RemoteFailure)) throw error;
        failure = error.failure;
        if (failure.kind !== 'gone') break;
        await this.giveUp(failure);
      }
    }
    return { end: unavailable(failure ?? { kind: 'connection', detail: 'no sandbox' }) };
  }

  /** The sandbox is gone: come back to where it waits paused, or the next cell gets another. */
  async giveUp(failure: Failure): Promise<void> {
    const life = this.#life;
    if (life === null) return;
    this.#lostBy = failure.detail;
    if (this.#options.remote.onExpiry === 'pause' && (await this.#comeBack(life))) return;
    this.#life = null;
    this.#stopTimer();
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

  /** What changes the sandbox itself comes one after the other. */
  #alone<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#lastChange.then(work);
    this.#lastChange = done.catch(() => {});
    return done;
  }

  #lastChange: Promise<unknown> = Promise.resolve();

  async #restart(): Promise<void> {
    this.#isSuspect = true;
    this.#isFresh = true;
    await this.#life?.remote.restart();
    this.#isSuspect = false;
  }

  /** Forgets the cells so far: a sandbox that has to be made anew starts from the files alone. */
  async forgetCells(): Promise<void> {
    this.#isFresh = false;
    this.#options.log.rebase(this.#options.root, await this.#options.local.list());
  }

  /** Fetches what the last cell did to files. */
  sync(): Promise<string[]> {
    return this.#inTurn(() => this.#sync());
  }

  /** Puts a file into the local folder and the sandbox. @throws AssayError `input` for a path that is none */
  write(file: string, bytes: Uint8Array): Promise<void> {
    return this.#inTurn(async () => {
      const { mirror, local, log } = this.#options;
      const parents = file
        .split('/')
        .slice(0, -1)
        .map((_, index, parts) => parts.slice(0, index + 1).join('/'));
      const link = parents.find((parent) => mirror.links.has(parent));
      if (link !== undefined) throw throughLink(file, link);
      await local.write(file, bytes);
      log.addWrite(file, bytes);
      const remote = this.#life?.remote;
      if (remote === undefined) return;
      try {
        if (mirror.links.has(file)) await mirror.removeRemote(remote, file);
        await mirror.push(remote, [{ path: file }]);
        await mirror.learn(remote, new Set([file]));
      } catch (error) {
        if (!(error instanceof RemoteFailure)) throw error;
        // The next sandbox gets it from the log.
        if (error.failure.kind === 'gone') return this.giveUp(error.failure);
        throw new AssayError({
          code: 'environment',
          message: `${file} could not be sent to the sandbox`,
          because: error.failure.detail,
          fix: fixOf(error.failure),
        });
      }
    });
  }

  /** Files move one way at a time. */
  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#lastMove.then(work);
    this.#lastMove = done.catch(() => {});
    return done;
  }

  #lastMove: Promise<unknown> = Promise.resolve();

  async #sync(): Promise<string[]> {
    const remote = this.#life?.remote;
    this.#isSynced = false;
    if (remote === undefined) return [];
    try {
      const paths = (await this.#options.local.list()).map((file) => file.path);
      const warnings = await this.#options.mirror.pull(remote, paths);
      this.#isSynced = true;
      return warnings;
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      if (error.failure.kind === 'gone') await this.giveUp(error.failure);
      return [`The files of this cell could not be fetched from the sandbox: ${error.failure.detail}`];
    }
  }

  /** Never rejects. */
  async close(): Promise<void> {
    const life = this.#life;
    this.#life = null;
    this.#stopTimer();
    await life?.remote.kill();
  }

  async #make(signal: AbortSignal): Promise<Remote> {
    const remote = await Remote.create(this.#options.remote, signal);
    let tellLost = (_: Failure) => {};
    const lost = new Promise<Failure>((resolve) => {
      tellLost = resolve;
    });
    this.#life = { remote, lost, tellLost };
    this.#options.mirror.forget();
    this.#isSuspect = false;
    this.#startTimer();
    await remote.start();
    await this.#options.mirror.push(remote, this.#options.readOnly.flatMap(filesBelow));
    return remote;
  }

  async #rebuild(signal: AbortSignal): Promise<string[]> {
    const { log, mirror, local } = this.#options;
    if (this.#isFresh) await this.forgetCells();
    const remote = await this.#make(signal);
    const replayed = await replay(remote, log, mirror);
    if (this.#isSynced) await this.#restoreFiles(remote);
    else
      await mirror.pull(
        remote,
        (await local.list()).map((file) => file.path),
      );
    if (replayed.isStateLost) await this.forgetCells();
    return describe(replayed, this.#lostBy);
  }

  /** What was fetched after each cell is what has been told of; cells that were run again may have written otherwise. */
  async #restoreFiles(remote: Remote): Promise<void> {
    const { log, mirror, local } = this.#options;
    const base = new Map(log.base.map(({ path: file, sha256 }) => [file, sha256]));
    const files = await local.list();
    await mirror.push(
      remote,
      files.filter((file) => base.get(file.path) !== file.sha256),
    );
    await mirror.removeOthers(remote, new Set(files.map((file) => file.path)));
  }

  async #settle(): Promise<string[]> {
    const warnings: string[] = [];
    if (this.#isSuspect && !(await this.probeOrRestart()))
      warnings.push('The interpreter did not answer any more and was started anew: all variables are gone.');
    if (this.#isFresh) {
      warnings.push(...(await this.sync()));
      await this.forgetCells();
    }
    return warnings;
  }

  async #comeBack(life: Life): Promise<boolean> {
    try {
      await life.remote.reconnect();
      // Connections of the interpreter do not outlive a pause, and files have been lost by one.
      this.#isSuspect = true;
      const files = await this.#options.local.list();
      if (this.#isSynced) await this.#options.mirror.restore(life.remote, files);
      return true;
    } catch (error) {
      if (error instanceof RemoteFailure) return false;
      throw error;
    }
  }

  #startTimer(): void {
    this.#stopTimer();
    this.#extendedAt = performance.now();
    this.#timer = setInterval(
      () => {
        const life = this.#life;
        if (life === null) return;
        void this.#extend(life).catch((error) => {
          if (error instanceof RemoteFailure && error.failure.kind === 'gone') life.tellLost(error.failure);
        });
      },
      Math.max(1, this.#options.remote.lifetimeMs / 3),
    );
    this.#timer.unref();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** A machine that slept has missed its timers. */
  async #extendIfDue(life: Life): Promise<void> {
    if (performance.now() - this.#extendedAt > this.#options.remote.lifetimeMs / 2) await this.#extend(life);
  }

  async #extend({ remote }: Life): Promise<void> {
    await remote.extend();
    this.#extendedAt = performance.now();
  }
}

const noBridge =
  'The interpreter of this template is no IPython kernel: texts in quotes come without them, displays are not updated, and a cell can only be interrupted by breaking it off.';

export function unavailable(failure: Failure): CellEnd {
  return { status: 'unavailable', detail: `E2B: ${failure.detail}`, fix: fixOf(failure) };
}

function throughLink(file: string, link: string): AssayError {
  return new AssayError({
    code: 'input',
    message: `${JSON.stringify(file)} cannot be written to the working folder`,
    because: `${link} is a link`,
    fix: 'Use a plain path below the working folder, such as data/a.csv',
  });
}

function cannotStart(failure: Failure): AssayError {
  return new AssayError({
    code: failure.kind === 'refused' ? 'usage' : 'environment',
    message: 'No sandbox could be started at E2B',
    because: failure.detail,
    fix: failure.kind === 'gone' ? 'Try again' : fixOf(failure),
  });
}

function filesBelow({
  source,
  path: shown,
}: {
  source: string;
  path: string;
}): { path: string; source: string }[] {
  if (statSync(source).isFile()) return [{ path: shown, source }];
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return {
        path: path.posix.join(shown, path.relative(source, file).split(path.sep).join('/')),
        source: file,
      };
    });
}
