import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Duplex, Writable } from 'node:stream';
import type { Clock, Outcome, Unavailable } from '../core/index.ts';
import { bwrapArguments, type Identity } from './bwrap-arguments.ts';
import { CappedChannel } from './capped-channel.ts';
import {
  type CgroupController,
  groupName,
  isRunnerAlive,
  openCgroups,
  planRlimits,
  runnerIdentity,
} from './cgroup/index.ts';
import { systemClock } from './deadline.ts';
import { enforcementOf, strictRefusal } from './enforcement.ts';
import { launch } from './launch.ts';
import { detectMachine, type Machine } from './machine.ts';
import { madeFiles } from './made-files.ts';
import { abortedOutcome, unavailableOutcome } from './outcome.ts';
import { Session } from './session.ts';
import { setupArgv } from './setup-script.ts';
import { claimSlot, type Slot, sweepSlots } from './slots.ts';
import { openStateFolder } from './state-folder.ts';
import type { RunOptions, RunResult, SandboxProcess } from './types.ts';

/** What a sandbox is made from; every part can be put in by a test. */
export type SandboxOptions = {
  /** Folders to look for bwrap in. Default: PATH. */
  path?: string;
  /** Default: this machine's. */
  arch?: string;
  /** Default: this process's. */
  uid?: number;
  procRoot?: string;
  runDir?: string;
  tmpDir?: string;
  cgroups?: CgroupController;
  clock?: Clock;
};

/** Finds out once what the machine offers, then runs any number of commands. */
export function createSandbox(options: SandboxOptions = {}) {
  const context = openContext(options);
  return {
    run: (run: RunOptions) => runIn(context, run),
    spawn: (run: RunOptions) => spawnIn(context, run),
    sweep: () => sweepIn(context),
  };
}

/** What runners that are dead had left behind and is now gone. */
export type Swept = { cgroups: string[]; slots: number };

function sweepIn({ cgroups, stateFolder }: Context): Swept {
  return {
    cgroups: cgroups.sweep(isRunnerAlive),
    slots: sweepSlots({ folder: join(stateFolder, 'slots'), isAlive: isRunnerAlive }),
  };
}

type Context = {
  machine: Machine | Unavailable;
  cgroups: CgroupController;
  clock: Clock;
  stateFolder: string;
  newName: () => string;
};

function openContext(options: SandboxOptions): Context {
  const uid = options.uid ?? process.getuid?.() ?? -1;
  const identity = runnerIdentity();
  const stateFolder = openStateFolder({
    uid,
    runDir: options.runDir ?? '/run',
    tmpDir: options.tmpDir ?? '/tmp',
  });
  mkdirSync(join(stateFolder, 'slots'), { recursive: true, mode: 0o700 });
  return {
    machine: detectMachine({
      path: options.path ?? process.env.PATH ?? '/usr/bin:/bin',
      arch: options.arch ?? process.arch,
      uid,
      procRoot: options.procRoot ?? '/proc',
    }),
    cgroups: options.cgroups ?? openCgroups(),
    clock: options.clock ?? systemClock,
    stateFolder,
    newName: () => groupName({ ...identity, serial: randomBytes(8).toString('hex') }),
  };
}

type Started =
  | { kind: 'started'; session: Session; channel: Duplex | null; stdin: Writable | null }
  | { kind: 'refused'; outcome: Outcome };

const insideUid = 1000;

/** Above the largest pid of any Linux. */
const noPid = 2 ** 22 + 1;

