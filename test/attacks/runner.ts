/** A runner in a process of its own, for attacks that kill it or start it on a poorer machine. One run, then the end. */
import type { RunOptions } from '../../src/sandbox/index.ts';
import type { Mode } from './context.ts';
import { openSandbox } from './sandbox.ts';

export type RunnerRequest = {
  limits: Mode['limits'];
  options: RunOptions;
  /** Where the runner notes what it holds. Default: where all runners of its uid do. */
  state?: string;
};

process.once('message', async ({ limits, options, state }: RunnerRequest) => {
  const folders = state === undefined ? {} : { runDir: state, tmpDir: state };
  const { outcome } = await openSandbox(limits, folders).run(options);
  process.send?.(outcome, () => process.disconnect());
});
