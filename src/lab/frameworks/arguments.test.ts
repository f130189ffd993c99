import { describe, expect, it } from 'vitest';
import type { PlanRequest, SourceTree, TestCommand } from './framework.ts';
import { pytest } from './pytest.ts';
import { unittest } from './unittest.ts';

function tree(files: Record<string, string>): SourceTree {
  const names = Object.keys(files).sort();
  return { dir: '/p', files: names, environments: [], text: (file) => files[file] ?? null };
}

function request(change: Partial<PlanRequest> = {}): PlanRequest {
  return {
    mode: 'run',
    tree: tree({ 'tests/test_a.py': '' }),
    command: null,
    toolchain: { program: '/usr/bin/python3', prefixes: [], path: [], env: {} },
    selection: { kind: 'default' },
    injected: '/assay',
    testFiles: [],
    absent: [],
    ...change,
  };
}

const command = (args: string[], via = 'module'): TestCommand => ({
  program: null,
  via,
  flags: [],
  args,
  env: {},
});
const argsOf = (framework: typeof pytest, change: Partial<PlanRequest>) =>
  framework.plan(request(change)).config.args as string[];

describe('arguments for pytest', () => {
  it('keep the user s selection and put the lab s own last', () => {
    const args = argsOf(pytest, { command: command(['-x', 'tests/unit', '-k', 'a and b']) });
    expect(args.slice(0, 4)).toEqual(['-x', '-k', 'a and b', 'tests/unit']);
    expect(args.indexOf('--maxfail=0')).toBeGreaterThan(args.indexOf('-x'));
  });

  it('drop what names a held-out file that is not there', () => {
    const absent = ['tests/test_h.py'];
    const args = argsOf(pytest, {
      command: command(['tests/test_h.py::a', './tests/test_h.py', 'tests/test_a.py']),
      absent,
    });
    expect(args.filter((arg) => arg.endsWith('.py'))).toEqual(['tests/test_a.py']);
  });

  it('name held-out files alone, keeping options', () => {
    const selection = { kind: 'files', files: ['tests/test_h.py'] } as const;
    const args = argsOf(pytest, { command: command(['-m', 'fast', 'tests']), selection });
    expect(args.slice(0, 3)).toEqual(['-m', 'fast', 'tests/test_h.py']);
  });

  it('undo what would split the run or stop it early, only where it is asked for', () => {
    const withOptions = tree({ 'pytest.ini': '[pytest]\naddopts = -n 4 --cov=pkg -p randomly' });
    expect(argsOf(pytest, { tree: withOptions })).toEqual(expect.arrayContaining(['-n0', '--no-cov']));
    expect(argsOf(pytest, { tree: withOptions })).not.toContain('no:randomly');
    expect(argsOf(pytest, {})).not.toContain('-n0');
    expect(argsOf(pytest, { mode: 'collect' })).toContain('--collect-only');
  });
});

describe('arguments for unittest', () => {
  it('start discovery where it can enter', () => {
    expect(argsOf(unittest, { tree: tree({ 'tests/test_a.py': '' }) })).toEqual(['discover', '-s', 'tests']);
    expect(argsOf(unittest, { tree: tree({ 'tests/__init__.py': '', 'tests/test_a.py': '' }) })).toEqual([
      'discover',
    ]);
    expect(argsOf(unittest, { tree: tree({ 'test_a.py': '', 'x/test_b.py': '' }) })).toEqual(['discover']);
  });

  it('take the user s own but for failing fast and what is absent', () => {
    const absent = ['tests/test_h.py'];
    const args = argsOf(unittest, {
      command: command(['-v', '-f', 'tests.test_a', 'tests.test_h.Case.test_x']),
      absent,
    });
    expect(args).toEqual(['-v', 'tests.test_a']);
  });

  it('name held-out files by the module discovery would give them', () => {
    const selection = { kind: 'files', files: ['tests/test_h.py'] } as const;
    const flat = request({ selection, tree: tree({ 'tests/test_a.py': '', 'tests/test_h.py': '' }) });
    expect(unittest.plan(flat).config).toMatchObject({ args: ['test_h'], path: ['tests'] });
    const packaged = tree({ 'tests/__init__.py': '', 'tests/test_a.py': '', 'tests/test_h.py': '' });
    expect(unittest.plan(request({ selection, tree: packaged })).config).toMatchObject({
      args: ['tests.test_h'],
      path: [],
    });
  });
});

describe('evidence of a framework', () => {
  const cases: [string, Record<string, string>, number | null, number | null][] = [
    ['a configuration', { 'pytest.ini': '', 'tests/test_a.py': '' }, 3, null],
    ['a conftest', { 'tests/conftest.py': '', 'tests/test_a.py': '' }, 3, null],
    ['plain functions', { 'test_a.py': 'def test_x():\n  pass' }, 2, null],
    ['test cases', { 'test_a.py': 'import unittest\nclass A(unittest.TestCase):\n  pass' }, 1, 2],
    ['a name alone', { 'test_a.py': '' }, 1, null],
    ['nothing', { 'main.py': 'x = 1' }, null, null],
  ];
  it.each(cases)('%s', (_, files, ofPytest, ofUnittest) => {
    expect(pytest.detect(tree(files))?.score ?? null).toBe(ofPytest);
    expect(unittest.detect(tree(files))?.score ?? null).toBe(ofUnittest);
  });

  it('protects the project s own patterns', () => {
    const configured = tree({
      'pytest.ini': '[pytest]\npython_files = check_*.py *.py\ntestpaths = src quality_checks',
    });
    const globs = pytest.protectedGlobs(configured, null).map(({ glob }) => glob);
    expect(globs).toEqual(expect.arrayContaining(['**/check_*.py', 'quality_checks/**']));
    expect(globs).not.toContain('**/*.py');
    expect(globs).not.toContain('src/**');
  });
});
