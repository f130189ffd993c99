import type { Clock } from '../core/index.ts';
import type { Terminal } from './terminal.ts';

/** What the commands share; made once in `main.ts`, so that tests can hand in another. */
export type CliContext = {
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
  /** Absolute. */
  cwd: string;
  /** Aborts at Ctrl-C, and when nobody reads the output any more. */
  signal: AbortSignal;
  clock: Clock;
  version: string;
  /** Read by the commands that say so alone. */
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Standard input to its end; rejects where it is larger. */
  readStdin: (maxBytes: number) => Promise<Uint8Array>;
};
