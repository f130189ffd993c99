import type { Enforcement, Unavailable } from '../core/index.ts';
import type { Context } from './context.ts';
import type { Limits, RunOptions, RunResult } from './types.ts';

/** Whether sandboxes work here, found out by making one. */
export type DoctorReport =
  | {
      ok: true;
      /** What is enforced here. */
      enforcement: Enforcement;
      bwrap: string;
      /** From the call to the result of an empty command, in milliseconds. */
      wallMs: number;
    }
  | { ok: false; unavailable: Unavailable };

const MiB = 1024 * 1024;

/** Enough for `true` on any machine. */
const limits: Limits = {
  wallMs: 10_000,
  memoryBytes: 64 * MiB,
  pids: 16,
  cpus: 1,
  output: { maxBytes: 4096, onExcess: 'kill' },
  tmpBytes: MiB,
  fileBytes: MiB,
  openFiles: 64,
};

/** Runs the real flags, filter and limits of every sandbox once on `true`. */
export async function examine(
  context: Context | Unavailable,
  run: (options: RunOptions) => Promise<RunResult>,
): Promise<DoctorReport> {
  if ('cause' in context) return { ok: false, unavailable: context };
  const startedAt = performance.now();
  const { outcome } = await run({
    command: { argv: ['true'], cwd: '/tmp', env: {} },
    policy: { mounts: [], toolchains: [] },
    limits,
  });
  if (outcome.reason === 'exited' && outcome.exitCode === 0) {
    const wallMs = performance.now() - startedAt;
    return { ok: true, enforcement: outcome.enforcement, bwrap: context.machine.bwrap, wallMs };
  }
  return {
    ok: false,
    unavailable: outcome.unavailable ?? {
      cause: `the program true ended with ${outcome.reason} (exit code ${outcome.exitCode}) in a sandbox`,
      fix: 'Try again when the machine is idle; if it stays, report it with the output of `assay doctor --json`',
    },
  };
}
