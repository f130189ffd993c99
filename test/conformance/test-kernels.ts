import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** The prefix of a virtual environment with ipykernel 6; made where it is missing. */
export function ipykernel6(): string {
  return path.join(testKernels(), 'ipykernel6');
}

/** The description of a JavaScript kernel that is no Python program: tslab. */
export function javascriptKernel(): string {
  return path.join(testKernels(), 'tslab/share/jupyter/kernels/jslab');
}

/** What only tests need, and `script/setup` does not make. */
function testKernels(): string {
  const made = spawnSync(path.join(root, 'script/test-kernels'), { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`script/test-kernels failed: ${made.stderr}`);
  return path.join(root, '.kernels');
}
