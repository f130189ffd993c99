import type { DoctorReport } from './doctor.ts';
import { createSandbox } from './sandbox.ts';
import type { Swept } from './sweep.ts';
import type { RunOptions, RunResult, SandboxProcess } from './types.ts';

export type { SandboxOptions } from './context.ts';
export type { DoctorReport } from './doctor.ts';
export { printable } from './printable.ts';
export { type ResultFile, readResultFile } from './result-file.ts';
export { resultPathProblem } from './result-path.ts';
export { createSandbox, type Sandbox } from './sandbox.ts';
export type { Staging } from './staging.ts';
export type { Swept } from './sweep.ts';
export { resolveToolchain } from './toolchain.ts';
export type * from './types.ts';

/** Runs one command in a sandbox made for it; see `Sandbox.run`. To run many, keep what `createSandbox` gives. */
export function run(options: RunOptions): Promise<RunResult> {
  return createSandbox().run(options);
}

/** Starts a long-lived command; see `Sandbox.spawn`. */
export function spawn(options: RunOptions): Promise<SandboxProcess> {
  return createSandbox().spawn(options);
}

/** See `Sandbox.doctor`. */
export function doctor(): Promise<DoctorReport> {
  return createSandbox().doctor();
}

/** See `Sandbox.sweep`. */
export function sweep(): Swept {
  return createSandbox().sweep();
}
