import { AssayError } from '../../core/index.ts';

export type ZeroMq = typeof import('zeromq');

/**
 * Loaded only where a kernel is opened: it takes 60 ms, and a native module that does not fit the machine must not
 * stop everything else.
 *
 * @throws AssayError `environment` where it does not load
 */
export async function loadZeroMq(): Promise<ZeroMq> {
  try {
    return await import('zeromq');
  } catch (cause) {
    throw new AssayError({
      code: 'environment',
      message: 'The ZeroMQ library, through which assay talks to kernels, does not load',
      because: cause instanceof Error ? cause.message : String(cause),
      fix: 'Install the packages again on this machine: `npm ci` (zeromq has builds for Linux on x64 and arm64, glibc and musl)',
      cause,
    });
  }
}
