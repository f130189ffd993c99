import type { Enforcement, Unavailable } from '../core/index.ts';
import type { CgroupSupport, RlimitPlan } from './cgroup/index.ts';
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

/** What a sandbox of this machine, these groups and rlimits and this policy enforces. */
export function enforcementOf(options: {
  machine: Machine;
  hostUid: number;
  support: CgroupSupport;
  plan: RlimitPlan;
  policy: Policy;
}): Enforcement {
  const { machine, hostUid, support, plan, policy } = options;
  return {
    isolation: machine.isolation,
    hostUid,
    network: 'none',
    nestedNamespaces: machine.disableUserns ? 'bwrap' : 'seccomp',
    seccomp: true,
    memory: plan.memory,
    oomCounter: support.oomCounter,
    pids: plan.pids,
    cpu: plan.cpu,
    disk: policy.mounts.some(({ kind }) => kind === 'rw') ? 'rlimit' : 'tmpfs',
    killAll: support.killAll,
    notes: [...support.notes, ...plan.notes],
  };
}

/** Why the strict policy refuses, or null where everything it asks for is enforced. */
export function strictRefusal(plan: RlimitPlan, support: CgroupSupport): Unavailable | null {
  if (plan.gaps.length === 0) return null;
  const [note] = support.notes;
  return {
    cause: `this machine cannot hold every limit: ${[...plan.gaps, ...(note === undefined ? [] : [note])].join('; ')}`,
    fix: 'Start assay where it may make control groups: as root, or by `systemd-run --user --scope -p Delegate=yes assay ...`; for code you trust, `--no-strict` runs it without them',
  };
}
