import { describe, expect, it } from 'vitest';
import { AssayError } from '../core/index.ts';
import { checkOptions } from './check-options.ts';
import type { Command, Limits, Mount, RunOptions } from './types.ts';

const limits: Limits = {
  wallMs: 1000,
  memoryBytes: 1000,
  pids: 1,
  cpus: 0.5,
  output: { maxBytes: 1, onExcess: 'kill' },
  tmpBytes: 1,
  fileBytes: 1,
  openFiles: 1,
};
const command: Command = { argv: ['true'], cwd: '/tmp', env: { A_1: 'x' } };
const workspace: Mount = { kind: 'tmpfs', target: '/w', sizeBytes: 1 };

function problemOf(changes: {
  command?: Partial<Command>;
  limits?: Partial<Limits>;
  mounts?: Mount[];
}): string | null {
  const options: RunOptions = {
    command: { ...command, ...changes.command },
    limits: { ...limits, ...changes.limits },
    policy: { mounts: changes.mounts ?? [workspace], toolchains: [] },
  };
  try {
    checkOptions(options);
    return null;
  } catch (error) {
    if (!AssayError.is(error)) throw error;
    expect(error.code).toBe('usage');
    return error.message;
  }
}

describe('checkOptions', () => {
  it('takes what is in order', () => {
    expect(problemOf({})).toBeNull();
    expect(problemOf({ mounts: [workspace, { kind: 'fill', source: '/s', target: '/w/sub' }] })).toBeNull();
  });

  it.each([
    [{ command: { argv: [''] as Command['argv'] } }, /command is empty/],
    [{ command: { argv: ['a\0b'] as Command['argv'] } }, /NUL/],
    [{ command: { cwd: 'here' } }, /cwd "here"/],
    [{ command: { cwd: '/a/../b' } }, /cwd/],
    [{ command: { env: { 'a b': '1' } } }, /environment variable/],
    [{ command: { env: { A: '\0' } } }, /NUL/],
    [{ limits: { wallMs: 0 } }, /wallMs is 0/],
    [{ limits: { cpus: Number.NaN } }, /cpus is NaN/],
    [{ limits: { pids: Number.POSITIVE_INFINITY } }, /pids is Infinity/],
    [{ limits: { output: { maxBytes: -1, onExcess: 'kill' as const } } }, /output\.maxBytes is -1/],
    [{ mounts: [{ kind: 'tmpfs' as const, target: '/', sizeBytes: 1 }] }, /nothing can be mounted on \//],
    [{ mounts: [{ kind: 'tmpfs' as const, target: '/proc/x', sizeBytes: 1 }] }, /nothing can be mounted/],
    [{ mounts: [{ kind: 'tmpfs' as const, target: '/w/', sizeBytes: 1 }] }, /no plain absolute path/],
    [{ mounts: [{ kind: 'ro' as const, source: 's', target: '/w' }] }, /source "s"/],
    [{ mounts: [{ kind: 'ro' as const, source: '/s\n', target: '/w' }] }, /source/],
    [
      { mounts: [{ kind: 'fill' as const, source: '/s', target: '/w' }, workspace] },
      /no tmpfs mount before it/,
    ],
  ])('refuses %j', (changes, message) => {
    expect(problemOf(changes)).toMatch(message);
  });
});
