import { writeSync } from 'node:fs';
import type { ErrorResult } from '../core/index.ts';
import { exitCodes } from './exit-codes.ts';

export const interruptSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ends the process in good order at an interrupt that comes while the program is still being loaded: nothing has
 * begun then. Imports next to nothing, so that it holds as soon as can be. Gives back what lets go again.
 */
export function endOnInterrupt({ json }: { json: boolean }): () => void {
  const end = () => {
    tell(2, 'assay: interrupted');
    if (json) tell(1, JSON.stringify(interruptedResult({ run: null, fix: 'start it again' })));
    process.exit(exitCodes.interrupted);
  };
  for (const name of interruptSignals) process.on(name, end);
  return () => {
    for (const name of interruptSignals) process.off(name, end);
  };
}

/** What is printed with `--json` where there is no other result. */
export function interruptedResult({ run, fix }: { run: string | null; fix: string }): ErrorResult {
  const error = { code: 'interrupted', message: 'interrupted', because: null, fix } as const;
  return { schema: 'assay-error/1', status: 'error', run, error };
}

/** Synchronously: the process ends right after it. */
export function tell(descriptor: number, line: string): void {
  try {
    writeSync(descriptor, `${line}\n`);
  } catch {
    // Nobody reads it.
  }
}
