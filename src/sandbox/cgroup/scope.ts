import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** How long systemd may take to move this process, and how often it is looked at. */
const deadlineMs = 2_000;
const pollMs = 5;

export type ScopeOptions = {
  pid: number;
  uid: number;
  env: Readonly<Record<string, string | undefined>>;
  /** Where systemd's bus client is looked for, as in PATH. */
  path: string;
};

/**
 * Asks systemd, of the user or, for root, of the machine, to move this process to a new scope whose control group is
 * delegated to it (systemd.io, CONTROL_GROUP_DELEGATION). Groups that systemd has not delegated must be left alone
 * even where they are writable: it resets them. False where there is no systemd, or it refuses.
 */
export function enterDelegatedScope(options: ScopeOptions): boolean {
  const { pid, uid } = options;
  const environment = busEnvironment(options);
  if (environment === null) return false;
  const name = `assay-${pid}.scope`;
  const asked = spawnSync('busctl', startScope({ name, pid, bus: uid === 0 ? '--system' : '--user' }), {
    env: environment,
    timeout: deadlineMs,
    stdio: 'ignore',
  });
  return asked.status === 0 && isMoved(name);
}

/** null where no bus of systemd's can be there. */
function busEnvironment({ uid, env, path }: ScopeOptions): Record<string, string> | null {
  if (uid === 0) return existsSync('/run/systemd/system') ? { PATH: path } : null;
  const runtime = env.XDG_RUNTIME_DIR ?? `/run/user/${uid}`;
  const address = env.DBUS_SESSION_BUS_ADDRESS;
  if (address === undefined && !existsSync(`${runtime}/bus`)) return null;
  const known = { PATH: path, XDG_RUNTIME_DIR: runtime };
  return address === undefined ? known : { ...known, DBUS_SESSION_BUS_ADDRESS: address };
}

/** StartTransientUnit(name, mode, properties, aux) of org.freedesktop.systemd1(5), in the words of busctl(1). */
export function startScope(options: { name: string; pid: number; bus: '--system' | '--user' }): string[] {
  const { name, pid, bus } = options;
  const properties = [
    ['Description', 's', 'Sandboxes of assay'],
    ['PIDs', 'au', '1', String(pid)],
    ['Delegate', 'b', 'true'],
    // Else a scope that failed would stay and keep its name taken.
    ['CollectMode', 's', 'inactive-or-failed'],
  ];
  const manager = [
    'org.freedesktop.systemd1',
    '/org/freedesktop/systemd1',
    'org.freedesktop.systemd1.Manager',
  ];
  return [
    ...[bus, 'call', ...manager, 'StartTransientUnit', 'ssa(sv)a(sa(sv))', name, 'fail'],
    ...[String(properties.length), ...properties.flat()],
    '0',
  ];
}

/** The call answers when the job is queued, before the process is moved. */
function isMoved(name: string): boolean {
  const deadline = performance.now() + deadlineMs;
  while (!readFileSync('/proc/self/cgroup', 'utf8').includes(`/${name}`)) {
    if (performance.now() > deadline) return false;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs);
  }
  return true;
}
