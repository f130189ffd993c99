import type { RlimitPlan } from './cgroup/index.ts';
import { descriptor } from './descriptors.ts';
import type { RunOptions } from './types.ts';

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * An rlimit counts memory that is only reserved. OpenBLAS reserves some for each of its threads, and where it gets none
 * it tries again for ever, deaf to interrupts: a plot hangs.
 */
const underRlimit = { OPENBLAS_NUM_THREADS: '1' };

/** The whole environment of a command: what every program may expect, what its toolchains need, what it asks for. */
export function environmentOf(
  { command, policy }: Pick<RunOptions, 'command' | 'policy'>,
  { memory }: Pick<RlimitPlan, 'memory'>,
): Record<string, string> {
  const { toolchains, channel } = policy;
  return {
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    ...(memory === 'rlimit' ? underRlimit : {}),
    PATH: [...toolchains.flatMap(({ path }) => path), systemPath].join(':'),
    ...Object.assign({}, ...toolchains.map(({ env }) => env)),
    ...command.env,
    ...(channel === undefined ? {} : { ASSAY_CHANNEL_FD: String(descriptor.channel) }),
  };
}
