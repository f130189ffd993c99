import { posix } from 'node:path';
import { descriptor } from './descriptors.ts';
import { isInside } from './is-inside.ts';
import type { MadeFile } from './made-files.ts';
import type { RootPart } from './root.ts';
import type { Limits, Mount, Policy } from './types.ts';

/** Who the code is: `uid` is what it sees as its own. Under `host-uid` the host sees the same. */
export type Identity =
  | { isolation: 'user-namespace'; uid: number; disableUserns: boolean }
  | { isolation: 'host-uid'; uid: number };

export type ArgumentOptions = {
  identity: Identity;
  root: readonly RootPart[];
  files: readonly MadeFile[];
  policy: Policy;
  limits: Limits;
};

/** Below here lie the sources of `fill` mounts. Under `host-uid` the code cannot enter it. */
export const hiddenFolder = '/.assay';

/** Where the source of a `fill` mount lies inside; `index`: among the mounts of the policy. */
export const fillSource = (index: number) => `${hiddenFolder}/${index}`;

/** Everything bwrap is told but the program it runs; read by `--args`, so that no other process can see it. */
export function bwrapArguments({ identity, root, files, policy, limits }: ArgumentOptions): string[] {
  const { before, after } = splitToolchains(policy);
  const folders = folderMaker();
  return [
    ...isolationArguments(identity),
    ...fillCapabilities(identity, policy.mounts),
    ...descriptorArguments,
    ...root.flatMap((part) => [...folders.above(part.path), ...rootArguments(part)]),
    ...files.flatMap(({ path }, index) => [
      ...folders.above(path),
      ...['--perms', '0444', '--file', String(descriptor.files + index), path],
    ]),
    ...['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
    ...['--dev', '/dev', ...tmpfs('/dev/shm', limits.tmpBytes, '1777'), '--remount-ro', '/dev'],
    ...tmpfs('/tmp', limits.tmpBytes, '1777'),
    ...before.flatMap((path) => [...folders.above(path), '--ro-bind', path, path]),
    ...policy.mounts.flatMap((mount) => mountArguments(mount, folders)),
    ...after.flatMap((path) => [...folders.above(path), '--ro-bind', path, path]),
    ...fillArguments(policy.mounts),
    // Last: what is made above must still be writable while it is made.
    ...['--remount-ro', '/'],
  ];
}

function isolationArguments(identity: Identity): string[] {
  const always = [
    '--die-with-parent',
    '--new-session',
    '--clearenv',
    '--hostname',
    'assay',
    '--cap-drop',
    'ALL',
  ];
  switch (identity.isolation) {
    case 'user-namespace':
      return [
        // --unshare-all alone would only try to make a user namespace.
        ...['--unshare-all', '--unshare-user'],
        ...(identity.disableUserns ? ['--disable-userns'] : []),
        ...['--uid', String(identity.uid), '--gid', String(identity.uid)],
        ...always,
      ];
    case 'host-uid':
      return [
        ...['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
        ...always,
        // Held until setpriv has changed the uid and dropped them too.
        ...['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_SETPCAP'],
      ];
  }
}

/** Capabilities to prepare the workspace with; gone like the others before the code runs. */
function fillCapabilities({ isolation }: Identity, mounts: readonly Mount[]): string[] {
  const has = (kind: Mount['kind']) =>
    isolation === 'host-uid' && mounts.some((mount) => mount.kind === kind);
  return [
    // A tmpfs is given to the slot's uid.
    ...(has('tmpfs') ? ['--cap-add', 'CAP_CHOWN'] : []),
    // Files of a fill's source may be readable by their owner alone.
    ...(has('fill') ? ['--cap-add', 'CAP_DAC_READ_SEARCH'] : []),
  ];
}

const descriptorArguments = [
  ...['--json-status-fd', String(descriptor.status)],
  ...['--seccomp', String(descriptor.filter)],
];

function rootArguments(part: RootPart): string[] {
  return part.kind === 'ro' ? ['--ro-bind', part.path, part.path] : ['--symlink', part.target, part.path];
}

/** `--size` and `--perms` each hold for the next operation only. */
function tmpfs(target: string, sizeBytes: number, mode: string): string[] {
  return ['--size', String(Math.max(1, Math.floor(sizeBytes))), '--perms', mode, '--tmpfs', target];
}

function mountArguments(mount: Mount, folders: FolderMaker): string[] {
  switch (mount.kind) {
    case 'ro':
      return [...folders.above(mount.target), '--ro-bind', mount.source, mount.target];
    case 'rw':
      return [...folders.above(mount.target), '--bind', mount.source, mount.target];
    case 'tmpfs':
      return [...folders.above(mount.target), ...tmpfs(mount.target, mount.sizeBytes, '0755')];
    case 'fill':
      return [];
  }
}

function fillArguments(mounts: readonly Mount[]): string[] {
  const fills = mounts.filter((mount) => mount.kind === 'fill');
  if (fills.length === 0) return [];
  return [
    ...['--perms', '0700', '--dir', hiddenFolder],
    ...fills.flatMap(({ source }, index) => ['--ro-bind', source, fillSource(index)]),
  ];
}

/** Prefixes that lie inside a mount of the policy (a project's own .venv) are laid after it, else it would hide them. */
function splitToolchains({ toolchains, mounts }: Policy): { before: string[]; after: string[] } {
  const laid = mounts.filter(({ kind }) => kind !== 'fill').map(({ target }) => target);
  const prefixes = [...new Set(toolchains.flatMap((toolchain) => toolchain.prefixes))]
    .filter((prefix) => !isInside(prefix, '/usr') && !laid.includes(prefix))
    // A parent laid after its child would hide it.
    .sort((a, b) => a.length - b.length);
  const isAfter = (prefix: string) => laid.some((target) => isInside(prefix, target));
  return { before: prefixes.filter((prefix) => !isAfter(prefix)), after: prefixes.filter(isAfter) };
}

type FolderMaker = { above(path: string): string[] };

/** Makes each parent folder once, with a mode of its own: bwrap's own would shut out another host uid. */
function folderMaker(): FolderMaker {
  const made = new Set(['/']);
  return {
    above(path) {
      const missing: string[] = [];
      for (let folder = posix.dirname(path); !made.has(folder); folder = posix.dirname(folder)) {
        made.add(folder);
        missing.unshift('--perms', '0755', '--dir', folder);
      }
      return missing;
    },
  };
}
