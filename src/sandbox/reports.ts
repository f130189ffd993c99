import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';
import { setupWord } from './setup-script.ts';

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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How far the programs got that prepare the sandbox from inside. */
export type SetupState =
  /** bwrap itself did not get to them. */
  { kind: 'building' } | { kind: 'ready' } | { kind: 'failed'; step: 'fill' | 'cwd' | 'exec'; said: string };

/** More than any tar says in good faith. */
const maxSetupText = 16_384;

/** Reads the setup descriptor; see `setupWord`. */
export class SetupReader {
  readonly #decoder = new StringDecoder('utf8');
  #text = '';

  push(bytes: Uint8Array): void {
    if (this.#text.length < maxSetupText) this.#text += this.#decoder.write(Buffer.from(bytes));
    else
      this.#text =
        this.#text.slice(0, maxSetupText / 2) + this.#decoder.write(Buffer.from(bytes)).slice(-1024);
  }

  get state(): SetupState {
    const lines = this.#text.split('\n');
    const said = lines
      .filter((line) => !Object.values(setupWord).includes(line))
      .join('\n')
      .trim();
    if (lines.includes(setupWord.fill)) return { kind: 'failed', step: 'fill', said };
    if (lines.includes(setupWord.cwd)) return { kind: 'failed', step: 'cwd', said };
    if (lines.includes(setupWord.exec)) return { kind: 'failed', step: 'exec', said };
    return lines.includes(setupWord.ready) ? { kind: 'ready' } : { kind: 'building' };
  }
}
