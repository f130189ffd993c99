import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { elf, type Leaf, world } from './testing.ts';

const pyenv = (version: string): Record<string, Leaf> => ({
  [`home/.pyenv/versions/${version}/bin/python3.11`]: elf,
  [`home/.pyenv/versions/${version}/bin/python3`]: { link: 'python3.11' },
  [`home/.pyenv/versions/${version}/bin/python`]: { link: 'python3.11' },
  [`home/.pyenv/versions/${version}/lib/python3.11/os.py`]: '',
});
const shim = '#!/usr/bin/env bash\nexec "$ROOT/home/.pyenv/libexec/pyenv" exec "$program" "$@"\n';
const shims = { 'home/.pyenv/shims/python3': shim, 'home/.pyenv/shims/pytest': shim };

describe('python', () => {
  it("needs nothing mounted for the system's own", async () => {
    const { resolve } = world({});
    expect(await resolve('/usr/bin/env')).toEqual({
      program: '/usr/bin/env',
      prefixes: [],
      path: [],
      env: {},
    });
  });

  it('is the version of pyenv that the nearest version file names', async () => {
    const { at, resolve } = world(
      {
        ...pyenv('3.11.7'),
        ...pyenv('3.11.9'),
        ...shims,
        'home/.pyenv/version': '3.11.9\n',
        'home/.python-version': '# for all\n3.11.7\n',
      },
      { PATH: '$ROOT/home/.pyenv/shims:/usr/bin' },
    );
    expect(await resolve('python3')).toEqual({
      program: at('home/.pyenv/versions/3.11.7/bin/python3'),
      prefixes: [at('home/.pyenv/versions/3.11.7')],
      path: [at('home/.pyenv/versions/3.11.7/bin')],
      env: {},
    });
  });

  it.each([
    [{ PYENV_VERSION: '3.11.9' }, '3.11.9'],
    [{ PYENV_VERSION: '3.12.1:3.11.7' }, '3.11.7'],
    [{ PYENV_VERSION: '3.11' }, '3.11.10'],
    [{ PYENV_VERSION: 'python-3.11.9' }, '3.11.9'],
    [{}, '3.11.9'],
  ])('follows pyenv with %j', async (variables, version) => {
    const { at, resolve } = world(
      {
        ...pyenv('3.11.7'),
        ...pyenv('3.11.9'),
        ...pyenv('3.11.10'),
        ...shims,
        'home/.pyenv/version': '3.11.9\n',
      },
      { PATH: '$ROOT/home/.pyenv/shims', ...variables },
    );
    expect((await resolve('python3')).prefixes).toEqual([at(`home/.pyenv/versions/${version}`)]);
  });

  it('goes past the shims where pyenv is set to the system version', async () => {
    const { at, resolve } = world(
      {
        ...shims,
        'opt/py/bin/python3': elf,
        'opt/py/lib/python3.11/os.py': '',
        'home/.pyenv/versions/x/y': '',
      },
      { PATH: '$ROOT/home/.pyenv/shims:$ROOT/opt/py/bin' },
    );
    expect((await resolve('python3')).program).toBe(at('opt/py/bin/python3'));
  });

  it('names the versions that have the program where the selected one has not', async () => {
    const { error } = world(
      {
        ...pyenv('3.11.7'),
        ...shims,
        'home/.pyenv/versions/3.11.8/bin/pytest': '#!/bin/sh\n',
        'home/.pyenv/version': '3.11.7',
      },
      { PATH: '$ROOT/home/.pyenv/shims' },
    );
    expect(await error('pytest')).toMatchObject({
      code: 'environment',
      message: 'pyenv has no pytest in the selected version 3.11.7',
      because: 'it is installed in 3.11.8',
    });
  });

  it('takes no path for a version', async () => {
    const { error } = world(
      {
        ...shims,
        'home/.pyenv/versions/x/y': '',
        'home/secret/bin/python3': elf,
        'home/project/.python-version': '../../secret\n',
      },
      { PATH: '$ROOT/home/.pyenv/shims' },
    );
    expect((await error('python3')).message).toContain('in the selected version system');
  });

  const venv = (home: string): Record<string, Leaf> => ({
    'home/project/.venv/pyvenv.cfg': `home = ${home}\ninclude-system-site-packages = false\nversion = 3.11.7\n`,
    'home/project/.venv/lib/python3.11/site-packages/x.pth': 'import os',
    'home/project/.venv/bin/pytest': '#!$ROOT/home/project/.venv/bin/python\n',
  });

  it('is a virtual environment with the installation behind it, through links', async () => {
    const { at, resolve } = world({
      ...pyenv('3.11.7'),
      ...venv('$ROOT/home/.pyenv/versions/3.11.7/bin'),
      'home/project/.venv/bin/python': { link: 'python3' },
      'home/project/.venv/bin/python3': { link: '$ROOT/home/.pyenv/versions/3.11.7/bin/python3' },
    });
    const toolchain = await resolve('.venv/bin/python');
    expect(toolchain).toEqual({
      program: at('home/project/.venv/bin/python'),
      prefixes: [at('home/project/.venv'), at('home/.pyenv/versions/3.11.7')],
      path: [at('home/project/.venv/bin')],
      env: { VIRTUAL_ENV: at('home/project/.venv') },
    });
    expect(await resolve('.venv/bin/pytest')).toEqual({
      ...toolchain,
      program: at('home/project/.venv/bin/pytest'),
    });
  });

  it('has a link to a folder mounted under both names', async () => {
    const { at, resolve } = world({
      ...pyenv('3.11.7'),
      ...venv('$ROOT/home/.pyenv/versions/3.11/bin'),
      'home/.pyenv/versions/3.11': { link: '3.11.7' },
      'home/project/.venv/bin/python': { link: '$ROOT/home/.pyenv/versions/3.11/bin/python3' },
    });
    expect((await resolve('.venv/bin/python')).prefixes).toEqual([
      at('home/project/.venv'),
      at('home/.pyenv/versions/3.11.7'),
      at('home/.pyenv/versions/3.11'),
    ]);
  });

  it('finds the installation of a virtual environment made with copies', async () => {
    const { at, resolve } = world({
      ...pyenv('3.11.7'),
      ...venv('$ROOT/home/.pyenv/versions/3.11.7/bin'),
      'home/project/.venv/bin/python': elf,
    });
    expect((await resolve('.venv/bin/python')).prefixes).toContain(at('home/.pyenv/versions/3.11.7'));
  });

  it('says how to mend a virtual environment whose Python is gone', async () => {
    const { at, error } = world({ ...venv('/nowhere/bin'), 'home/project/.venv/bin/python': elf });
    expect((await error('.venv/bin/python')).fix).toBe(
      `Make it anew: python3 -m venv --clear ${at('home/project/.venv')}`,
    );
  });

  it('never shows the home folder, whatever a cloned virtual environment claims', async () => {
    const claims = world({
      ...venv('$ROOT/home/bin'),
      'home/project/.venv/bin/python': elf,
      'home/bin/python3': elf,
      'home/lib/python3.11/os.py': '',
      'home/.ssh/id_ed25519': 'secret',
    });
    const { prefixes } = await claims.resolve('.venv/bin/python');
    expect(prefixes).toEqual([
      claims.at('home/project/.venv'),
      claims.at('home/bin/python3'),
      claims.at('home/lib/python3.11'),
    ]);
    const { error } = world({
      'home/pyvenv.cfg': 'home = /usr/bin\n',
      'home/bin/python': { link: '/usr/bin/env' },
    });
    expect((await error('$ROOT/home/bin/python')).message).toMatch(
      /claims the folder .*\/home, which holds more/,
    );
  });

  it('leaves out the files of an environment that may hold credentials', async () => {
    const { at, resolve } = world({
      ...pyenv('3.11.7'),
      ...venv('$ROOT/home/.pyenv/versions/3.11.7/bin'),
      'home/project/.venv/bin/python': { link: '$ROOT/home/.pyenv/versions/3.11.7/bin/python3' },
      'home/project/.venv/pip.conf': '[global]\nindex-url = https://user:secret@example.org\n',
      'home/project/.venv/outside': { link: '$ROOT/home' },
      'home/project/.venv/lib64': { link: 'lib' },
    });
    const { prefixes } = await resolve('.venv/bin/python');
    const inside = ['bin', 'lib', 'lib64', 'pyvenv.cfg'].map((name) => at(join('home/project/.venv', name)));
    expect([...prefixes].sort()).toEqual([at('home/.pyenv/versions/3.11.7'), ...inside].sort());
  });

  it('is conda without its other environments and settings', async () => {
    const { at, resolve } = world({
      'home/conda/bin/python3.11': elf,
      'home/conda/lib/python3.11/os.py': '',
      'home/conda/conda-meta/history': '',
      'home/conda/.condarc': 'channels: [https://token@example.org]',
      'home/conda/envs/other/bin/python': elf,
    });
    const { prefixes, env } = await resolve('$ROOT/home/conda/bin/python3.11');
    expect(env).toEqual({ CONDA_PREFIX: at('home/conda') });
    expect([...prefixes].sort()).toEqual(
      ['bin', 'conda-meta', 'lib'].map((name) => at(`home/conda/${name}`)),
    );
  });

  it("brings the user's own packages along, and nothing else of ~/.local", async () => {
    const { at, resolve } = world(
      {
        'opt/py/bin/python3.11': elf,
        'opt/py/lib/python3.11/os.py': '',
        'home/.local/lib/python3.11/site-packages/pytest/__init__.py': '',
        'home/.local/share/keyrings/login': 'secret',
        'home/.local/bin/pytest': '#!$ROOT/opt/py/bin/python3.11\n',
      },
      { PATH: '$ROOT/home/.local/bin' },
    );
    expect(await resolve('pytest')).toEqual({
      program: at('home/.local/bin/pytest'),
      prefixes: [at('home/.local/bin/pytest'), at('opt/py'), at('home/.local/lib/python3.11/site-packages')],
      path: [at('home/.local/bin'), at('opt/py/bin')],
      env: { PYTHONUSERBASE: at('home/.local') },
    });
  });

  it('reads the long form of an interpreter line', async () => {
    const { at, resolve } = world({
      'opt/my py/bin/python3.11': elf,
      'opt/my py/lib/python3.11/os.py': '',
      'opt/my py/bin/tool': `#!/bin/sh\n'''exec' "$ROOT/opt/my py/bin/python3.11" "$0" "$@"\n' '''\n`,
    });
    expect((await resolve('$ROOT/opt/my py/bin/tool')).prefixes).toContain(at('opt/my py'));
  });
});
