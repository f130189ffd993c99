import type { Enforcement, Outcome, Unavailable } from '../core/index.ts';
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
  | {
      ok: false;
      unavailable: Unavailable;
      /** Where only the strict policy refuses: what is enforced without it. */
      relaxed?: Enforcement;
    };

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

/** Runs the real flags, filter and limits of every sandbox on `true`: once, and where that is refused not strictly. */
export async function examine(
  context: Context | Unavailable,
  run: (options: RunOptions) => Promise<RunResult>,
): Promise<DoctorReport> {
  if ('cause' in context) return { ok: false, unavailable: context };
  const attempt = async (strict: boolean) => {
    const policy = { mounts: [], toolchains: [], strict };
    return (await run({ command: { argv: ['true'], cwd: '/tmp', env: {} }, policy, limits })).outcome;
  };
  const startedAt = performance.now();
  const outcome = await attempt(true);
  if (worked(outcome)) {
    const wallMs = performance.now() - startedAt;
    return { ok: true, enforcement: outcome.enforcement, bwrap: context.machine.bwrap, wallMs };
  }
  const relaxed = await attempt(false);
  if (worked(relaxed)) return { ok: false, unavailable: reasonOf(outcome), relaxed: relaxed.enforcement };
  // What keeps every sandbox from being made comes before a limit that is not held.
  return { ok: false, unavailable: reasonOf(relaxed) };
}

const worked = ({ reason, exitCode }: Outcome) => reason === 'exited' && exitCode === 0;

function reasonOf({ unavailable, reason, exitCode }: Outcome): Unavailable {
  return (
    unavailable ?? {
      cause: `the program true ended with ${reason} (exit code ${exitCode}) in a sandbox`,
      fix: 'Try again when the machine is idle; if it stays, report it with the output of `assay doctor --json`',
    }
  );
}
