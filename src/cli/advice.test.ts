import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { madeSpec } from '../loop/index.ts';
import { keyedModel, packageAdvice } from './advice.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'assay-advice-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
function tree(files: readonly string[]): string {
  folders += 1;
  const dir = path.join(root, String(folders));
  mkdirSync(dir);
  for (const file of files) {
    mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    writeFileSync(path.join(dir, file), '');
  }
  return dir;
}

const tested = tree(['tests/test_a.py']);

const keyed = (env: Record<string, string>) =>
  keyedModel({ spec: madeSpec({ proposer: 'search', dir: tested }), env, cwd: root }, 'search,');

const packages = (dir: string) => packageAdvice({ spec: madeSpec({ dir }), env: {}, cwd: root });

describe('a model that could take over', () => {
  it.each([
    ['ANTHROPIC_API_KEY', 'anthropic/'],
    ['OPENAI_API_KEY', 'openai/'],
    ['GEMINI_API_KEY', 'google/'],
    ['GOOGLE_GENERATIVE_AI_API_KEY', 'google/'],
  ])('is named with what it costs where %s is set', (variable, provider) => {
    const step = keyed({ [variable]: 'x' });
    expect(step).toContain(`--model search,${provider}`);
    expect(step).toMatch(/\$\d+(\.\d+)? a million tokens in and \$\d+/);
  });

  it('is none without a key', () => {
    expect(keyed({})).toBeNull();
    expect(keyed({ OPENAI_API_KEY: ' ' })).toBeNull();
  });
});

describe('a repository of packages', () => {
  it('has those with tests named, the outermost of them', () => {
    const dir = tree([
      'README.md',
      'packages/one/package.json',
      'packages/one/sum.test.js',
      'packages/one/inner/package.json',
      'packages/one/inner/tests/x.js',
      'services/two/pyproject.toml',
      'services/two/tests/test_two.py',
      'docs/setup.py',
      'node_modules/left/package.json',
      'node_modules/left/test/x.js',
    ]);
    const base = path.basename(dir);
    expect(packages(dir)).toEqual([
      `there are packages below with tests of their own: assay fix ${base}/packages/one ${base}/services/two --keep-going`,
    ]);
  });

  it('is none where there are tests at its top, or no packages', () => {
    expect(packages(tree(['tests/test_a.py', 'a/setup.py', 'a/tests/test_b.py']))).toEqual([]);
    expect(packages(tree(['a/tests/test_b.py']))).toEqual([]);
  });

  it('names the first of many', () => {
    const files = Array.from({ length: 8 }, (_, at) => [`p${at}/setup.py`, `p${at}/test_x.py`]).flat();
    expect(packages(tree(files))[0]).toMatch(/p0 .*p4 --keep-going and 3 more$/);
  });
});
