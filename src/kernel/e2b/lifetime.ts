import type { Failure } from './failure.ts';
import { type Remote, RemoteFailure } from './remote.ts';

/** Keeps one sandbox alive while the kernel is open, and tells when the service says that it is gone. */
export class Lifetime {
  readonly remote: Remote;
  readonly #lifetimeMs: number;
  readonly #timer: NodeJS.Timeout;
  #extendedAt = performance.now();
  #tellLost = (_: Failure) => {};
  /** Resolves when an extension finds the sandbox gone: a connection may stay open and silent after that. */
  readonly lost: Promise<Failure>;

  constructor(remote: Remote, lifetimeMs: number) {
    this.remote = remote;
    this.#lifetimeMs = lifetimeMs;
    this.lost = new Promise((resolve) => {
      this.#tellLost = resolve;
    });
    this.#timer = setInterval(() => void this.#onTick(), Math.max(1, lifetimeMs / 3));
    this.#timer.unref();
  }

  /** A machine that slept has missed its timers. @throws RemoteFailure */
  async extendIfDue(): Promise<void> {
    if (performance.now() - this.#extendedAt > this.#lifetimeMs / 2) await this.#extend();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #onTick(): Promise<void> {
    try {
      await this.#extend();
    } catch (error) {
      // Whatever else went wrong, the next tick tries again.
      if (error instanceof RemoteFailure && error.failure.kind === 'gone') this.#tellLost(error.failure);
    }
  }

  async #extend(): Promise<void> {
    await this.remote.extend();
    this.#extendedAt = performance.now();
  }
}
