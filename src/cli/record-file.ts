import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AssayError } from '../core/index.ts';
import { type Proposer, recordingProposer } from '../propose/index.ts';
import type { CliContext } from './context.ts';

/**
 * The proposer itself, or one that also writes what it says to a new file for `--model replay:FILE`.
 *
 * @throws AssayError `usage` where the file exists or cannot be made.
 */
export function recordTo({ cwd, clock }: CliContext, proposer: Proposer, file: string | undefined): Proposer {
  if (file === undefined) return proposer;
  const target = path.resolve(cwd, file);
  try {
    writeFileSync(target, '', { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    throw new AssayError({
      code: 'usage',
      message: `The recording ${target} cannot be made.`,
      because: cause instanceof Error ? cause.message : String(cause),
      fix: 'name a file that does not exist yet, in a folder you may write to',
      cause,
    });
  }
  return recordingProposer({ inner: proposer, clock, sink: (line) => appendFileSync(target, line) });
}
