import type { Clock } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import type { Terminal } from './terminal.ts';

/** What the commands share; made once in `main.ts`, so that tests can hand in another. */
export type CliContext = {
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
  /** Absolute. */
  cwd: string;
  /** Aborts at Ctrl-C. */
  signal: AbortSignal;
  clock: Clock;
  /** Opened on the first use: `--help` must work where there is no home. */
  store: () => Store;
  version: string;
  readStdin: () => Promise<string>;
};
