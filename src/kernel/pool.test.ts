import { describe, expect, it } from 'vitest';
import { fakeKernel, kernelPool } from './index.ts';

describe('kernelPool', () => {
  it('starts kernels ahead and another for each that is taken', async () => {
    const opened: ReturnType<typeof fakeKernel>[] = [];
    const open = async () => {
      const kernel = fakeKernel({ replies: () => ({}) });
      opened.push(kernel);
      return kernel;
    };
    const pool = kernelPool({ open, size: 2 });
    expect(opened).toHaveLength(2);
    expect(await pool.take()).toBe(opened[0]);
    await expect.poll(() => opened.length).toBe(3);
    await pool.close();
    expect(opened.map(({ closed }) => closed)).toEqual([false, true, true]);
  });

  it('gives away no kernel that died while it waited', async () => {
    const dead = fakeKernel({ replies: () => ({ end: { status: 'died', cause: 'oom', detail: '' } }) });
    const alive = fakeKernel({ replies: () => ({}) });
    const kernels = [dead, alive];
    const pool = kernelPool({ open: async () => kernels.shift() ?? fakeKernel({ replies: [] }), size: 1 });
    expect(await pool.take()).toBe(alive);
    expect(dead.closed).toBe(true);
    await pool.close();
  });

  it('says why no kernel comes up', async () => {
    const pool = kernelPool({ open: () => Promise.reject(new Error('no sandbox')), size: 1 });
    await expect(pool.take()).rejects.toThrow('no sandbox');
    await pool.close();
  });
});
