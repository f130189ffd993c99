import type { ControlFiles } from './control-files.ts';
import type { CgroupLimits } from './types.ts';

export type Resource = 'memory' | 'pids' | 'cpu';
export const resources: readonly Resource[] = ['memory', 'pids', 'cpu'];

/** Where one hierarchy lets the runner make groups, and what a group made there is used for. */
export type Place = {
  version: 1 | 2;
  /** Groups are made directly below this folder. */
  base: string;
  /** Limits that hold here. */
  limits: readonly Resource[];
  /** How everything in a group is killed here; null where another place does it. */
  kill: 'cgroup.kill' | 'freezer' | null;
  /** The CPU time of a group is read here. */
  countsCpu: boolean;
  /** Where memory is limited: whether OOM kills are counted, and whether swap is limited with it. Known once tried. */
  countsOom: boolean;
  limitsSwap: boolean;
};

/** A group's folder in one place. */
export type Member = { place: Place; dir: string };

/** One control file and the value that sets a limit. `optional`: not every kernel has the file. */
export type LimitWrite = { file: string; value: string; optional: boolean };

/** The writes that set one limit, in the order the kernel accepts them. */
export function limitWrites(options: {
  version: 1 | 2;
  resource: Resource;
  limits: CgroupLimits;
}): LimitWrite[] {
  const { limits } = options;
  const memory = String(Math.floor(limits.memoryBytes));
  const pids = String(Math.floor(limits.pids));
  const quota = String(Math.max(minQuotaUs, Math.round(limits.cpus * periodUs)));
  const write = (file: string, value: string) => ({ file, value, optional: false });
  const writeIfThere = (file: string, value: string) => ({ file, value, optional: true });
  switch (options.resource) {
    case 'memory':
      return options.version === 2
        ? [
            write('memory.max', memory),
            writeIfThere('memory.swap.max', '0'),
            // One killed process ends the whole sandbox, so a parent cannot go on and exit 0.
            writeIfThere('memory.oom.group', '1'),
          ]
        : [
            write('memory.limit_in_bytes', memory),
            // Memory plus swap: equal to the limit, so nothing is swapped. The kernel wants it set second.
            writeIfThere('memory.memsw.limit_in_bytes', memory),
          ];
    case 'pids':
      return [write('pids.max', pids)];
    case 'cpu':
      return options.version === 2
        ? [write('cpu.max', `${quota} ${periodUs}`)]
        : [write('cpu.cfs_period_us', String(periodUs)), write('cpu.cfs_quota_us', quota)];
  }
}

/** The kernel's own default period, in microseconds, and the smallest quota it takes. */
const periodUs = 100_000;
const minQuotaUs = 1_000;

/** Sets the limits of a group that was just made. @throws the kernel's refusal, as Node reports it */
export function setLimits(options: {
  files: ControlFiles;
  place: Place;
  dir: string;
  limits: CgroupLimits;
}): void {
  const { files, place, dir, limits } = options;
  for (const resource of place.limits) {
    for (const { file, value, optional } of limitWrites({ version: place.version, resource, limits })) {
      if (optional && !files.has(`${dir}/${file}`)) continue;
      files.write(`${dir}/${file}`, value);
    }
  }
}
