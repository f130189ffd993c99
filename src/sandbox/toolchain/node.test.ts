import { describe, expect, it } from 'vitest';
import { elf, world } from './testing.ts';

describe('node', () => {
  const nvm = {
    'home/.nvm/versions/node/v22.1.0/bin/node': elf,
    'home/.nvm/versions/node/v22.1.0/lib/node_modules/typescript/bin/tsc': '#!/usr/bin/env node\n',
    'home/.nvm/versions/node/v22.1.0/bin/tsc': { link: '../lib/node_modules/typescript/bin/tsc' },
  };
  const bin = '$ROOT/home/.nvm/versions/node/v22.1.0/bin';

  it('is a version of nvm, with what is installed globally in it', async () => {
    const { at, resolve } = world(nvm, { PATH: bin });
    const expected = {
      prefixes: [at('home/.nvm/versions/node/v22.1.0')],
      path: [at('home/.nvm/versions/node/v22.1.0/bin')],
      env: {},
    };
    expect(await resolve('node')).toEqual({
      program: at('home/.nvm/versions/node/v22.1.0/bin/node'),
      ...expected,
    });
    expect(await resolve('tsc')).toEqual({
      program: at('home/.nvm/versions/node/v22.1.0/bin/tsc'),
      ...expected,
    });
  });

  it('leaves out the global npmrc', async () => {
    const { at, resolve } = world(
      { ...nvm, 'home/.nvm/versions/node/v22.1.0/etc/npmrc': '_authToken=secret' },
      { PATH: bin },
    );
    expect((await resolve('node')).prefixes.sort()).toEqual(
      ['bin', 'lib'].map((name) => at(`home/.nvm/versions/node/v22.1.0/${name}`)),
    );
  });

  it('is the real file behind the links of a project', async () => {
    const { at, resolve } = world({
      'home/project/.node/dist/bin/node': elf,
      'home/project/.node/bin/node': { link: '../dist/bin/node' },
    });
    expect(await resolve('.node/bin/node')).toMatchObject({
      program: at('home/project/.node/dist/bin/node'),
      prefixes: [at('home/project/.node/dist')],
    });
  });

  it('comes along with a script that is installed elsewhere', async () => {
    const { at, resolve } = world(
      {
        ...nvm,
        'home/.npm-global/lib/node_modules/eslint/bin/eslint.js': '#!/usr/bin/env node\n',
        'home/.npm-global/bin/eslint': { link: '../lib/node_modules/eslint/bin/eslint.js' },
      },
      { PATH: `$ROOT/home/.npm-global/bin:${bin}` },
    );
    const { program, prefixes, path } = await resolve('eslint');
    expect(program).toBe(at('home/.npm-global/bin/eslint'));
    expect(prefixes).toEqual([
      at('home/.npm-global/lib/node_modules'),
      at('home/.nvm/versions/node/v22.1.0'),
      at('home/.npm-global/bin/eslint'),
    ]);
    expect(path).toContain(at('home/.nvm/versions/node/v22.1.0/bin'));
  });

  it("leaves the project's own node_modules to the caller", async () => {
    const { at, resolve } = world(
      {
        ...nvm,
        'home/project/node_modules/.bin/x': { link: '../x/bin/x.js' },
        'home/project/node_modules/x/bin/x.js': '#!/usr/bin/env node\n',
      },
      { PATH: bin },
    );
    expect(await resolve('node_modules/.bin/x')).toMatchObject({
      program: at('home/project/node_modules/.bin/x'),
      prefixes: [at('home/.nvm/versions/node/v22.1.0')],
    });
  });
});
