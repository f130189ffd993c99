import type { Identity } from './bwrap-arguments.ts';
import { type Rlimit, ulimitScript } from './cgroup/index.ts';
import { descriptor } from './descriptors.ts';
import { fillScript } from './fill-script.ts';
import { setupWord } from './setup-words.ts';
import { quote } from './shell.ts';
import type { Command, Mount } from './types.ts';

export type SetupOptions = {
  identity: Identity;
  /** The shell, absolute and with options; the same inside. */
  shell: readonly string[];
  setpriv: string | null;
  /** Descriptors that the runner inherited and could not keep from the shell. */
  leaked: readonly number[];
  command: Command;
  env: Record<string, string>;
  rlimits: readonly Rlimit[];
  mounts: readonly Mount[];
  /** How many control groups the shell enters by itself, through the descriptors from `descriptor.groups` on. */
  groups: number;
};

/**
 * The argv that bwrap runs. One process all along: it waits at the gate, copies the fills, gives up root's rights, sets
 * limits and becomes the command.
 */
export function setupArgv(options: SetupOptions): string[] {
  const { identity, shell, setpriv, command, env, rlimits, mounts, leaked, groups } = options;
  const gate = gateScript(groups);
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const final = (script: string) => [
    ...[...shell, '-c', script, 'assay', command.cwd, String(variables.length), ...variables],
    ...command.argv,
  ];
  const last = finalScript(rlimits, leaked);
  if (identity.isolation === 'user-namespace') return final(`${gate}${fillScript(mounts, [])}${last}`);
  const drop = dropRights(identity.uid, setpriv);
  const prepare = `${ownScript(mounts, identity.uid)}${fillScript(mounts, drop)}`;
  if (prepare === '') return [...drop, ...final(`${gate}${last}`)];
  return [...shell, '-c', `${gate}${prepare}exec "$@"`, 'assay', ...drop, ...final(last)];
}

function dropRights(uid: number, setpriv: string | null): string[] {
  if (setpriv === null) throw new Error('no setpriv to drop root with');
  return [
    ...[setpriv, '--reuid', String(uid), '--regid', String(uid), '--clear-groups'],
    ...['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'],
  ];
}

const { setup } = descriptor;

/**
 * End of file instead of a word means that the runner is gone; so does the signal that `echo` gets then, where the word
 * was sent beforehand. From when bwrap lets this shell start, the kernel kills bwrap with the runner.
 */
function gateScript(groups: number): string {
  const descriptors = Array.from({ length: groups }, (_, index) => descriptor.groups + index);
  const failed = `{ echo '${setupWord.group}' >&${setup}; exit 1; }`;
  const enter = descriptors.map((fd) => `echo 0 2>&${setup} >&${fd} || ${failed}\n`).join('');
  const close = groups === 0 ? '' : `exec ${descriptors.map((fd) => `${fd}>&-`).join(' ')}\n`;
  return `echo ${setupWord.ready} >&${setup} || exit 1\nread -r word <&${setup} || exit 1\n${enter}${close}`;
}

/** bwrap makes mounts that belong to root, which is another uid than the code's under `host-uid`. */
function ownScript(mounts: readonly Mount[], uid: number): string {
  const targets = mounts.filter(({ kind }) => kind === 'tmpfs').map(({ target }) => quote(target));
  return targets.length === 0 ? '' : `/bin/chown ${uid}:${uid} ${targets.join(' ')} 2>&${setup} || exit 1\n`;
}

/** The environment is set by the last shell only: LD_PRELOAD and its like must not act on programs that are still root. */
function finalScript(rlimits: readonly Rlimit[], leaked: readonly number[]): string {
  const close = leaked.length === 0 ? '' : `exec ${leaked.map((fd) => `${fd}<&-`).join(' ')}\n`;
  return `${close}umask 022
${ulimitScript(rlimits)}echo 500 2>/dev/null >/proc/self/oom_score_adj
cd -- "$1" || { echo '${setupWord.folder}' >&${setup}; exit 1; }
shift
left=$1
shift
[ -z "$BASH_VERSION" ] || shopt -s execfail
echo '${setupWord.running}' >&${setup}
while [ "$left" -gt 0 ]; do
  export "$1"
  shift
  left=$((left - 1))
done
trap 'echo ${setupWord.exec} >&${setup}' EXIT
{ exec "$@"; } ${setup}>&-
`;
}
