import { describe, expect, it } from 'vitest';
import { bwrapArguments, type Identity } from './bwrap-arguments.ts';
import { madeFiles } from './made-files.ts';
import type { Limits, Mount, Policy, Toolchain } from './types.ts';

const limits: Limits = {
  wallMs: 1000,
  memoryBytes: 1,
  pids: 1,
  cpus: 1,
  output: { maxBytes: 1, onExcess: 'kill' },
  tmpBytes: 4096,
  fileBytes: 1,
  openFiles: 1,
};
const asUser: Identity = { isolation: 'user-namespace', uid: 1000, disableUserns: true };
const asRoot: Identity = { isolation: 'host-uid', uid: 70_001 };

function argumentsFor(identity: Identity, policy: Partial<Policy>): string[] {
  return bwrapArguments({
    identity,
    root: [
      { kind: 'ro', path: '/usr' },
      { kind: 'symlink', path: '/bin', target: 'usr/bin' },
    ],
    files: madeFiles(identity.uid),
    policy: { mounts: [], toolchains: [], ...policy },
    limits,
  });
}

function toolchain(...prefixes: string[]): Toolchain {
  return { program: '/x', prefixes, path: [], env: {} };
}

/** Where an option with these arguments begins. */
function placeOf(all: string[], ...words: string[]): number {
  return all.findIndex((_, at) => words.every((word, offset) => all[at + offset] === word));
}

const workspace: Mount = { kind: 'tmpfs', target: '/home/me/project', sizeBytes: 1_000_000 };

describe('bwrapArguments', () => {
  it('makes the root read-only last of all', () => {
    for (const identity of [asUser, asRoot]) {
      const all = argumentsFor(identity, { mounts: [workspace], toolchains: [toolchain('/opt/python')] });
      expect(all.slice(-2)).toEqual(['--remount-ro', '/']);
    }
  });

  it('gives every tmpfs a size and a mode of its own', () => {
    const all = argumentsFor(asRoot, { mounts: [workspace, { kind: 'tmpfs', target: '/a', sizeBytes: 10 }] });
    const places = all.flatMap((word, at) => (word === '--tmpfs' ? [at] : []));
    expect(places).toHaveLength(4);
    for (const at of places) expect([all[at - 4], all[at - 2]]).toEqual(['--size', '--perms']);
  });

  it('makes every parent folder once, open to other uids, before what lies in it', () => {
    const all = argumentsFor(asRoot, {
      mounts: [workspace, { kind: 'ro', source: '/s', target: '/home/me/other' }],
      toolchains: [toolchain('/root/.pyenv/versions/3.11')],
    });
    for (const folder of ['/etc', '/home', '/home/me', '/root', '/root/.pyenv', '/root/.pyenv/versions']) {
      const made = all.filter((word, at) => word === folder && all[at - 1] === '--dir');
      expect(made, folder).toHaveLength(1);
      expect(placeOf(all, '--perms', '0755', '--dir', folder), folder).toBeGreaterThan(-1);
    }
    expect(placeOf(all, '--dir', '/home/me')).toBeLessThan(placeOf(all, '--tmpfs', '/home/me/project'));
  });

  it('lays a toolchain that lies in the workspace after it, and others before', () => {
    const all = argumentsFor(asUser, {
      mounts: [workspace],
      toolchains: [toolchain('/home/me/project/.venv', '/opt/python')],
    });
    const at = placeOf(all, '--tmpfs', '/home/me/project');
    expect(placeOf(all, '--ro-bind', '/opt/python')).toBeLessThan(at);
    expect(placeOf(all, '--ro-bind', '/home/me/project/.venv')).toBeGreaterThan(at);
  });

  it('does not mount a toolchain over what hides or holds it', () => {
    const all = argumentsFor(asUser, {
      mounts: [workspace],
      toolchains: [toolchain('/usr/lib/go', workspace.target)],
    });
    expect(placeOf(all, '--ro-bind', '/usr/lib/go')).toBe(-1);
    expect(placeOf(all, '--ro-bind', workspace.target)).toBe(-1);
  });

  it('lays outer toolchain folders before inner ones', () => {
    const all = argumentsFor(asUser, { toolchains: [toolchain('/opt/a/b'), toolchain('/opt/a')] });
    expect(placeOf(all, '--ro-bind', '/opt/a')).toBeLessThan(placeOf(all, '--ro-bind', '/opt/a/b'));
  });

  it('lays mounts in the order given, after /tmp', () => {
    const all = argumentsFor(asUser, {
      mounts: [
        { kind: 'tmpfs', target: '/tmp/work', sizeBytes: 1 },
        { kind: 'rw', source: '/s/out', target: '/tmp/work/out' },
        { kind: 'ro', source: '/s/test.py', target: '/tmp/work/test.py' },
      ],
    });
    const places = [
      placeOf(all, '--tmpfs', '/tmp'),
      placeOf(all, '--tmpfs', '/tmp/work'),
      placeOf(all, '--bind', '/s/out'),
      placeOf(all, '--ro-bind', '/s/test.py'),
    ];
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it('asks for a user namespace by force as an ordinary user', () => {
    const all = argumentsFor(asUser, {});
    expect(all).toEqual(expect.arrayContaining(['--unshare-all', '--unshare-user', '--disable-userns']));
    expect(all).not.toContain('--cap-add');
    expect(argumentsFor({ ...asUser, disableUserns: false }, {})).not.toContain('--disable-userns');
  });

  it('keeps as root only what is needed to stop being root', () => {
    const all = argumentsFor(asRoot, {});
    expect(all).not.toContain('--unshare-user');
    expect(all.filter((_, at) => all[at - 1] === '--cap-add')).toEqual([
      'CAP_SETUID',
      'CAP_SETGID',
      'CAP_SETPCAP',
    ]);
    const filled = argumentsFor(asRoot, {
      mounts: [workspace, { kind: 'fill', source: '/s', target: workspace.target }],
    });
    expect(filled.filter((_, at) => filled[at - 1] === '--cap-add').slice(3)).toEqual([
      'CAP_CHOWN',
      'CAP_DAC_READ_SEARCH',
    ]);
  });

  it('hides the sources of fills in a folder that another uid cannot enter', () => {
    const all = argumentsFor(asRoot, {
      mounts: [workspace, { kind: 'fill', source: '/s', target: workspace.target }],
    });
    expect(placeOf(all, '--perms', '0700', '--dir', '/.assay')).toBeLessThan(
      placeOf(all, '--ro-bind', '/s', '/.assay/0'),
    );
  });
});
