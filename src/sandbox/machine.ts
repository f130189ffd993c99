import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Enforcement, Unavailable } from '../core/index.ts';
import { leakedDescriptors } from './descriptors.ts';
import { type RootPart, rootParts } from './root.ts';
import { seccompFilter } from './seccomp/index.ts';
import { slotRange } from './uid-map.ts';

export type Isolation = Exclude<Enforcement['isolation'], 'none'>;

/** What does not change between two runs: the programs, the kind of isolation, the filter, the parts of the root. */
export type Machine = {
  isolation: Isolation;
  /** The uid the runner itself has on the host. */
  uid: number;
  bwrap: string;
  /** Absolute paths that are the same inside; `setpriv` only for `host-uid`. */
  setpriv: string | null;
  /** The shell that prepares the sandbox from inside, with its options. */
  shell: string[];
  /** Descriptors that Node inherited and would pass on; `shell` can close them. */
  leaked: number[];
  /** bwrap can forbid further user namespaces itself; where it is too old the filter stands in. Only `user-namespace`. */
  disableUserns: boolean;
  inContainer: boolean;
  filter: Uint8Array;
  root: RootPart[];
  /** First and last uid that slots take; null under `user-namespace`. */
  slots: { first: number; last: number } | null;
};

export type MachineOptions = {
  /** Folders to look for bwrap in, as in PATH. */
  path: string;
  arch: string;
  uid: number;
  /** Where /proc is mounted. */
  procRoot: string;
};

/** Folders whose programs exist under the same path inside the sandbox. */
const systemPath = '/usr/bin:/bin:/usr/sbin:/sbin';

/** Finds out what a sandbox here would be made of, without starting one. */
export function detectMachine(options: MachineOptions): Machine | Unavailable {
  const bwrap = findProgram('bwrap', options.path);
  if (bwrap === null) {
    return {
      cause: 'bubblewrap (the program bwrap) is not installed',
      fix: 'Install it: `apt-get install bubblewrap`, `dnf install bubblewrap` or `apk add bubblewrap`',
    };
  }
  const filter = seccompFilter(options.arch);
  if (filter === null) {
    return {
      cause: `there is no system call filter for the machine type ${options.arch}`,
      fix: 'Run assay on an x86-64 or arm64 Linux machine',
    };
  }
  const leaked = leakedDescriptors(options.procRoot);
  const shell = shellFor(leaked);
  if (shell === null) {
    return {
      cause:
        'this process was started with open descriptors that only bash can close before the sandbox starts',
      fix: 'Install bash, or start assay without descriptors above 15',
    };
  }
  const shared = {
    uid: options.uid,
    bwrap,
    shell,
    leaked,
    filter,
    root: rootParts(),
    inContainer: isInContainer(),
  };
  if (options.uid !== 0) return inUserNamespace(shared);
  return detectRoot({ ...shared, uidMap: readText(join(options.procRoot, 'self/uid_map')) });
}

/** Root drops to a uid of its own per sandbox, where it has such uids; a fake root of a user namespace has none. */
function detectRoot(options: Shared & { uidMap: string }): Machine | Unavailable {
  const { uidMap, ...shared } = options;
  const slots = slotRange(uidMap);
  if (slots.kind === 'fake-root') {
    return inUserNamespace({ ...shared, uid: slots.outerUid });
  }
  if (slots.kind === 'none') {
    return {
      cause:
        'this process is root in a user namespace that maps root to root and has no other uids to drop to',
      fix: 'Start assay as an ordinary user',
    };
  }
  const setpriv = findProgram('setpriv', systemPath);
  if (setpriv === null) {
    return {
      cause: 'the program setpriv is missing, without which root cannot drop its rights inside the sandbox',
      fix: 'Install util-linux (`apt-get install util-linux`, `apk add setpriv`), or start assay as an ordinary user',
    };
  }
  const { first, last } = slots;
  return { ...shared, isolation: 'host-uid', disableUserns: false, setpriv, slots: { first, last } };
}

type Shared = Omit<Machine, 'isolation' | 'setpriv' | 'disableUserns' | 'slots'>;

function inUserNamespace(shared: Shared): Machine {
  const disableUserns = knowsDisableUserns(shared.bwrap);
  return { ...shared, isolation: 'user-namespace', disableUserns, setpriv: null, slots: null };
}

/** Since bubblewrap 0.8. Taken as known where bwrap does not even say: the run itself then tells why. */
function knowsDisableUserns(bwrap: string): boolean {
  const { status, stdout } = spawnSync(bwrap, ['--help'], { env: {}, encoding: 'utf8', timeout: 5_000 });
  return status !== 0 || stdout.includes('--disable-userns');
}

/** bash where there are descriptors to close, as only it knows numbers of two digits; null where it is missing. */
function shellFor(leaked: readonly number[]): string[] | null {
  if (leaked.length === 0) return ['/bin/sh'];
  const bash = findProgram('bash', systemPath);
  return bash === null ? null : [bash, '--posix'];
}

/** The first executable file of that name in the absolute folders of `path` (as in PATH), or null. */
export function findProgram(name: string, path: string): string | null {
  for (const folder of path.split(delimiter)) {
    // An empty or relative entry of PATH means the current folder, which may be the project under test.
    if (!folder.startsWith('/')) continue;
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return file;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

/** Files that Docker and podman put into the root of each container. */
function isInContainer(): boolean {
  return existsSync('/.dockerenv') || existsSync('/run/.containerenv');
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
