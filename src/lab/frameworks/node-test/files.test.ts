import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import type { SourceTree } from '../framework.ts';
import { nodeTest } from '../node-test.ts';
import { parseNodeCommand } from './command.ts';
import { nodeAutoLoaded, nodeProtectedGlobs, nodeTestFiles } from './files.ts';

const names = [
  'a.test.js',
  'a.test.d.ts',
  'b-test.mjs',
  'c_test.cts',
  'lib/d.js',
  'node_modules/x/x.test.js',
  'src/test-data.ts',
  'src/test.ts',
  'test/deep/helper.js',
  'test/notes.md',
  'tests/e.js',
];
const tree: SourceTree = { dir: '/p', files: names, environments: [], text: () => null };
const files = (...argv: string[]) => nodeTestFiles(tree, parseNodeCommand(['node', '--test', ...argv], tree));

describe('nodeTestFiles', () => {
  it('finds what node --test finds', () => {
    const found = [
      'a.test.js',
      'b-test.mjs',
      'c_test.cts',
      'src/test-data.ts',
      'src/test.ts',
      'test/deep/helper.js',
    ];
    expect(nodeTestFiles(tree, null)).toEqual(found);
    expect(files()).toEqual(found);
  });

  it('takes files, patterns and folders of the command', () => {
    expect(files('./lib/d.js')).toEqual(['lib/d.js']);
    expect(files('**/*.js')).toEqual(['a.test.js', 'lib/d.js', 'test/deep/helper.js', 'tests/e.js']);
    expect(files('tests/')).toEqual(['tests/e.js']);
    expect(files('src')).toEqual(['src/test-data.ts', 'src/test.ts']);
    expect(files('.')).toEqual(files());
    expect(files('gone.js')).toEqual([]);
  });
});

describe('nodeProtectedGlobs', () => {
  const because = (file: string, ...argv: string[]) => {
    const command = argv.length === 0 ? null : parseNodeCommand(argv, tree);
    return (
      nodeProtectedGlobs(command).find(({ glob }) => picomatch(glob, { dot: true })(file))?.because ?? null
    );
  };

  it.each([
    ...names.filter((name) => /test/.test(name) && !name.endsWith('.d.ts')),
    'src/__tests__/x.js',
    'src/a.spec.ts',
    'test/a.js.snapshot',
    'package.json',
    'packages/a/package.json',
    'package-lock.json',
    'pnpm-lock.yaml',
    'node_modules/a/index.js',
    'tsconfig.build.json',
    '.npmrc',
    'node.config.json',
    '.github/workflows/ci.yml',
  ])('protects %s', (file) => {
    expect(because(file)).not.toBeNull();
  });

  it.each(['src/index.ts', 'lib/d.js', 'README.md', 'src/latest.ts', 'src/contest/a.js'])(
    'leaves %s to patches',
    (file) => {
      expect(because(file)).toBeNull();
    },
  );

  it('protects what the command names and loads', () => {
    const command = ['node', '--import', './lib/setup.js', '--env-file=.env.test', '--test', 'checks/'];
    expect(because('lib/setup.js', ...command)).toBe('loaded before the tests');
    expect(because('.env.test', ...command)).toBe('loaded before the tests');
    expect(because('checks/deep/a.js', ...command)).toBe('a test by the test command');
    expect(because('src/index.ts', 'node', '--import', 'tsx', '--test', '.')).toBeNull();
  });
});

describe('nodeAutoLoaded', () => {
  it.each([
    'new.test.ts',
    'test/x.js',
    'package.json',
    'src/package.json',
    'node_modules/a.js',
    'node.config.json',
  ])('is true of %s', (file) => {
    expect(nodeAutoLoaded(file, null)).toBe(true);
  });

  it('is false of a module that somebody has to import', () => {
    expect(nodeAutoLoaded('src/helper.ts', null)).toBe(false);
  });

  it('follows the patterns of the command', () => {
    const command = parseNodeCommand(['node', '--test', 'checks/*.js'], tree);
    expect(nodeAutoLoaded('checks/new.js', command)).toBe(true);
    expect(nodeAutoLoaded('new.test.js', command)).toBe(false);
  });
});

describe('the plan of a run', () => {
  const request = {
    mode: 'run' as const,
    tree,
    toolchain: { program: '/n/bin/node', prefixes: [], path: [], env: {} },
    selection: { kind: 'default' as const },
    injected: '/assay',
    testFiles: ['a.test.js', 'b.test.js'],
    absent: ['b.test.js'],
  };
  const plan = (...argv: string[]) =>
    nodeTest.plan({ ...request, command: argv.length === 0 ? null : parseNodeCommand(argv, tree) });

  it('starts the runner alone, with nothing of the project in its process', () => {
    const { argv, env, config } = plan(
      'NODE_OPTIONS=--import ./hook.js',
      'KEY=1',
      'node',
      '--test',
      '--test-only',
    );
    expect(argv).toEqual(['/n/bin/node', '/assay/assay-node-runner.mjs']);
    expect(env).toEqual({});
    expect(config).toMatchObject({
      files: ['a.test.js'],
      env: { KEY: '1' },
      nodeArguments: ['--import', './hook.js', '--test-only'],
      optionArguments: 2,
      nodeOptions: '--import ./hook.js',
      only: true,
      filtered: false,
    });
  });

  it('takes the chosen files where a selection names them', () => {
    const selection = { kind: 'files' as const, files: ['b.test.js'] };
    expect(nodeTest.plan({ ...request, command: null, absent: [], selection }).config.files).toEqual([
      'b.test.js',
    ]);
  });
});
