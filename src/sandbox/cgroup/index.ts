export { openCgroups } from './controller.ts';
export { type GroupName, groupName, isRunnerAlive, parseGroupName, runnerIdentity } from './name.ts';
export type {
  Cgroup,
  CgroupController,
  CgroupCounters,
  CgroupLimits,
  CgroupOptions,
  CgroupSupport,
} from './types.ts';
