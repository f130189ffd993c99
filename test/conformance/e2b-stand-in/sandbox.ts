import * as fs from 'node:fs';
import { Interpreters } from './interpreters.ts';

export type SandboxSpec = {
  timeout?: number;
  allow_internet_access?: boolean;
  autoPause?: boolean;
  envVars?: Record<string, string>;
  templateID: string;
};

/** A sandbox of the stand-in: folders of this machine, and interpreters that may use them. */
export class StandInSandbox {
  readonly id: string;
  readonly spec: SandboxSpec;
  readonly interpreters: Interpreters;
  readonly #folders = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  state: 'running' | 'paused' | 'gone' = 'running';
  /** Whether a paused one really comes back; else the service only says so. */
  resumes = true;
  readonly contexts = new Set<string>();
  /** Contexts that answer no more. */
  readonly hung = new Set<string>();
  /** Breaks off what is under way. */
  readonly connections = new Set<() => void>();

  constructor(id: string, spec: SandboxSpec) {
    this.id = id;
    this.spec = spec;
    this.interpreters = new Interpreters({ network: spec.allow_internet_access !== false });
    this.setLifetime(spec.timeout ?? 300);
  }

  setLifetime(seconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.spec.autoPause === true) this.pause();
      else void this.end();
    }, seconds * 1000);
    this.#timer.unref();
  }

  /** It has these as its own: they are gone when it is. */
  own(folder: string): void {
    this.#folders.add(folder);
  }

  pause(): void {
    clearTimeout(this.#timer);
    this.state = 'paused';
    for (const breakOff of this.connections) breakOff();
  }

  /** @param options.silently connections stay open, and nothing comes over them any more */
  async end(options: { silently?: boolean } = {}): Promise<void> {
    if (this.state === 'gone') return;
    clearTimeout(this.#timer);
    this.state = 'gone';
    if (options.silently !== true) for (const breakOff of this.connections) breakOff();
    for (const folder of this.#folders) fs.rmSync(folder, { recursive: true, force: true });
    await this.interpreters.close();
    for (const folder of this.#folders) fs.rmSync(folder, { recursive: true, force: true });
  }
}
