import { readFileSync, statfsSync } from 'node:fs';
import { posix } from 'node:path';
import { type ArrangeOptions, arrange } from './arrange.ts';
import { kernelControlFiles } from './control-files.ts';
import { fakeUnified } from './fake-unified.ts';
import { createGroup } from './group.ts';
import { type Hierarchy, readLayout } from './layout.ts';
import { enterDelegatedScope, type ScopeOptions } from './scope.ts';
import { sweepGroups } from './sweep.ts';
import type { CgroupController } from './types.ts';

export type OpenCgroupsOptions = {
  /** The text of /proc/self/mountinfo. */
  mountinfo?: string;
  /** The text of /proc/self/cgroup. */
  selfCgroup?: string;
  /**
   * A folder to take for the mount of the v2 hierarchy, the only one then. Where it is no cgroup filesystem, a fake
   * one is laid in it, `support` claims what v2 would enforce, and its notes say that nothing is.
   */
  root?: string;
};

/**
 * Finds out what the control groups of this machine can enforce below the runner's own group: v2, v1, or limits
 * from v1 and the kill switch from v2 (hybrid). Tries it for real, in a few milliseconds, so open once per process.
 * Never throws: what cannot be had is `none` in `support`, with the reason among its notes. The options are for tests.
 */
export function openCgroups(options: OpenCgroupsOptions = {}): CgroupController {
  const { notes, ...found } = survey(options);
  const { files } = found;
  const detected = arrange(found);
  const { places } = detected;
  const support = { ...detected.support, notes: [...notes, ...detected.support.notes] };
  return {
    support,
    create: (group) => createGroup({ ...group, files, places, support }),
    sweep: (isAlive) => sweepGroups({ files, places, isAlive }),
  };
}

type Survey = ArrangeOptions & { notes: string[] };

function survey({ mountinfo, selfCgroup, root }: OpenCgroupsOptions): Survey {
  const isReal = mountinfo === undefined && selfCgroup === undefined;
  if (root === undefined) {
    return {
      files: kernelControlFiles,
      hierarchies: () =>
        readLayout({
          mountinfo: mountinfo ?? textOf('/proc/self/mountinfo'),
          selfCgroup: selfCgroup ?? textOf('/proc/self/cgroup'),
        }),
      enterScope: isReal ? () => enterDelegatedScope(thisProcess()) : () => false,
      hasSwap: hasSwap(),
      notes: [],
    };
  }
  const own = /^0::(\/.*)$/m.exec(selfCgroup ?? '')?.[1] ?? '/';
  const hierarchy: Hierarchy = {
    version: 2,
    controllers: [],
    mountPoint: root,
    ownDir: posix.resolve(root, `.${own}`),
  };
  const isFake = statfsSync(root).type !== unifiedMagic;
  return {
    files: isFake ? fakeUnified(root) : kernelControlFiles,
    hierarchies: () => [hierarchy],
    enterScope: () => false,
    hasSwap: hasSwap(),
    notes: isFake ? [`${root} is a fake cgroup filesystem for tests: no limit is enforced`] : [],
  };
}

function thisProcess(): ScopeOptions {
  return { pid: process.pid, uid: process.getuid?.() ?? -1, env: process.env, path: '/usr/bin:/bin' };
}

/** CGROUP2_SUPER_MAGIC of <linux/magic.h>. */
const unifiedMagic = 0x63677270;

/** A head line, then one line for each swap space. */
function hasSwap(): boolean {
  return textOf('/proc/swaps').trim().split('\n').length > 1;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
