import type { Enforcement, Unavailable } from '../core/index.ts';
import type { CgroupSupport } from './cgroup/index.ts';
import type { Machine } from './machine.ts';
import type { Policy } from './types.ts';

export const nothingEnforced: Enforcement = {
  isolation: 'none',
  hostUid: null,
  network: 'unknown',
  nestedNamespaces: 'none',
  seccomp: false,
  memory: 'none',
  oomCounter: false,
  pids: 'none',
  cpu: 'none',
  disk: 'none',
  killAll: 'none',
  notes: [],
};

/** What a sandbox of this machine, these groups and this policy enforces. */
export function enforcementOf(options: {
  machine: Machine;
  hostUid: number;
  disableUserns: boolean;
  support: CgroupSupport;
  policy: Policy;
}): Enforcement {
  const { machine, hostUid, disableUserns, support, policy } = options;
  return {
    isolation: machine.isolation,
    hostUid,
    network: 'none',
    nestedNamespaces: disableUserns ? 'bwrap' : 'seccomp',
    seccomp: true,
    memory: support.memory,
    oomCounter: support.oomCounter,
    pids: support.pids,
    cpu: support.cpu,
    disk: policy.mounts.some(({ kind }) => kind === 'rw') ? 'rlimit' : 'tmpfs',
    killAll: support.killAll,
    notes: support.notes,
  };
}

/** Why the strict policy refuses, or null where everything it asks for is enforced. */
export function strictRefusal(enforcement: Enforcement): Unavailable | null {
  const missing = [
    enforcement.memory === 'none' || enforcement.memory === 'rlimit' ? 'the memory of a process tree' : null,
    enforcement.oomCounter ? null : 'whether memory ran out',
    enforcement.pids === 'none' ? 'the number of processes' : null,
    enforcement.cpu === 'none' ? 'CPU use' : null,
  ].filter((what) => what !== null);
  if (missing.length === 0) return null;
  const notes = enforcement.notes.length === 0 ? '' : ` (${enforcement.notes.join('; ')})`;
  return {
    cause: `no control group holds or counts ${missing.join(', ')} here${notes}`,
    fix: 'Start assay with a delegated control group, e.g. `systemd-run --user --scope -p Delegate=yes assay ...`, or as root',
  };
}
