import type { DoctorReport } from './doctor.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';
import type { Swept } from './sweep.ts';
import type { RunOptions, RunResult, SandboxProcess } from './types.ts';

export type { SandboxOptions } from './context.ts';
export { startDeadline, systemClock } from './deadline.ts';
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
  return withSandbox((sandbox) => sandbox.run(options));
}

/** Starts a long-lived command; see `Sandbox.spawn`. */
export async function spawn(options: RunOptions): Promise<SandboxProcess> {
  const sandbox = createSandbox();
  const process = await sandbox.spawn(options);
  process.exited.then(() => sandbox.close());
  return process;
}

/** See `Sandbox.doctor`. */
export function doctor(): Promise<DoctorReport> {
  return withSandbox((sandbox) => sandbox.doctor());
}

/** See `Sandbox.sweep`. */
export function sweep(): Swept {
  return createSandbox().sweep();
}

async function withSandbox<Result>(use: (sandbox: Sandbox) => Promise<Result>): Promise<Result> {
  const sandbox = createSandbox();
  try {
    return await use(sandbox);
  } finally {
    sandbox.close();
  }
}