function start(context: Context, run: RunOptions, stdin: 'none' | 'pipe'): Started {
  const { machine, cgroups } = context;
  const refused = (outcome: Outcome): Started => ({ kind: 'refused', outcome });
  if ('cause' in machine) return refused(unavailableOutcome(machine));
  const slot = takeSlot(context, machine);
  if (slot === null) return refused(unavailableOutcome(noSlot));
  const disableUserns = machine.isolation === 'user-namespace';
  const plan = planRlimits({
    limits: run.limits,
    support: cgroups.support,
    hostUid: slot.uid,
    isolation: machine.isolation,
  });
  const enforcement = enforcementOf({
    plan,
    machine,
    hostUid: slot.uid,
    disableUserns,
    support: cgroups.support,
    policy: run.policy,
  });
  const refusal = (run.policy.strict ?? true) ? strictRefusal(plan, cgroups.support) : null;
  if (refusal !== null || run.signal?.aborted) {
    slot.release();
    return refused(refusal === null ? abortedOutcome(enforcement) : unavailableOutcome(refusal));
  }
  const identity: Identity =
    machine.isolation === 'host-uid'
      ? { isolation: 'host-uid', uid: slot.uid }
      : { isolation: 'user-namespace', uid: insideUid, disableUserns };
  const files = madeFiles(identity.uid);
  const cgroup = cgroups.create({ name: context.newName(), limits: run.limits });
  // The kernel takes some 10 ms for the first move after a quiet spell, and as long for one that finds no process:
  // waited out while bwrap builds the sandbox.
  const groupReady = cgroup.addSoon([noPid]);
  const launched = launch({
    bwrap: machine.bwrap,
    hiddenArguments: bwrapArguments({
      identity,
      root: machine.root,
      files,
      policy: run.policy,
      limits: run.limits,
    }),
    argv: setupArgv({
      identity,
      shell: machine.shell,
      setpriv: machine.setpriv,
      leaked: machine.leaked,
      command: run.command,
      env: environment(run),
      rlimits: plan.rlimits,
      mounts: run.policy.mounts,
    }),
    filter: machine.filter,
    files,
    stdin,
    channel: run.policy.channel !== undefined,
  });
  const session = new Session({
    launched,
    cgroup,
    groupReady,
    enforcement,
    clock: run.clock ?? context.clock,
    release: () => slot.release(),
    run,
  });
  return { kind: 'started', session, channel: launched.channel, stdin: launched.stdin };
}

function takeSlot({ stateFolder, newName }: Context, machine: Machine): Slot | null {
  if (machine.slots === null) return { uid: machine.uid, release: () => {} };
  return claimSlot({ folder: join(stateFolder, 'slots'), ...machine.slots, newName, isAlive: isRunnerAlive });
}

const noSlot: Unavailable = {
  cause: 'all uids that sandboxes can have are taken',
  fix: 'Wait until other assay runs on this machine have ended',
};

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What every program may expect, then what the toolchains need, then what the command asks for. */
function environment({ command, policy }: RunOptions): Record<string, string> {
  const { toolchains } = policy;
  return {
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    PATH: [...toolchains.flatMap(({ path }) => path), systemPath].join(':'),
    ...Object.assign({}, ...toolchains.map(({ env }) => env)),
    ...command.env,
    ...(policy.channel === undefined ? {} : { ASSAY_CHANNEL_FD: '3' }),
  };
}

async function runIn(context: Context, run: RunOptions): Promise<RunResult> {
  const started = start(context, run, run.command.stdin === undefined ? 'none' : 'pipe');
  if (started.kind === 'refused') return { outcome: started.outcome, channel: new Uint8Array() };
  started.stdin?.end(run.command.stdin);
  const channel = collect(started, run.policy.channel?.maxBytes ?? 0);
  const outcome = await started.session.outcome;
  return { outcome, channel: channel() };
}

function collect(
  { session, channel }: Extract<Started, { kind: 'started' }>,
  maxBytes: number,
): () => Uint8Array {
  const chunks: Buffer[] = [];
  let length = 0;
  channel?.on('data', (bytes: Buffer) => {
    const room = maxBytes - length;
    if (room > 0) chunks.push(bytes.subarray(0, room));
    length += bytes.length;
    if (length > maxBytes) session.kill('output_limit');
  });
  channel?.end();
  return () => Buffer.concat(chunks);
}

async function spawnIn(context: Context, run: RunOptions): Promise<SandboxProcess> {
  const started = start(context, run, 'pipe');
  if (started.kind === 'refused') return neverStarted(started.outcome);
  const { session, stdin } = started;
  if (run.command.stdin !== undefined) stdin?.write(run.command.stdin);
  const channel =
    started.channel === null
      ? undefined
      : new CappedChannel({
          socket: started.channel,
          maxBytes: run.policy.channel?.maxBytes ?? 0,
          onExcess: () => session.kill('output_limit'),
        });
  return {
    exited: session.outcome,
    channel,
    stdin: stdin ?? closedInput(),
    signal: async (name) => {
      await session.started;
      session.signal(name);
    },
    kill: () => {
      session.kill('aborted');
      return session.outcome;
    },
  };
}

function neverStarted(outcome: Outcome): SandboxProcess {
  const exited = Promise.resolve(outcome);
  return { exited, channel: undefined, stdin: closedInput(), signal: async () => {}, kill: () => exited };
}

function closedInput(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
