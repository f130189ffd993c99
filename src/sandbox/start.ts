import type { Duplex, Writable } from 'node:stream';
import { AssayError, type Outcome, type Unavailable } from '../core/index.ts';
import { bwrapArguments, type Identity } from './bwrap-arguments.ts';
import { planRlimits, type RlimitPlan } from './cgroup/index.ts';
import { checkOptions } from './check-options.ts';
import type { Context } from './context.ts';
import { enforcementOf, strictRefusal } from './enforcement.ts';
import { environmentOf } from './environment.ts';
import { type Launched, launch } from './launch.ts';
import { madeFiles } from './made-files.ts';
import { abortedOutcome, unavailableOutcome } from './outcome.ts';
import { Session } from './session.ts';
import { setupArgv } from './setup-script.ts';
import { claimSlot, type Slot } from './slots.ts';
import type { RunOptions } from './types.ts';

export type Started =
  | { kind: 'started'; session: Session; channel: Duplex | null; stdin: Writable | null }
  /** Nothing was started. */
  | { kind: 'refused'; outcome: Outcome };

type StartOptions = { context: Context; run: RunOptions; stdin: 'none' | 'pipe' };

/**
 * Starts a command in a sandbox of its own, or says why not.
 *
 * @throws AssayError `usage` where no sandbox could have such options
 */
export function start(options: {
  context: Context | Unavailable;
  run: RunOptions;
  stdin: 'none' | 'pipe';
}): Started {
  const { context, run, stdin } = options;
  checkOptions(run);
  if ('cause' in context) return refused(context);
  const slot = takeSlot(context);
  if (slot === null) return refused(noSlot);
  let started: Started | null = null;
  try {
    started = startInSlot({ context, run, stdin }, slot);
  } catch (error) {
    started = refused(startFailure(error));
  } finally {
    if (started?.kind !== 'started') slot.release();
  }
  return started;
}

function startInSlot({ context, run, stdin }: StartOptions, slot: Slot): Started {
  const { machine, cgroups } = context;
  const { support } = cgroups;
  const { policy, limits } = run;
  const plan = planRlimits({ limits, support, hostUid: slot.uid, isolation: machine.isolation });
  const enforcement = enforcementOf({ plan, machine, hostUid: slot.uid, support, policy });
  const refusal = (policy.strict ?? true) ? strictRefusal(plan, support) : null;
  if (refusal !== null) return refused(refusal);
  if (run.signal?.aborted) return { kind: 'refused', outcome: abortedOutcome(enforcement) };
  const cgroup = cgroups.create({ name: context.newName(), limits });
  let launched: Launched;
  try {
    launched = launchIn({ context, run, stdin }, { uid: slot.uid, plan, selfEntry: cgroup.selfEntry ?? [] });
  } catch (error) {
    cgroup.remove().catch(() => {});
    throw error;
  }
  const session = new Session({
    launched,
    cgroup,
    enforcement,
    facts: { isRoot: machine.isolation === 'host-uid', inContainer: machine.inContainer },
    clock: run.clock ?? context.clock,
    release: () => slot.release(),
    run,
  });
  return { kind: 'started', session, channel: launched.channel, stdin: launched.stdin };
}

/** The uid that the code sees as its own in a user namespace. */
const insideUid = 1000;

function launchIn(
  { context, run, stdin }: StartOptions,
  { uid, plan, selfEntry }: { uid: number; plan: RlimitPlan; selfEntry: readonly string[] },
): Launched {
  const { isolation, disableUserns, root, bwrap, filter, shell, setpriv, leaked } = context.machine;
  const { policy, limits, command } = run;
  const identity: Identity =
    isolation === 'host-uid' ? { isolation, uid } : { isolation, uid: insideUid, disableUserns };
  const files = madeFiles(identity.uid);
  return launch({
    bwrap,
    selfEntry,
    hiddenArguments: bwrapArguments({ identity, root, files, policy, limits }),
    argv: setupArgv({
      identity,
      shell,
      setpriv,
      leaked,
      command,
      env: environmentOf(run),
      rlimits: plan.rlimits,
      mounts: policy.mounts,
    }),
    filter,
    files,
    stdin,
    channel: policy.channel !== undefined,
  });
}

/** Under a user namespace the code has the runner's own uid on the host, so there is nothing to share out. */
function takeSlot({ machine, state, newName, isAlive }: Context): Slot | null {
  if (machine.slots === null) return { uid: machine.uid, release: () => {} };
  return claimSlot({ folder: state.slots, ...machine.slots, newName, isAlive });
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
