import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AssayError, type Clock, type Unavailable } from '../core/index.ts';
import {
  type CgroupController,
  groupName,
  isRunnerAlive,
  openCgroups,
  runnerIdentity,
} from './cgroup/index.ts';
import { ContentCache } from './content-file.ts';
import { systemClock } from './deadline.ts';
import { detectMachine, type Machine } from './machine.ts';
import { PipePool } from './pipes.ts';
import { claimSlot, SlotPool } from './slots.ts';
import { openStateFolder, type StateFolder } from './state-folder.ts';

/** What a sandbox is made from; every part can be put in by a test. */
export type SandboxOptions = {
  /** Folders to look for bwrap in. Default: PATH. */
  path?: string;
  /** As in `process.arch`. */
  arch?: string;
  /** Where /proc is mounted, for what it tells about this process and the machine. */
  procRoot?: string;
  /** Where root, or where everybody keeps what lives no longer than the machine is up. Defaults: /run, /tmp. */
  runDir?: string;
  tmpDir?: string;
  cgroups?: CgroupController;
  clock?: Clock;
};

/** Everything that runs on this machine share. */
export type Context = {
  machine: Machine;
  cgroups: CgroupController;
  clock: Clock;
  /** Opened anew each time, as cleaners of temporary folders may have removed it. */
  openState: () => StateFolder;
  /** null where the code keeps the runner's own uid on the host. */
  slots: SlotPool | null;
  pipes: PipePool;
  contents: ContentCache;
  /** A name that no runner ever gave out, and that tells this one. */
  newName: () => string;
  /** Whether the runner that gave out `name` still lives. */
  isAlive: (name: string) => boolean;
};

/** Finds out what the machine offers; never throws for what it lacks. */
export function openContext(options: SandboxOptions): Context | Unavailable {
  if (process.platform !== 'linux') {
    return {
      cause: `sandboxes need Linux, and this is ${process.platform}`,
      fix: 'Run assay on Linux, e.g. in a virtual machine',
    };
  }
  const uid = process.getuid?.() ?? 0;
  const machine = detectMachine({
    path: options.path ?? process.env.PATH ?? '/usr/bin:/bin',
    arch: options.arch ?? process.arch,
    uid,
    procRoot: options.procRoot ?? '/proc',
  });
  if ('cause' in machine) return machine;
  const identity = runnerIdentity();
  const ownNames = groupName({ ...identity, serial: '' });
  const newName = () => `${ownNames}${randomBytes(8).toString('hex')}`;
  const isAlive = (name: string) => name.startsWith(ownNames) || isRunnerAlive(name);
  try {
    const openState = () =>
      openStateFolder({
        uid,
        runDir: options.runDir ?? '/run',
        tmpDir: options.tmpDir ?? '/tmp',
      });
    openState();
    // Below staging, so that what a runner killed at the wrong moment leaves is swept.
    const newFolder = () => join(openState().staging, newName());
    const { slots } = machine;
    const claim = () =>
      slots === null ? null : claimSlot({ folder: openState().slots, ...slots, newName, isAlive });
    return {
      machine,
      cgroups: options.cgroups ?? openCgroups(),
      clock: options.clock ?? systemClock,
      openState,
      slots: slots === null ? null : new SlotPool({ claim }),
      pipes: new PipePool({ newFolder }),
      contents: new ContentCache({ newFolder }),
      newName,
      isAlive,
    };
  } catch (error) {
    if (!AssayError.is(error)) throw error;
    return { cause: error.message, fix: error.fix };
  }
}
