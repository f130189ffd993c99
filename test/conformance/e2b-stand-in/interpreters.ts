import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

const root = path.resolve(import.meta.dirname, '../../..');

export type ServiceEvent = Record<string, unknown> & { type: string };

type Waiting = { onEvent?: (event: ServiceEvent) => void; resolve: (answer: Answer) => void };
type Answer = { value?: unknown; failed?: string; end?: true };

/** The interpreters of one stand-in sandbox: a Python process with a Jupyter kernel for each context. */
export class Interpreters {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;
  /** Resolves when the process has ended. */
  readonly ended: Promise<unknown>;

  /** @param options.network false: nothing but its own loopback device */
  constructor(options: { network: boolean }) {
    const python = [path.join(root, '.venv/bin/python'), path.join(import.meta.dirname, 'contexts.py')];
    const alone = ['bwrap', '--dev-bind', '/', '/', '--unshare-net', '--die-with-parent', '--', ...python];
    const [command = '', ...args] = options.network ? python : alone;
    this.#child = spawn(command, args, {
      stdio: ['pipe', 'pipe', process.env.E2B_STAND_IN_LOG === undefined ? 'ignore' : 'inherit'],
      detached: true,
    });
    this.ended = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.stdin?.on('error', () => {});
    if (this.#child.stdout === null) throw new Error('no pipe');
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(JSON.parse(line)));
    void this.ended.then(() => {
      for (const { resolve } of this.#waiting.values()) resolve({ failed: 'the sandbox is gone' });
    });
  }

  ask(command: Record<string, unknown>, onEvent?: (event: ServiceEvent) => void): Promise<Answer> {
    return this.begin(command, onEvent).answer;
  }

  /** As `ask`, with the number of the request, by which it can be aborted. */
  begin(
    command: Record<string, unknown>,
    onEvent?: (event: ServiceEvent) => void,
  ): { request: number; answer: Promise<Answer> } {
    const request = ++this.#count;
    const answer = new Promise<Answer>((resolve) => {
      this.#waiting.set(request, { resolve, ...(onEvent === undefined ? {} : { onEvent }) });
      this.#child.stdin?.write(`${JSON.stringify({ ...command, request })}\n`);
    });
    return { request, answer };
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    await this.ended;
  }

  #take(message: Answer & { request: number; event?: ServiceEvent }): void {
    const waiting = this.#waiting.get(message.request);
    if (waiting === undefined) return;
    if (message.event !== undefined) {
      waiting.onEvent?.(message.event);
      return;
    }
    this.#waiting.delete(message.request);
    waiting.resolve(message);
  }
}
