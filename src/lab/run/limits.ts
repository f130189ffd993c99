import { availableParallelism } from 'node:os';
import type { TestResult } from '../../core/index.ts';
import type { Limits } from '../../sandbox/index.ts';
import type { LabLimits } from '../types.ts';

const mebi = 1024 * 1024;

/** Limits of one test run: those asked for, else the lab's defaults. `workspaceBytes` lie in memory and come on top. */
export function sandboxLimits(asked: LabLimits | undefined, workspaceBytes: number): Limits {
  return {
    wallMs: asked?.wallMs ?? 300_000,
    memoryBytes: (asked?.memoryBytes ?? 2048 * mebi) + workspaceBytes,
    pids: asked?.pids ?? 512,
    cpus: asked?.cpus ?? availableParallelism(),
    output: { maxBytes: asked?.outputBytes ?? 64 * mebi, onExcess: 'kill' },
    tmpBytes: 512 * mebi,
    fileBytes: 1024 * mebi,
    openFiles: 4096,
  };
}

/** Of records on the private channel; reached only by a runaway runner. */
export const maxChannelBytes = 128 * mebi;

/** After this a test counts as hanging, where `LabLimits.testMs` says nothing else. */
export const defaultTestMs = 30_000;

/** The runners get it in seconds. */
export function testLimitSeconds(asked: LabLimits | undefined): number {
  return (asked?.testMs ?? defaultTestMs) / 1_000;
}

/** A runner ended the test because it ran over its time limit. */
export function isHung({ failure }: TestResult): boolean {
  return failure?.type === 'TestHung';
}
