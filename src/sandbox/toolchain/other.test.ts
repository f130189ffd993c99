import { describe, expect, it } from 'vitest';
import { elf, world } from './testing.ts';

describe('other programs', () => {
  it.each([
    ['nothing-of-the-kind', 'no folder of PATH has it'],
    ['./missing', 'no executable file is there'],
    ['./README', 'no executable file is there'],
    ['./.', 'no executable file is there'],
  ])('%s is not found', async (program, because) => {
    const { error } = world({}, { PATH: '/usr/bin' });
    expect(await error(program)).toMatchObject({
      code: 'environment',
      message: `Program not found: ${program}`,
      because,
    });
  });

  it('are mounted alone where they lie among other things', async () => {
    const { at, resolve } = world({ 'home/bin/tool': elf }, { PATH: '$ROOT/home/bin' });
    expect(await resolve('tool')).toEqual({
      program: at('home/bin/tool'),
      prefixes: [at('home/bin/tool')],
      path: [at('home/bin')],
      env: {},
    });
  });

  it('bring what lies beside their bin folder', async () => {
    const { at, resolve } = world({
      'opt/tool/bin/tool': elf,
      'opt/tool/lib/x.so': '',
      'opt/tool/etc/token': 'secret',
    });
    expect((await resolve('$ROOT/opt/tool/bin/tool')).prefixes).toEqual([
      at('opt/tool/bin'),
      at('opt/tool/lib'),
    ]);
  });

  it('keep the name they are called by', async () => {
    const { at, resolve } = world({
      'opt/multi/bin/multi': elf,
      'home/bin/ls': { link: '$ROOT/opt/multi/bin/multi' },
    });
    expect(await resolve('$ROOT/home/bin/ls')).toMatchObject({
      program: at('home/bin/ls'),
      prefixes: [at('opt/multi/bin/multi'), at('home/bin/ls')],
    });
  });

  it('are never taken from where secrets are kept', async () => {
    const { error } = world({ 'home/.ssh/bin/tool': elf });
    expect((await error('$ROOT/home/.ssh/bin/tool')).message).toContain(
      '.ssh/bin/tool, which holds more than a toolchain',
    );
  });

  it('name the manager of a shim that only the manager can resolve', async () => {
    const { error } = world(
      {
        'home/.local/bin/mise': elf,
        'home/.local/share/mise/shims/node': { link: '$ROOT/home/.local/bin/mise' },
      },
      { PATH: '$ROOT/home/.local/share/mise/shims' },
    );
    expect((await error('node')).fix).toContain('`mise which node`');
  });

  it('say that an interpreter is missing', async () => {
    const { error } = world({ 'home/bin/tool': '#!/nowhere/bin/ruby\n' });
    expect((await error('$ROOT/home/bin/tool')).message).toContain('is missing: /nowhere/bin/ruby');
  });

  it('do not go round in circles', async () => {
    const { error } = world({ 'home/bin/a': '#!$ROOT/home/bin/b\n', 'home/bin/b': '#!$ROOT/home/bin/a\n' });
    expect((await error('$ROOT/home/bin/a')).message).toContain('more than 8 scripts and shims');
  });
});
