import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveToolchain } from '../../sandbox/index.ts';
import type { Detection, Framework, PlanRequest, SourceTree } from './framework.ts';
import { packageScripts, parseNodeCommand, scriptedCommand, usesNodeTest } from './node-test/command.ts';
import { nodeAutoLoaded, nodeProtectedGlobs, nodeTestFiles } from './node-test/files.ts';
import { concurrencyOf, has, isFiltered, passedOn, readNodeArguments } from './node-test/node-options.ts';
import { scriptCommands } from './node-test/script-words.ts';

/**
 * Node's own test runner: JavaScript, and TypeScript by type stripping (Node 22.18 and later) or by what the project's
 * test command loads (`--import tsx`). Node 20 and later.
 *
 * - Each file has a process of its own, as under `node --test`; results come over a descriptor, not over its output.
 * - Ids are `file > suite > name`; a repeated one is `file > suite > name#2`. What a test starts with `t.test` is part
 *   of that test: such names exist only while it runs, and how many there are may depend on the bug.
 * - Collecting loads every file with a failing root `before` hook, so that bodies do not run but names are reported.
 * - A file without tests is a test itself and passes with exit code 0, if it came to its end by itself: a script
 *   that calls `process.exit(0)` cannot be told from code under test that does so to hide a failure.
 */
export const nodeTest: Framework = {
  id: 'node-test',
  detect,
  parseCommand: parseNodeCommand,
  protectedGlobs: (tree, command) => nodeProtectedGlobs(command ?? scriptedCommand(tree)),
  autoLoaded: (file, tree) => nodeAutoLoaded(file, scriptedCommand(tree)),
  testFiles: (tree, command) => nodeTestFiles(tree, command ?? scriptedCommand(tree)),
  toolchain: (tree, command) => {
    const program = (command ?? scriptedCommand(tree))?.program ?? 'node';
    return resolveToolchain({ program, cwd: tree.dir, env: process.env });
  },
  inject: [
    'assay-node-runner.mjs',
    'assay-node-records.mjs',
    'assay-node-conclude.mjs',
    'assay-node-static.mjs',
    'assay-node-preload.mjs',
    'assay-node-child.mjs',
    'assay-node-tree.mjs',
    'assay-node-canaries.mjs',
    'assay-node-reporter.mjs',
    'assay-node-channel.mjs',
    'assay-node-failure.mjs',
  ].map((name) => fileURLToPath(new URL(`./node-test/runner/${name}`, import.meta.url))),
  plan,
  canaries: [
    // Not needed where no test file came to its end: then nothing passed.
    { id: 'wrong', expect: 'failed', optional: true },
    { id: 'right', expect: 'passed', optional: true },
  ],
  explainExit: (code) => (code === 3 ? 'the process of a test file ended before its tests had' : null),
};

function plan(request: PlanRequest): ReturnType<Framework['plan']> {
  const { tree, toolchain, injected, selection, testFiles, absent } = request;
  const command = request.command ?? scriptedCommand(tree);
  const { options } = readNodeArguments(command?.flags ?? []);
  const { NODE_OPTIONS: nodeOptions = '', ...env } = command?.env ?? {};
  const fromEnvironment = scriptCommands(nodeOptions)?.[0] ?? [];
  const nodeArguments = [...fromEnvironment, ...passedOn(options)];
  const files = selection.kind === 'files' ? selection.files : testFiles;
  return {
    argv: [toolchain.program, path.posix.join(injected, 'assay-node-runner.mjs')],
    cwd: tree.dir,
    // Nothing of the command's: a NODE_OPTIONS that loads a file of the project is for the test files' processes only.
    env: {},
    config: {
      files: files.filter((file) => !absent.includes(file)),
      environments: tree.environments,
      nodeArguments,
      /** How many of them came out of NODE_OPTIONS, which child processes of the project are to see as such. */
      optionArguments: fromEnvironment.length,
      nodeOptions,
      fileArguments: command?.via === 'file' ? command.args.slice(1) : [],
      env,
      concurrency: concurrencyOf(options),
      only: has(options, '--test-only'),
      filtered: isFiltered(options),
      globalSetup: has(options, '--test-global-setup'),
    },
  };
}

function detect(tree: SourceTree): Detection | null {
  const scripts = Object.keys(packageScripts(tree));
  const script = scripts.find((name) => parseNodeCommand(['npm', 'run', name], tree) !== null);
  if (script !== undefined)
    return { score: 3, because: `the script "${script}" of package.json runs node:test` };
  const files = nodeTestFiles(tree, null);
  const importing = files.find((file) => usesNodeTest(tree.text(file) ?? ''));
  if (importing !== undefined) return { score: 2, because: `${importing} imports node:test` };
  const [first] = files;
  if (first === undefined || usesAnother(tree)) return null;
  return { score: 1, because: `${first} is named like a test` };
}

/** Signs of a test framework for JavaScript that is not node:test. */
function usesAnother(tree: SourceTree): boolean {
  const manifest = tree.text('package.json') ?? '';
  return /"(jest|vitest|mocha|ava|tap|jasmine|karma|cypress|@playwright\/test|uvu|tape|qunit)"\s*:/.test(
    manifest,
  );
}
