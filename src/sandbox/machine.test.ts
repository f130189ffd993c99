import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { detectMachine, findProgram, type MachineOptions } from './machine.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-machine-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function file(path: string, content: string, mode = 0o644): string {
  const full = join(folder, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
  chmodSync(full, mode);
  return full;
}

/** A bwrap that knows what `help` says. */
function detect(
  options: Partial<MachineOptions> & { help?: string; uidMap?: string; fdinfo?: Record<string, string> },
) {
  const { help = '--disable-userns', uidMap = '0 0 4294967295\n', fdinfo = {}, ...rest } = options;
  file('bin/bwrap', `#!/bin/sh\necho '${help}'\n`, 0o755);
  file('proc/self/uid_map', uidMap);
  for (const [fd, text] of Object.entries(fdinfo)) file(`proc/self/fdinfo/${fd}`, text);
  return detectMachine({
    path: join(folder, 'bin'),
    arch: 'x64',
    uid: 1234,
    procRoot: join(folder, 'proc'),
    ...rest,
  });
}

describe('detectMachine', () => {
  it('puts an ordinary user into a user namespace', () => {
    expect(detect({})).toMatchObject({
      isolation: 'user-namespace',
      uid: 1234,
      disableUserns: true,
      slots: null,
    });
  });

  it('sees that an old bwrap cannot forbid nested namespaces itself', () => {
    expect(detect({ help: 'usage: bwrap --ro-bind' })).toMatchObject({ disableUserns: false });
  });

  it('gives root uids to drop to', () => {
    expect(detect({ uid: 0 })).toMatchObject({
      isolation: 'host-uid',
      slots: { first: 70_000, last: 70_999 },
    });
    expect(detect({ uid: 0, uidMap: '0 100000 65536\n' })).toMatchObject({ slots: { first: 64_000 } });
  });

  it('treats root of a user namespace as the ordinary user it is', () => {
    const machine = detect({ uid: 0, uidMap: '0 1234 1\n' });
    expect(machine).toMatchObject({ isolation: 'user-namespace', uid: 1234 });
  });

  it('refuses root that can be nobody else', () => {
    expect(detect({ uid: 0, uidMap: '0 0 1\n' })).toMatchObject({
      fix: expect.stringContaining('ordinary user'),
    });
  });

  it('refuses a machine type whose system calls it does not know', () => {
    expect(detect({ arch: 's390x' })).toMatchObject({ cause: expect.stringContaining('s390x') });
  });

  it('finds descriptors that would be passed on, and a shell that can close them', () => {
    expect(detect({})).toMatchObject({ leaked: [], shell: ['/bin/sh'] });
    const machine = detect({
      fdinfo: { '3': 'flags:\t0100002\n', '20': 'flags:\t02100002\n', '251': 'pos:\t0\nflags:\t01\n' },
    });
    expect(machine).toMatchObject({ leaked: [251], shell: [expect.stringContaining('bash'), '--posix'] });
  });
});

describe('findProgram', () => {
  it('takes programs only, from absolute folders only, the first found', () => {
    file('a/tool', 'text');
    mkdirSync(join(folder, 'b/tool'), { recursive: true });
    const tool = file('c/tool', '', 0o755);
    file('d/tool', '', 0o755);
    const path = ['a', 'b', 'c', 'd'].map((name) => join(folder, name)).join(':');
    expect(findProgram('tool', path)).toBe(tool);
    expect(findProgram('tool', '::.:relative')).toBeNull();
  });
});
