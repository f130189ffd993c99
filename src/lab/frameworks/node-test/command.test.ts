import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SourceTree } from '../framework.ts';
import { packageScripts, parseNodeCommand, usesNodeTest } from './command.ts';
import { concurrencyOf, isFiltered, passedOn, readNodeArguments } from './node-options.ts';
import { scriptCommands } from './script-words.ts';

function tree(files: Record<string, string>): SourceTree {
  return {
    dir: '/p',
    files: Object.keys(files).sort(),
    environments: [],
    text: (file) => files[file] ?? null,
  };
}

function scripts(given: Record<string, string>, files: Record<string, string> = {}): SourceTree {
  return tree({ 'package.json': JSON.stringify({ scripts: given }), ...files });
}

const empty = tree({});

describe('parseNodeCommand', () => {
  it.each([
    [['node', '--test'], { program: null, via: 'test', flags: ['--test'], args: [] }],
    [
      ['node', '--test', 'test/*.js', '--test-only'],
      { flags: ['--test', '--test-only'], args: ['test/*.js'] },
    ],
    [['node', '--import', 'tsx', '--test', 'a.ts'], { flags: ['--import', 'tsx', '--test'], args: ['a.ts'] }],
    [['/opt/node/bin/node', '--test'], { program: '/opt/node/bin/node' }],
    [['node22', '--test'], { program: 'node22' }],
    [['TZ=UTC', 'CI=1', 'node', '--test'], { env: { TZ: 'UTC', CI: '1' }, args: [] }],
    [
      ['npx', 'tsx', '--test', 'a.ts'],
      { program: null, flags: ['--import', 'tsx', '--test'], args: ['a.ts'] },
    ],
    [['npx', 'c8', 'node', '--test'], { flags: ['--test'] }],
    [['cross-env', 'A=b=c', 'node', '--test'], { env: { A: 'b=c' } }],
  ])('reads %j', (argv, command) => {
    expect(parseNodeCommand(argv, empty)).toMatchObject(command);
  });

  it.each([
    [[]],
    [['python', '-m', 'pytest']],
    [['node', 'server.js']],
    [['jest']],
    [['npm', 'test']],
    [['npx', 'vitest', 'run']],
  ])('leaves %j to others', (argv) => {
    expect(parseNodeCommand(argv, tree({ 'server.js': 'listen()' }))).toBeNull();
  });

  it('reads a file that uses node:test itself, with its arguments', () => {
    const files = tree({ 'run.js': "import test from 'node:test';" });
    expect(parseNodeCommand(['node', '--no-warnings', './run.js', '--slow'], files)).toEqual({
      program: null,
      via: 'file',
      flags: ['--no-warnings'],
      args: ['run.js', '--slow'],
      env: {},
    });
  });

  it.each([
    [['npm', 'test']],
    [['npm', 't', '--silent']],
    [['npm', 'run', 'test']],
    [['yarn', 'test']],
    [['pnpm', 'run', 'test']],
  ])('follows %j to the script', (argv) => {
    const files = scripts({ test: 'tsc -p . && node --test "test/**/*.js"' });
    expect(parseNodeCommand(argv, files)).toMatchObject({ via: 'test', args: ['test/**/*.js'] });
  });

  it('follows scripts that call scripts, and hands on what comes after --', () => {
    const files = scripts({ test: 'LEVEL=1 npm run unit', unit: 'node --test' });
    expect(parseNodeCommand(['npm', 'test', '--', '--test-only', 'a.test.js'], files)).toMatchObject({
      env: { LEVEL: '1' },
      flags: ['--test', '--test-only'],
      args: ['a.test.js'],
    });
  });

  it('gives up on scripts that call each other for ever, need a shell, or cannot be read', () => {
    expect(parseNodeCommand(['npm', 'test'], scripts({ test: 'npm run a', a: 'npm test' }))).toBeNull();
    expect(parseNodeCommand(['npm', 'test'], scripts({ test: 'node --test $(ls)' }))).toBeNull();
    expect(packageScripts(tree({ 'package.json': '{' }))).toEqual({});
    expect(packageScripts(tree({ 'package.json': '{"scripts": {"test": 1, "a": "b"}}' }))).toEqual({
      a: 'b',
    });
    expect(packageScripts(tree({ 'package.json': 'null' }))).toEqual({});
  });
});

describe('readNodeArguments', () => {
  it('keeps an option and its value together', () => {
    const { options, rest } = readNodeArguments([
      '--import',
      './a.js',
      '--test',
      '--test-timeout=5',
      'x',
      '-r',
      'y',
    ]);
    expect(options.map(({ words }) => words)).toEqual([
      ['--import', './a.js'],
      ['--test'],
      ['--test-timeout=5'],
      ['-r', 'y'],
    ]);
    expect(rest).toEqual(['x']);
  });

  it('leaves a program its own arguments', () => {
    expect(readNodeArguments(['--no-warnings', 'a.js', '--import', 'b']).rest).toEqual([
      'a.js',
      '--import',
      'b',
    ]);
    expect(readNodeArguments(['--test', '--', '--odd.js']).rest).toEqual(['--odd.js']);
  });

  it('loses no word', () => {
    const word = fc.constantFrom(
      '--test',
      '--import',
      'tsx',
      '-r',
      '--test-only',
      'a.js',
      '--x=1',
      '--conditions',
    );
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const { options, rest } = readNodeArguments(words);
        expect([...options.flatMap((option) => option.words), ...rest].sort()).toEqual([...words].sort());
      }),
    );
  });

  it('passes on what concerns one file, and not what the lab does itself', () => {
    const words =
      '--test --import tsx --test-reporter spec --test-concurrency=3 --test-only --watch --inspect'.split(
        ' ',
      );
    const { options } = readNodeArguments(words);
    expect(passedOn(options)).toEqual(['--import', 'tsx', '--test-only']);
    expect(concurrencyOf(options)).toBe(3);
    expect(isFiltered(options)).toBe(false);
    expect(isFiltered(readNodeArguments(['--test-name-pattern', 'x']).options)).toBe(true);
    expect(concurrencyOf(readNodeArguments(['--test-concurrency=many']).options)).toBeNull();
  });
});

describe('scriptCommands', () => {
  it.each([
    ['node --test', [['node', '--test']]],
    ['a && b; c', [['a'], ['b'], ['c']]],
    [`say "two words" 'and $more' x"y"'z'`, [['say', 'two words', 'and $more', 'xyz']]],
    ['', []],
  ])('splits %s', (script, commands) => {
    expect(scriptCommands(script)).toEqual(commands);
  });

  it.each(['a | b', 'a > b', 'echo $HOME', 'echo "$HOME"', '(a)', 'a &', '"open', 'a `b`'])(
    'leaves %s to a shell',
    (script) => {
      expect(scriptCommands(script)).toBeNull();
    },
  );
});

describe('usesNodeTest', () => {
  it.each([
    "import { test } from 'node:test';",
    'import test from "node:test"',
    "const test = require('node:test')",
    "await import('node:test')",
    "import 'node:test';",
  ])('sees %s', (text) => {
    expect(usesNodeTest(text)).toBe(true);
  });

  it('is not taken in by the mere words', () => {
    expect(usesNodeTest("// run with node:test\nimport { test } from 'vitest';")).toBe(false);
  });
});
