import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Connection, hasSockets, ports, socketName } from '../../src/kernel/jupyter/connection.ts';
import { loadZeroMq } from '../../src/kernel/jupyter/zeromq.ts';

/** A kernel without a sandbox, spoken to through the same sockets: what the sandbox costs is the difference. */
export class BareKernel {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #connection: Connection;
  readonly #waiting: Map<string, () => void>;

  static async start(python: string): Promise<BareKernel> {
    const folder = mkdtempSync(path.join(tmpdir(), 'assay-bare-'));
    const key = randomUUID();
    const file = path.join(folder, 'connection.json');
    const named = Object.entries(ports).map(([channel, port]) => [`${channel}_port`, port]);
    const connection = {
      transport: 'ipc',
      ip: path.join(folder, socketName),
      key,
      signature_scheme: 'hmac-sha256',
      ...Object.fromEntries(named),
    };
    writeFileSync(file, JSON.stringify(connection));
    const options = ['--HistoryManager.hist_file=:memory:', '--HistoryManager.enabled=False'];
    const child = spawn(python, ['-m', 'ipykernel_launcher', '-f', file, ...options], { stdio: 'ignore' });
    const zeromq = await loadZeroMq();
    while (!hasSockets(folder)) await new Promise((resolve) => setTimeout(resolve, 4));
    const waiting = new Map<string, () => void>();
    const halves = new Map<string, number>();
    const opened = new Connection({
      zeromq,
      folder,
      key,
      onMessage: (channel, { type, parentId, content }) => {
        const isHalf = channel === 'shell' || (type === 'status' && content.execution_state === 'idle');
        if (parentId === null || !isHalf) return;
        halves.set(parentId, (halves.get(parentId) ?? 0) + 1);
        if (halves.get(parentId) === 2) waiting.get(parentId)?.();
      },
    });
    return new BareKernel({ child, folder, connection: opened, waiting });
  }

  private constructor(parts: {
    child: ChildProcess;
    folder: string;
    connection: Connection;
    waiting: Map<string, () => void>;
  }) {
    this.#child = parts.child;
    this.#folder = parts.folder;
    this.#connection = parts.connection;
    this.#waiting = parts.waiting;
  }

  /** Resolves when the reply and the idle have come. */
  execute(code: string): Promise<void> {
    return new Promise((resolve) => {
      const content = { code, silent: false, store_history: true, user_expressions: {}, allow_stdin: false };
      this.#waiting.set(this.#connection.send('shell', 'execute_request', content), resolve);
    });
  }

  close(): void {
    this.#connection.close();
    this.#child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
