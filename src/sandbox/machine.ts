import { accessSync, constants, readFileSync, statSync } from 'node:fs';
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
  /** The program with its first arguments that closes leaked descriptors before it becomes bwrap; else empty. */
  launcher: string[];
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
  const launcher = launcherFor(leakedDescriptors(options.procRoot));
  if (launcher === null) {
    return {
      cause:
        'this process was started with open descriptors that only bash can close before the sandbox starts',
      fix: 'Install bash, or start assay without descriptors above 15',
    };
  }
  const shared = { uid: options.uid, bwrap, launcher, filter, root: rootParts() };
  if (options.uid !== 0) return { ...shared, isolation: 'user-namespace', setpriv: null, slots: null };
  return detectRoot({ ...shared, uidMap: readText(join(options.procRoot, 'self/uid_map')) });
}

/** Root drops to a uid of its own per sandbox, where it has such uids; a fake root of a user namespace has none. */
function detectRoot(
  options: Pick<Machine, 'uid' | 'bwrap' | 'launcher' | 'filter' | 'root'> & { uidMap: string },
): Machine | Unavailable {
  const { uidMap, ...shared } = options;
  const slots = slotRange(uidMap);
  if (slots.kind === 'fake-root') {
    return { ...shared, uid: slots.outerUid, isolation: 'user-namespace', setpriv: null, slots: null };
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
  return { ...shared, isolation: 'host-uid', setpriv, slots: { first: slots.first, last: slots.last } };
}

/**
 * bash, as only it can close descriptors of two digits; null where it is needed and missing. `-c` because bash adds PWD
 * to the environment, which the code could then read in that of bwrap.
 */
function launcherFor(leaked: readonly number[]): string[] | null {
  if (leaked.length === 0) return [];
  const bash = findProgram('bash', systemPath);
  const closings = leaked.map((fd) => `${fd}>&-`).join(' ');
  return bash === null ? null : [bash, '--norc', '-c', `exec ${closings}; exec -c "$0" "$@"`];
}

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

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
