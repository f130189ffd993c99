import { join } from 'node:path';
import type { Duplex, Writable } from 'node:stream';
import { AssayError, type Outcome, type Unavailable } from '../core/index.ts';
import { bwrapArguments, type Identity } from './bwrap-arguments.ts';
import { type Cgroup, planRlimits, type RlimitPlan } from './cgroup/index.ts';
import { checkOptions } from './check-options.ts';
import type { Collector } from './collector.ts';
import { openContent } from './content-file.ts';
import type { Context } from './context.ts';
import { maxGroups } from './descriptors.ts';
import { enforcementOf, strictRefusal } from './enforcement.ts';
import { environmentOf } from './environment.ts';
import { Holdings } from './holdings.ts';
import { type Input, type Launched, type LaunchOptions, launch } from './launch.ts';
import type { Machine } from './machine.ts';
import { madeFiles } from './made-files.ts';
import { abortedOutcome, unavailableOutcome } from './outcome.ts';
import { Session } from './session.ts';
import { setupArgv } from './setup-script.ts';
import type { Slot } from './slots.ts';
import type { RunOptions } from './types.ts';

export type Started =
  | { kind: 'started'; session: Session; channel: Duplex | null; stdin: Writable | null }
  /** Nothing was started. */
  | { kind: 'refused'; outcome: Outcome };

type StartOptions = {
  context: Context;
  run: RunOptions;
  stdin: Stdin;
  /** See `SessionOptions`. */
  collector: Collector | null;
};

/** Where standard input comes from: nowhere, the bytes of the command, or a stream of the caller. */
export type Stdin = 'none' | 'bytes' | 'pipe';

/**
 * Starts a command in a sandbox of its own, or says why not.
 *
 * @throws AssayError `usage` where no sandbox could have such options
 */
export function start(options: Omit<StartOptions, 'context'> & { context: Context | Unavailable }): Started {
  const { context, run } = options;
  checkOptions(run);
  if ('cause' in context) return refused(context);
  const holdings = new Holdings();
  try {
    const started = startHolding({ ...options, context, holdings });
    if (started.kind === 'refused') holdings.release();
    return started;
  } catch (error) {
    holdings.release();
    return refused(startFailure(error));
  }
}

function startHolding(options: StartOptions & { holdings: Holdings }): Started {
  const { context, run, holdings, collector } = options;
  const { machine, cgroups } = context;
  const { support } = cgroups;
  const { policy, limits } = run;
  const slot = takeSlot(context);
  if (slot === null) return refused(noSlot);
  holdings.add(slot.release);
  const plan = planRlimits({ limits, support, hostUid: slot.uid, isolation: machine.isolation });
  const enforcement = enforcementOf({ plan, machine, hostUid: slot.uid, support, policy });
  const refusal = (policy.strict ?? true) ? strictRefusal(plan, support) : null;
  if (refusal !== null) return refused(refusal);
  if (run.signal?.aborted) return { kind: 'refused', outcome: abortedOutcome() };
  const outputs = { stdout: takePipe(context, holdings), stderr: takePipe(context, holdings) };
  const cgroup = cgroups.create({ name: context.newName(), limits });
  const selfEntry = selfEntryOf(cgroup, machine);
  let launched: Launched;
  try {
    const groups = selfEntry ?? [];
    const ends = { stdin: openInput(options), ...outputs };
    launched = launchIn({ context, run, uid: slot.uid, plan, groups, ends });
  } catch (error) {
    cgroup.remove().catch(() => {});
    throw error;
  }
  const session = new Session({
    launched,
    cgroup,
    entersItself: selfEntry !== null,
    enforcement,
    facts: { isRoot: machine.isolation === 'host-uid', inContainer: machine.inContainer },
    clock: run.clock ?? context.clock,
    release: () => holdings.release(),
    collector,
    run,
  });
  return { kind: 'started', session, channel: launched.channel, stdin: launched.stdin };
}

/**
 * Where the shell inside may enter by itself. bwrap and the sandbox's pid 1 then stay outside: the code cannot touch
 * them where they have another uid, and only there.
 */
function selfEntryOf({ selfEntry }: Cgroup, { isolation }: Machine): readonly string[] | null {
  if (selfEntry === null || selfEntry.length === 0) return selfEntry;
  return isolation === 'host-uid' && selfEntry.length <= maxGroups ? selfEntry : null;
}

function takePipe({ pipes }: Context, holdings: Holdings): number {
  const pipe = pipes.take();
  holdings.add(() => pipes.giveBack(pipe));
  return pipe;
}

function openInput({ context, run, stdin }: StartOptions): Input {
  if (stdin !== 'bytes') return { kind: stdin };
  const folder = join(context.openState().staging, context.newName());
  return { kind: 'file', fd: openContent({ bytes: run.command.stdin ?? '', folder }) };
}

/** The uid that the code sees as its own in a user namespace. */
const insideUid = 1000;

function launchIn(options: {
  context: Context;
  run: RunOptions;
  uid: number;
  plan: RlimitPlan;
  groups: readonly string[];
  ends: Pick<LaunchOptions, 'stdin' | 'stdout' | 'stderr'>;
}): Launched {
  const { context, run, uid, plan, groups, ends } = options;
  const { isolation, disableUserns, root, bwrap, filter, shell, setpriv, leaked } = context.machine;
  const { contents } = context;
  const { policy, limits, command } = run;
  const identity: Identity =
    isolation === 'host-uid' ? { isolation, uid } : { isolation, uid: insideUid, disableUserns };
  const files = madeFiles(identity.uid);
  return launch({
    bwrap,
    groups,
    hiddenArguments: bwrapArguments({ identity, root, files, policy, limits }),
    argv: setupArgv({
      identity,
      shell,
      setpriv,
      leaked,
      command,
      env: environmentOf(run, plan),
      rlimits: plan.rlimits,
      mounts: policy.mounts,
      groups: groups.length,
    }),
    filter,
    files,
    contents,
    ...ends,
    channel: policy.channel !== undefined,
  });
}

/** Under a user namespace the code has the runner's own uid on the host, so there is nothing to share out. */
function takeSlot({ machine, slots }: Context): Slot | null {
  return slots === null ? { uid: machine.uid, release: () => {} } : slots.take();
}

const noSlot: Unavailable = {
  cause: 'all uids that sandboxes can have are taken',
  fix: 'Wait until other assay runs on this machine have ended',
};

function refused(unavailable: Unavailable): Started {
  return { kind: 'refused', outcome: unavailableOutcome(unavailable) };
}

/** What the machine refused; anything else is a bug and thrown on. */
function startFailure(error: unknown): Unavailable {
  if (AssayError.is(error)) {
    const because = error.because === undefined ? '' : `: ${error.because}`;
    return { cause: `${error.message}${because}`, fix: error.fix };
  }
  if (error instanceof Error && 'syscall' in error) {
    return { cause: `the sandbox could not be started: ${error.message}`, fix: 'Run `assay doctor`' };
  }
  throw error;
}
