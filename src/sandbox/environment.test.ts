import { describe, expect, it } from 'vitest';
import { environmentOf } from './environment.ts';
import type { RunOptions } from './types.ts';

const run: Pick<RunOptions, 'command' | 'policy'> = {
  command: { argv: ['true'], cwd: '/tmp', env: {} },
  policy: { mounts: [], toolchains: [], strict: false },
};

describe('environmentOf', () => {
  it('has OpenBLAS reserve memory for one thread where an rlimit counts what is reserved', () => {
    expect(environmentOf(run, { memory: 'rlimit' })).toMatchObject({ OPENBLAS_NUM_THREADS: '1' });
    expect(environmentOf(run, { memory: 'cgroup2' })).not.toHaveProperty('OPENBLAS_NUM_THREADS');
    const command = { ...run.command, env: { OPENBLAS_NUM_THREADS: '2' } };
    expect(environmentOf({ ...run, command }, { memory: 'rlimit' })).toMatchObject({
      OPENBLAS_NUM_THREADS: '2',
    });
  });
});
