import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { descriptor } from './descriptors.ts';
import { setupArgv } from './setup-script.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'assay-setup-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the preparation of a user namespace, which is one shell, without a sandbox around it. */
function prepare(options: { groups: readonly number[] }) {
  const [file = '', ...args] = setupArgv({
    identity: { isolation: 'user-namespace', uid: 1000, disableUserns: true },
    shell: ['/bin/sh'],
    setpriv: null,
    leaked: [],
    command: { argv: ['sh', '-c', 'echo runs; ls /proc/self/fd'], cwd: '/', env: {} },
    env: { PATH: '/usr/bin:/bin' },
    rlimits: [],
    mounts: [],
    groups: options.groups.length,
  });
  const stdio: ('pipe' | 'ignore' | number)[] = ['ignore', 'pipe', 'pipe', 'ignore'];
  for (let fd = descriptor.groups; fd < descriptor.setup; fd++)
    stdio[fd] = options.groups[fd - descriptor.groups] ?? 'ignore';
  stdio[descriptor.setup] = 'pipe';
  const child = spawn(file, args, { stdio });
  const setup = child.stdio[descriptor.setup] as Duplex;
  setup.on('error', () => {});
  const said = text(setup).catch(() => '');
  const stdout = child.stdout ? text(child.stdout) : Promise.resolve('');
  const ended = new Promise((resolve) => child.on('close', resolve));
  return { setup, said, stdout, ended };
}

describe('the gate', () => {
  it('opens for a word that was sent beforehand, and enters each group once', async () => {
    const files = [0, 1, 2, 3, 4].map((number) => path.join(folder, `tasks-${number}`));
    const groups = files.map((file) => openSync(file, 'w'));
    const { setup, said, stdout, ended } = prepare({ groups });
    setup.write('go\n');
    await ended;
    for (const fd of groups) closeSync(fd);
    expect(await said).toBe('!ready\n!running\n');
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(Array(5).fill('0\n'));
    // The code has none of them; the lowest free number is the one that ls reads the folder with.
    const open = (await stdout).split('\n').slice(1).filter(Boolean).map(Number);
    expect(open).toEqual(expect.arrayContaining([0, 1, 2]));
    expect(open.filter((fd) => fd > descriptor.groups && fd <= descriptor.setup)).toEqual([]);
  });

  it('says which step failed where a group cannot be entered, and runs nothing', async () => {
    const file = path.join(folder, 'read-only');
    writeFileSync(file, '');
    const fd = openSync(file, 'r');
    const { setup, said, stdout, ended } = prepare({ groups: [fd] });
    setup.write('go\n');
    await ended;
    closeSync(fd);
    expect(await said).toContain('!group');
    expect(await stdout).toBe('');
  });

  it('stays shut for a runner that is gone, its word sent or not', async () => {
    for (const word of ['', 'go\n']) {
      const { setup, stdout, ended } = prepare({ groups: [] });
      if (word === '') setup.end();
      else {
        setup.write(word);
        setup.destroy();
      }
      await ended;
      expect(await stdout).toBe('');
    }
  });
});
