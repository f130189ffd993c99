import { descriptor } from './descriptors.ts';
import type { RunOptions } from './types.ts';

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The whole environment of a command: what every program may expect, what its toolchains need, what it asks for. */
export function environmentOf({
  command,
  policy,
}: Pick<RunOptions, 'command' | 'policy'>): Record<string, string> {
  const { toolchains, channel } = policy;
  return {
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    PATH: [...toolchains.flatMap(({ path }) => path), systemPath].join(':'),
    ...Object.assign({}, ...toolchains.map(({ env }) => env)),
    ...command.env,
    ...(channel === undefined ? {} : { ASSAY_CHANNEL_FD: String(descriptor.channel) }),
  };
}
