import { openCgroups } from '../../src/sandbox/cgroup/index.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import type { Mode } from './context.ts';

/** This machine's sandbox; under `rlimit` as a machine would make it that mounts no cgroup hierarchy. */
export function openSandbox(limits: Mode['limits'], options: SandboxOptions = {}): Sandbox {
  return createSandbox(
    limits === 'cgroup' ? options : { ...options, cgroups: openCgroups({ mountinfo: '' }) },
  );
}
