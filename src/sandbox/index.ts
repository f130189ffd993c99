import { createSandbox, type Swept } from './create-sandbox.ts';
import type { RunOptions, RunResult, SandboxProcess } from './types.ts';

export { createSandbox, type SandboxOptions, type Swept } from './create-sandbox.ts';
export { printable } from './printable.ts';
export { resolveToolchain } from './toolchain.ts';
export type * from './types.ts';

/** Runs one command in a sandbox made for it; see `createSandbox` to run many. */
export function run(options: RunOptions): Promise<RunResult> {
  return createSandbox().run(options);
}

/** Starts a long-lived command in a sandbox made for it. */
export function spawn(options: RunOptions): Promise<SandboxProcess> {
  return createSandbox().spawn(options);
}

/** Removes what dead runners left on this machine: control groups and claims on uids. */
export function sweep(): Swept {
  return createSandbox().sweep();
}
