import type { Duplex } from 'node:stream';
import { Writable } from 'node:stream';
import type { Outcome, Unavailable } from '../core/index.ts';
import { CappedChannel } from './capped-channel.ts';
import { Collector } from './collector.ts';
import { type Context, openContext, type SandboxOptions } from './context.ts';
import { type DoctorReport, examine } from './doctor.ts';
import type { Session } from './session.ts';
import { makeStaging, type Staging } from './staging.ts';
import { start } from './start.ts';
import { type Swept, sweepMachine } from './sweep.ts';
import type { RunOptions, RunResult, SandboxProcess } from './types.ts';

/** Runs commands in isolation, each in a sandbox of its own. */
export type Sandbox = {
  /**
   * Runs one command to its end. Never runs it outside a sandbox: where none can be had the outcome is `unavailable`.
   *
   * @throws AssayError `usage` where no sandbox could have such options
   */
  run(options: RunOptions): Promise<RunResult>;
  /** Starts a long-lived command. Where no sandbox can be had, `exited` has already resolved with `unavailable`. */
  spawn(options: RunOptions): Promise<SandboxProcess>;
  /** Runs the real thing once on `true` and says what is enforced here, or one cause and one fix. */
  doctor(): Promise<DoctorReport>;
  /** Removes what dead runners left on this machine: control groups, processes, claims on uids, staged files. */
  sweep(): Swept;
  /**
   * Makes a folder for files on their way into sandboxes; a dead runner's is removed by the next `sweep`.
   *
   * @throws AssayError `environment` where none can be made
   */
  stage(): Staging;
  /** Gives back what is kept open for the next run; it is taken anew where there is one. Running commands go on. */
  close(): void;
};

/**
 * Finds out once what the machine offers, in some milliseconds; keep it to run many commands. A sandbox dies with the
 * thread that started it, so do not start one from a worker thread that ends sooner.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const context = openContext(options);
  return {
    run: async (run) => runIn(context, run),
    spawn: async (run) => spawnIn(context, run),
    doctor: async () => examine(context, (run) => runIn(context, run)),
    sweep: () => sweepMachine(context),
    stage: () => makeStaging(context),
    close() {
      if ('cause' in context) return;
      context.pipes.close();
      context.contents.close();
      context.slots?.close();
    },
  };
}

async function runIn(context: Context | Unavailable, run: RunOptions): Promise<RunResult> {
  const stdin = run.command.stdin === undefined ? 'none' : 'bytes';
  const collector = new Collector({ maxBytes: run.policy.channel?.maxBytes ?? 0 });
  const started = start({ context, run, stdin, collector });
  const outcome = started.kind === 'started' ? await started.session.outcome : started.outcome;
  return { outcome, channel: collector.bytes };
}

function spawnIn(context: Context | Unavailable, run: RunOptions): SandboxProcess {
  const started = start({ context, run, stdin: 'pipe', collector: null });
  if (started.kind === 'refused') return neverStarted(started.outcome);
  const { session, stdin } = started;
  if (run.command.stdin !== undefined) stdin?.write(run.command.stdin);
  return {
    exited: session.outcome,
    enforcement: session.enforcement,
    channel: started.channel === null ? undefined : capped(session, started.channel, run),
    stdin: stdin ?? closedInput(),
    async signal(name) {
      await session.started;
      session.signal(name);
    },
    kill() {
      session.kill('aborted');
      return session.outcome;
    },
  };
}

function capped(session: Session, socket: Duplex, { policy }: RunOptions): Duplex {
  const maxBytes = policy.channel?.maxBytes ?? 0;
  return new CappedChannel({ socket, maxBytes, onExcess: () => session.kill('output_limit') });
}

function neverStarted(outcome: Outcome): SandboxProcess {
  const exited = Promise.resolve(outcome);
  return {
    exited,
    enforcement: outcome.enforcement,
    channel: undefined,
    stdin: closedInput(),
    signal: async () => {},
    kill: () => exited,
  };
}

/** Takes everything and keeps nothing. */
function closedInput(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
