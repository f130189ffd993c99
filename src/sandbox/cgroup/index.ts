export { type OpenCgroupsOptions, openCgroups } from './controller.ts';
export { type GroupName, groupName, isRunnerAlive, parseGroupName, runnerIdentity } from './name.ts';
export {
  planRlimits,
  prlimitArguments,
  type Rlimit,
  type RlimitOptions,
  type RlimitPlan,
  ulimitScript,
} from './rlimits.ts';
export type {
  Cgroup,
  CgroupController,
  CgroupCounters,
  CgroupLimits,
  CgroupOptions,
  CgroupSupport,
} from './types.ts';
