import { posix } from 'node:path';
import { fillSource, type Identity, isInside } from './bwrap-arguments.ts';
import { type Rlimit, ulimitScript } from './cgroup/index.ts';
import { descriptor } from './descriptors.ts';
import type { Command, Mount } from './types.ts';

/**
 * What the programs that run inside before the command say on the setup descriptor. Nothing the code does can forge
 * it: the descriptor is closed before the code starts. `ready` comes first; end of file after it means the command
 * runs; `fill`, `cwd` and `exec` tell what went wrong instead.
 */
export const setupWord = { ready: 'ready', fill: '!fill', cwd: '!cwd', exec: '!exec' };

export type SetupOptions = {
  identity: Identity;
  setpriv: string | null;
  command: Command;
  env: Record<string, string>;
  rlimits: readonly Rlimit[];
  mounts: readonly Mount[];
};

/** The argv that bwrap runs: copies the fills, drops root's rights, sets limits, waits for the word, becomes the command. */
export function setupArgv({ identity, setpriv, command, env, rlimits, mounts }: SetupOptions): string[] {
  const prepare = [ownScript(mounts, identity), fillScript(mounts, identity, setpriv)].join('');
  const last = (script: string) => [
    ...['/bin/sh', '-c', script, 'assay'],
    ...[
      command.cwd,
      String(Object.keys(env).length),
      ...Object.entries(env).map(([key, value]) => `${key}=${value}`),
    ],
    ...command.argv,
  ];
  if (identity.isolation === 'user-namespace') return last(`${prepare}${finalScript(rlimits)}`);
  const dropped = [...dropRights(identity.uid, setpriv), ...last(finalScript(rlimits))];
  return prepare === '' ? dropped : ['/bin/sh', '-c', `${prepare}exec "$@"`, 'assay', ...dropped];
}

function dropRights(uid: number, setpriv: string | null): string[] {
  if (setpriv === null) throw new Error('no setpriv to drop root with');
  return [
    setpriv,
    ...['--reuid', String(uid), '--regid', String(uid), '--clear-groups'],
    ...['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'],
  ];
}

/** bwrap makes mounts that belong to root, which is another uid than the code's under `host-uid`. */
function ownScript(mounts: readonly Mount[], identity: Identity): string {
  const targets = mounts.filter(({ kind }) => kind === 'tmpfs').map(({ target }) => quote(target));
  if (identity.isolation !== 'host-uid' || targets.length === 0) return '';
  return `/bin/chown ${identity.uid}:${identity.uid} ${targets.join(' ')} 2>&${descriptor.setup} || exit 1\n`;
}

/**
 * tar and not cp: it replaces links instead of writing through them, gives nested mount points the right mode and time,
 * and reads and writes at once. What a read-only or host mount covers is left out. Root reads, the slot's uid writes.
 */
function fillScript(mounts: readonly Mount[], identity: Identity, setpriv: string | null): string {
  const fills = mounts.filter((mount) => mount.kind === 'fill');
  const writer = identity.isolation === 'host-uid' ? `${dropRights(identity.uid, setpriv).join(' ')} ` : '';
  return fills
    .map(({ target }, index) => {
      const excluded = mounts
        .filter((mount) => covers(mount, target))
        .map((mount) => `--exclude ${quote(`./${posix.relative(target, mount.target)}`)}`);
      const read = [
        'tar',
        '-C',
        fillSource(index),
        '--anchored',
        '--no-wildcards',
        ...excluded,
        '-cf',
        '-',
        '.',
      ];
      const write = `${writer}tar -C ${quote(target)} -xpf -`;
      return [
        `PATH=/usr/bin:/bin`,
        `failed() { echo '${setupWord.fill}' >&${descriptor.setup}; exit 1; }`,
        `said=$({ { ${read.join(' ')} || echo failed >&8; } 2>&${descriptor.setup} | ${write} >&${descriptor.setup} 2>&1 || echo failed >&8; } 8>&1)`,
        `[ -z "$said" ] || failed`,
        '',
      ].join('\n');
    })
    .join('');
}

const covers = (mount: Mount, target: string) =>
  (mount.kind === 'ro' || mount.kind === 'rw') && mount.target !== target && isInside(mount.target, target);

function finalScript(rlimits: readonly Rlimit[]): string {
  const { setup, block, status, arguments: args, filter } = descriptor;
  return `umask 022
exec ${[block, status, args, filter].map((fd) => `${fd}<&-`).join(' ')}
${ulimitScript(rlimits)}echo 500 2>/dev/null >/proc/self/oom_score_adj
[ -z "$BASH_VERSION" ] || shopt -s execfail
echo ${setupWord.ready} >&${setup}
read -r word <&${setup} || exit 1
cd -- "$1" || { echo '${setupWord.cwd}' >&${setup}; exit 1; }
shift
left=$1
shift
while [ "$left" -gt 0 ]; do
  export "$1"
  shift
  left=$((left - 1))
done
trap 'echo ${setupWord.exec} >&${setup}' EXIT
{ exec "$@"; } ${setup}>&-
`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
