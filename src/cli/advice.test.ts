import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { madeSpec } from '../loop/index.ts';
import { adviceOn } from './advice.ts';

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

function advice(options: {
  status?: string;
  proposer?: string;
  env?: Record<string, string>;
  dir?: string;
}): string[] {
  const { status = 'stuck', proposer = 'search', env = {}, dir = tested } = options;
  return adviceOn({ result: { status }, spec: madeSpec({ proposer, dir }), env, cwd: root });
}

describe('where the search is stuck', () => {
  it.each([
    ['ANTHROPIC_API_KEY', 'anthropic/'],
    ['OPENAI_API_KEY', 'openai/'],
    ['GEMINI_API_KEY', 'google/'],
    ['GOOGLE_GENERATIVE_AI_API_KEY', 'google/'],
  ])('and %s is set, a model of it is named with what it costs', (variable, provider) => {
    const [step = '', ...others] = advice({ env: { [variable]: 'x' } });
    expect(step).toContain(`--model search,${provider}`);
    expect(step).toMatch(/\$\d+(\.\d+)? a million tokens in and \$\d+/);
    expect(others).toEqual([]);
  });

  it('nothing is said without a key, of another end, or where a model was asked', () => {
    const env = { OPENAI_API_KEY: 'x' };
    expect(advice({})).toEqual([]);
    expect(advice({ env: { OPENAI_API_KEY: ' ' } })).toEqual([]);
    expect(advice({ env, status: 'done' })).toEqual([]);
    expect(advice({ env, status: 'environment_error' })).toEqual([]);
    expect(advice({ env, proposer: 'search,openai/gpt-4o' })).toEqual([]);
    expect(advice({ env, proposer: 'replay:x' })).toEqual([]);
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
    expect(advice({ dir, status: 'environment_error' })).toEqual([
      `there are packages below with tests of their own: assay fix ${base}/packages/one ${base}/services/two --keep-going`,
    ]);
  });

  it('is none where there are tests at its top, or no packages', () => {
    expect(advice({ dir: tree(['tests/test_a.py', 'a/setup.py', 'a/tests/test_b.py']) })).toEqual([]);
    expect(advice({ dir: tree(['a/tests/test_b.py']) })).toEqual([]);
  });

  it('names the first of many', () => {
    const files = Array.from({ length: 8 }, (_, at) => [`p${at}/setup.py`, `p${at}/test_x.py`]).flat();
    expect(advice({ dir: tree(files) })[0]).toMatch(/p0 .*p4 --keep-going and 3 more$/);
  });
});
