import { describe, expect, it } from 'vitest';
import { labFixture } from '../lab.fixture.ts';

const { write, open } = labFixture();

const manifest = (fields: object) => JSON.stringify({ name: 'x', ...fields });
const message = (files: Record<string, string>, testCommand?: string[]) =>
  open(write(files), testCommand === undefined ? {} : { testCommand }).then(
    ({ framework }) => framework,
    (error: Error) => error.message,
  );

describe('a project whose framework cannot be run', () => {
  it.each([
    ['a dependency', { 'package.json': manifest({ devDependencies: { vitest: '3' } }) }, 'Vitest'],
    ['a script', { 'package.json': manifest({ scripts: { test: 'tsc && jest --ci' } }) }, 'Jest'],
    [
      'a package below',
      {
        'package.json': manifest({}),
        'packages/a/package.json': manifest({ devDependencies: { jest: '1' } }),
      },
      'Jest',
    ],
    ['an import', { 'package.json': manifest({}) }, 'Vitest'],
  ])('is told so plainly: %s', async (_, files, name) => {
    const test = { 'a.test.js': `import { it } from 'vitest';\nit('a', () => {});\n` };
    expect(await message({ ...files, ...test })).toBe(
      `The tests run with ${name}, which assay does not support yet`,
    );
  });

  it('is told so where a command starts it', async () => {
    const test = { 'tests/test_a.py': 'def test_a(): pass\n' };
    expect(await message(test, [process.execPath, 'node_modules/.bin/jest'])).toMatch(/run with Jest/);
  });

  it('is judged by what it has beside it', async () => {
    const vitest = { 'package.json': manifest({ devDependencies: { vitest: '3' } }) };
    expect(await message({ ...vitest, 'tests/test_a.py': 'def test_a(): pass\n' })).toBe('pytest');
    const own = { 'b.test.js': `import test from 'node:test';\ntest('b', () => {});\n` };
    expect(await message({ ...vitest, ...own })).toBe('node-test');
  });
});
