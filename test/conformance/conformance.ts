import { afterAll, describe, it } from 'vitest';
import type { Kernel, OpenKernelOptions } from '../../src/kernel/index.ts';
import { endings } from './endings.ts';
import { errors } from './errors.ts';
import { files } from './files.ts';
import { outputs } from './outputs.ts';
import { stopping } from './stopping.ts';

/** What not every runtime can do. A behaviour that needs one of these is left out where it is false. */
export type Capabilities = {
  /** MIME metadata comes through. */
  metadata: boolean;
  /** Displays are updated and outputs are cleared. */
  updates: boolean;
  /** What a thread puts out after its cell has ended is told with the next result. */
  late: boolean;
  /** The code gets a KeyboardInterrupt, so that variables outlive a deadline. */
  interrupts: boolean;
  /** How the process ended is known. */
  deathCause: boolean;
  /** `memoryBytes` holds. */
  memory: boolean;
  /** Whatever the code leaves running dies at a restart. */
  killsAll: boolean;
  /** Links in the working folder are seen as such. */
  links: boolean;
};

export const allCapabilities: Capabilities = {
  metadata: true,
  updates: true,
  late: true,
  interrupts: true,
  deathCause: true,
  memory: true,
  killsAll: true,
  links: true,
};

/** One thing that every Python kernel does. */
export type Behaviour = {
  name: string;
  needs?: keyof Capabilities;
  /** Opened for this behaviour alone; else it shares a kernel with others and must leave it alive. */
  own?: OpenKernelOptions;
  check: (kernel: Kernel, open: (options?: OpenKernelOptions) => Promise<Kernel>) => Promise<void>;
};

const tables: Record<string, readonly Behaviour[]> = { outputs, errors, files, stopping, endings };

/**
 * Defines the tests that every kernel with Python in it must pass, for `makeKernel` to be tried on.
 *
 * @param makeKernel opens one; the tests close it
 */
export function conformance(
  makeKernel: (options: OpenKernelOptions) => Promise<Kernel>,
  capabilities: Capabilities,
): void {
  for (const [title, table] of Object.entries(tables)) {
    describe(title, () => {
      let shared: Promise<Kernel> | null = null;
      afterAll(async () => (await shared?.catch(() => null))?.close());
      for (const { name, needs, own, check } of table) {
        if (needs !== undefined && !capabilities[needs]) continue;
        it(name, async () => {
          const opened: Kernel[] = [];
          const open = async (options: OpenKernelOptions = {}) => {
            const kernel = await makeKernel(options);
            opened.push(kernel);
            return kernel;
          };
          try {
            if (own === undefined) shared ??= makeKernel({});
            await check(own === undefined ? await (shared ?? makeKernel({})) : await open(own), open);
          } finally {
            await Promise.all(opened.map((kernel) => kernel.close()));
          }
        });
      }
    });
  }
}
