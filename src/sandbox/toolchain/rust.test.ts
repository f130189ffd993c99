import { describe, expect, it } from 'vitest';
import { elf, type Leaf, world } from './testing.ts';

describe('rust', () => {
  const toolchain = (name: string): Record<string, Leaf> => ({
    [`home/.rustup/toolchains/${name}-x86_64-unknown-linux-gnu/bin/cargo`]: elf,
    [`home/.rustup/toolchains/${name}-x86_64-unknown-linux-gnu/bin/rustc`]: elf,
    [`home/.rustup/toolchains/${name}-x86_64-unknown-linux-gnu/lib/rustlib/x`]: '',
  });
  const rustup: Record<string, Leaf> = {
    ...toolchain('stable'),
    ...toolchain('1.75.0'),
    'home/.rustup/settings.toml':
      'default_host_triple = "x86_64-unknown-linux-gnu"\ndefault_toolchain = "stable-x86_64-unknown-linux-gnu"\n\n[overrides]\n"$ROOT/other" = "1.75.0"\n',
    'home/.cargo/bin/rustup': elf,
    'home/.cargo/bin/cargo': { link: 'rustup' },
    'home/.cargo/registry/cache/x': '',
    'home/.cargo/git/db/x': '',
    'home/.cargo/credentials.toml': 'token = "secret"',
    'home/.cargo/config.toml': '',
  };
  const PATH = '$ROOT/home/.cargo/bin';
  const folder = (name: string) => `home/.rustup/toolchains/${name}-x86_64-unknown-linux-gnu`;

  it('is the default toolchain of rustup, with downloaded crates but no credentials', async () => {
    const { at, resolve } = world(rustup, { PATH });
    expect(await resolve('cargo')).toEqual({
      program: at(`${folder('stable')}/bin/cargo`),
      prefixes: [at(folder('stable')), at('home/.cargo/registry'), at('home/.cargo/git')],
      path: [at(`${folder('stable')}/bin`)],
      env: { CARGO_NET_OFFLINE: 'true', CARGO_HOME: at('home/.cargo') },
    });
  });

  it.each<[string, Record<string, Leaf>, Record<string, string>]>([
    ['the environment', {}, { RUSTUP_TOOLCHAIN: '1.75.0' }],
    ['rust-toolchain.toml', { 'home/project/rust-toolchain.toml': '[toolchain]\nchannel = "1.75.0"\n' }, {}],
    ['a plain rust-toolchain file above', { 'home/rust-toolchain': '1.75.0\n' }, {}],
    [
      'a path',
      { 'home/project/rust-toolchain.toml': `[toolchain]\npath = "../${folder('1.75.0').slice(5)}"\n` },
      {},
    ],
    [
      'an override of the folder',
      {
        'home/.rustup/settings.toml':
          'default_toolchain = "stable"\n[overrides]\n"$ROOT/home/project" = "1.75.0"\n',
      },
      {},
    ],
  ])('is the toolchain that %s chooses', async (_, leaves, variables) => {
    const { at, resolve } = world({ ...rustup, ...leaves }, { PATH, ...variables });
    expect((await resolve('cargo')).prefixes[0]).toBe(at(folder('1.75.0')));
  });

  it('takes only a toolchain for one, whatever a project names', async () => {
    const { error } = world(
      { ...rustup, 'home/project/rust-toolchain.toml': '[toolchain]\npath = ".."\n', 'home/bin/cargo': elf },
      { PATH },
    );
    expect((await error('cargo')).message).toContain('rustup has no cargo for the toolchain');
  });

  it('says how to install a toolchain that is missing', async () => {
    const { error } = world({ ...rustup, 'home/project/rust-toolchain': 'nightly-2020-01-01' }, { PATH });
    expect((await error('cargo')).fix).toBe('Run `rustup toolchain install nightly-2020-01-01`');
  });
});
