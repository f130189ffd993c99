import path from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { openJupyterKernel } from '../../src/kernel/index.ts';
import { allCapabilities, conformance } from './conformance.ts';
import { ipykernel6 } from './test-kernels.ts';

const root = path.resolve(import.meta.dirname, '../..');

describe.each([
  { version: 7, prefix: path.join(root, '.venv') },
  { version: 6, prefix: ipykernel6() },
])('ipykernel $version', ({ version, prefix }) => {
  const env = { ...process.env, VIRTUAL_ENV: prefix };
  const strict = inject('holdsEveryLimit');
  const open = openJupyterKernel;

  it('is the one that is tested', async () => {
    const kernel = await open({ env, strict });
    const { outputs } = await kernel.execute('import ipykernel; ipykernel.version_info[0]');
    expect(outputs).toMatchObject([{ data: { 'text/plain': String(version) } }]);
    await kernel.close();
  });

  // Short, as some cells listen to no interrupt at all.
  conformance((options) => open({ env, strict, interruptGraceMs: 2500, ...options }), allCapabilities);
});
