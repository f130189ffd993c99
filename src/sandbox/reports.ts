import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';
import { setupWord } from './setup-words.ts';

const statusSchema = z.object({
  'child-pid': z.number().int().optional(),
  'exit-code': z.number().int().optional(),
});

/** Reads what bwrap tells on its status descriptor: the pid of the sandbox's pid 1, at the end the exit code. */
export class StatusReader {
  #text = '';
  childPid: number | null = null;
  exitCode: number | null = null;

  push(bytes: Uint8Array): void {
    this.#text += Buffer.from(bytes).toString('utf8');
    const lines = this.#text.split('\n');
    this.#text = lines.pop() ?? '';
    for (const line of lines) this.#read(line);
  }

  #read(line: string): void {
    const status = statusSchema.safeParse(parseJson(line));
    if (!status.success) return;
    this.childPid ??= status.data['child-pid'] ?? null;
    this.exitCode ??= status.data['exit-code'] ?? null;
  }
}

/** Feeds the reader from now on; resolves when it knows the child's pid, or never will. */
export function readStatus(stream: Readable, reader: StatusReader): Promise<void> {
  return new Promise((resolve) => {
    stream.on('data', (bytes: Buffer) => {
      reader.push(bytes);
      if (reader.childPid !== null) resolve();
    });
    stream.on('close', resolve);
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How far the shells got that prepare the sandbox from inside; `said` is what they and their programs complained of. */
export type SetupState =
  /** bwrap itself did not get to them. */
  | { kind: 'building' }
  /** At the gate, or beyond it and not done. */
  | { kind: 'preparing'; said: string }
  | { kind: 'running' }
  | { kind: 'failed'; step: 'group' | 'fill' | 'folder' | 'exec'; said: string };

/** More than tar says in good faith. */
const maxSetupText = 65_536;

/** Reads the setup descriptor; see `setupWord`. */
export class SetupReader {
  readonly #decoder = new StringDecoder('utf8');
  #text = '';

  push(bytes: Uint8Array): void {
    const text = this.#text + this.#decoder.write(Buffer.from(bytes));
    // The words that matter come last.
    this.#text = text.length > maxSetupText ? `${setupWord.ready}\n${text.slice(-maxSetupText / 2)}` : text;
  }

  get state(): SetupState {
    const lines = this.#text.split('\n');
    const words: string[] = Object.values(setupWord);
    const said = lines
      .filter((line) => !words.includes(line))
      .join('\n')
      .trim();
    for (const step of ['group', 'fill', 'folder', 'exec'] as const) {
      if (lines.includes(setupWord[step])) return { kind: 'failed', step, said };
    }
    if (lines.includes(setupWord.running)) return { kind: 'running' };
    return lines.includes(setupWord.ready) ? { kind: 'preparing', said } : { kind: 'building' };
  }
}

/** Feeds the reader from now on; resolves when the shell waits at the gate, or never will. */
export function readSetup(stream: Readable, reader: SetupReader): Promise<void> {
  return new Promise((resolve) => {
    stream.on('data', (bytes: Buffer) => {
      reader.push(bytes);
      if (reader.state.kind !== 'building') resolve();
    });
    stream.on('close', resolve);
  });
}
