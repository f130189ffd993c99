import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { enterDelegatedScope, startScope } from './scope.ts';

// A real systemd is asked by test/cgroup2, on a machine that boots one.

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A folder with a bus client that writes down what it was asked and exits with `code`. */
function fakeClient(code: number): { path: string; asked: () => string } {
  const folder = mkdtempSync(join(tmpdir(), 'assay-busctl-'));
  folders.push(folder);
  writeFileSync(
    join(folder, 'busctl'),
    `#!/bin/sh\necho "$XDG_RUNTIME_DIR $*" >'${folder}/asked'\nexit ${code}\n`,
  );
  writeFileSync(join(folder, 'bus'), '');
  chmodSync(join(folder, 'busctl'), 0o755);
  return { path: folder, asked: () => readFileSync(join(folder, 'asked'), 'utf8').trim() };
}

describe('startScope', () => {
  it('asks for a delegated scope that holds the process', () => {
    const words = startScope({ name: 'assay-7.scope', pid: 7, bus: '--user' });
    expect(words.slice(0, 6)).toEqual([
      '--user',
      'call',
      'org.freedesktop.systemd1',
      '/org/freedesktop/systemd1',
      'org.freedesktop.systemd1.Manager',
      'StartTransientUnit',
    ]);
    expect(words.slice(6, 10)).toEqual(['ssa(sv)a(sa(sv))', 'assay-7.scope', 'fail', '4']);
    expect(words.join(' ')).toContain('PIDs au 1 7 Delegate b true');
  });
});

describe('enterDelegatedScope', () => {
  it("asks the user's systemd, and takes a refusal for an answer", () => {
    const { path, asked } = fakeClient(1);
    // Looked for in the folders of programs alone: a project's PATH must not choose what is run here.
    const entered = enterDelegatedScope({ pid: 7, uid: 4_242, env: { XDG_RUNTIME_DIR: path }, path });
    expect(entered).toBe(false);
    expect(asked()).toBe(`${path} ${startScope({ name: 'assay-7.scope', pid: 7, bus: '--user' }).join(' ')}`);
  });

  it('asks nobody where there is no bus, and no client', () => {
    const { path } = fakeClient(0);
    expect(enterDelegatedScope({ pid: 7, uid: 4_242, env: { XDG_RUNTIME_DIR: '/nowhere' }, path })).toBe(
      false,
    );
    expect(
      enterDelegatedScope({ pid: 7, uid: 4_242, env: { XDG_RUNTIME_DIR: path }, path: '/nowhere' }),
    ).toBe(false);
  });
});
