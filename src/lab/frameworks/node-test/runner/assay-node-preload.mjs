/**
 * Loaded by `--import` into the process of one test file, before any code of the project. Worker threads inherit
 * `--import`, and have nothing to report: only the main thread of the process that the runner started goes on.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.env.ASSAY_FILE_FD !== undefined) {
  const { attach } = await import('./assay-node-child.mjs');
  await attach();
}
