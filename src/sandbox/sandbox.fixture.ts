import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, inject } from 'vitest';
import type { Outcome } from '../core/index.ts';
import { createSandbox } from './sandbox.ts';
import type { Command, Limits, Mount, Policy, RunOptions } from './types.ts';

export const MiB = 1024 * 1024;

export const roomy: Limits = {
  wallMs: 20_000,
  memoryBytes: 256 * MiB,
  pids: 64,
  cpus: 2,
  output: { maxBytes: MiB, onExcess: 'kill' },
  tmpBytes: 16 * MiB,
  fileBytes: 64 * MiB,
  openFiles: 256,
};

export type Attempt = {
  argv: [string, ...string[]];
  command?: Partial<Command>;
  policy?: Partial<Policy>;
  limits?: Partial<Limits>;
  signal?: AbortSignal;
};

/** Options of a run with room for everything; strict wherever this machine can hold every limit. */
export function optionsOf({ argv, command, policy, limits, signal }: Attempt): RunOptions {
  return {
    command: { argv, cwd: '/tmp', env: {}, ...command },
    policy: { mounts: [], toolchains: [], strict: inject('holdsEveryLimit'), ...policy },
    limits: { ...roomy, ...limits },
    ...(signal === undefined ? {} : { signal }),
  };
}

/** All that was captured of both streams. */
export const textOf = ({ stdout, stderr }: Outcome) => stdout.head + stdout.tail + stderr.head + stderr.tail;

/** A folder on the host with these files, readable by its owner alone. */
export function hostFolder(files: Record<string, string>): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'assay-host-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
    chmodSync(join(path, name), 0o600);
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A folder of the user's that holds nothing yet and is the code's. */
export const workspace = { kind: 'tmpfs', target: '/home/me/project', sizeBytes: 8 * MiB } as const;

/** A command that starts in the workspace, with these mounts after it. */
export const inWorkspace = (...mounts: Mount[]) => ({
  policy: { mounts: [workspace, ...mounts] },
  command: { cwd: workspace.target },
});

/** The real sandbox, and folders of the host that are gone after each test. */
export function sandboxFixture() {
  const sandbox = createSandbox();
  const run = (attempt: Attempt) => sandbox.run(optionsOf(attempt));
  const shell = (script: string, attempt: Partial<Attempt> = {}) =>
    run({ argv: ['/bin/sh', '-c', script], ...attempt });
  const undone: (() => void)[] = [];
  afterEach(() => {
    for (const undo of undone.splice(0)) undo();
  });
  /** Done when the test is over. */
  const cleanUp = (undo: () => void) => {
    undone.push(undo);
  };
  const folderWith = (files: Record<string, string>) => {
    const folder = hostFolder(files);
    cleanUp(folder.remove);
    return folder.path;
  };
  return { sandbox, run, shell, folderWith, cleanUp };
}
