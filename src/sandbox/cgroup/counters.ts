import { type ControlFiles, readKeyed, readNumber } from './control-files.ts';
import type { Member } from './place.ts';
import type { CgroupCounters } from './types.ts';

/** What the kernel counted for a group. Read before the group is removed. */
export function readCounters(options: { files: ControlFiles; members: readonly Member[] }): CgroupCounters {
  const { files, members } = options;
  const memory = members.find(({ place }) => place.limits.includes('memory'));
  const pids = members.find(({ place }) => place.limits.includes('pids'));
  const cpu = members.find(({ place }) => place.countsCpu);
  return {
    ...memoryCounters(files, memory),
    pidsRefused: pids === undefined ? 0 : (readKeyed(files, `${pids.dir}/pids.events`, 'max') ?? 0),
    pidsPeak: pids === undefined ? null : readNumber(files, `${pids.dir}/pids.peak`),
    cpuMs: cpu === undefined ? null : cpuMs(files, cpu),
  };
}

function memoryCounters(
  files: ControlFiles,
  member: Member | undefined,
): Pick<CgroupCounters, 'oomKills' | 'memoryPeakBytes'> {
  if (member === undefined) return { oomKills: 0, memoryPeakBytes: null };
  const [events, peak] =
    member.place.version === 2
      ? ['memory.events', 'memory.peak']
      : ['memory.oom_control', 'memory.max_usage_in_bytes'];
  return {
    oomKills: readKeyed(files, `${member.dir}/${events}`, 'oom_kill') ?? 0,
    memoryPeakBytes: readNumber(files, `${member.dir}/${peak}`),
  };
}

function cpuMs(files: ControlFiles, { place, dir }: Member): number | null {
  if (place.version === 2) {
    const us = readKeyed(files, `${dir}/cpu.stat`, 'usage_usec');
    return us === null ? null : us / 1_000;
  }
  const ns = readNumber(files, `${dir}/cpuacct.usage`);
  return ns === null ? null : ns / 1_000_000;
}
