import path from 'node:path';
import type { Framework, PlanRequest, SourceTree, TestCommand } from './framework.ts';
import { parsePythonCommand } from './python-command.ts';
import { fitsPattern, pythonAutoLoaded, pythonProtected } from './python-files.ts';
import { canaries, pythonEnvironment, runnerFiles } from './python-runner.ts';
import { installedModules, pythonToolchain } from './python-toolchain.ts';

const module = { name: 'unittest', scripts: [] };

/** unittest of Python 3.8 and later, by discovery or by the names the command gives. */
export const unittest: Framework = {
  id: 'unittest',
  detect(tree) {
    const tests = testFiles(tree, null);
    const typical = tests.find((file) => isUnittestStyle(tree.text(file) ?? ''));
    return typical === undefined ? null : { score: 2, because: `${typical} has unittest test cases` };
  },
  parseCommand: (argv) => parsePythonCommand(argv, module),
  protectedGlobs: (_, command) => [
    ...pythonProtected,
    ...patternsOf(command)
      .filter((pattern) => !/^\*?(\.py)?$/.test(pattern))
      .map((pattern) => ({ glob: `**/${pattern}`, because: 'a test' })),
  ],
  autoLoaded: (file, tree) => pythonAutoLoaded(file, tree),
  installed: installedModules,
  testFiles,
  toolchain: (tree, command) =>
    pythonToolchain({ tree, command, module: null, script: null, env: process.env }),
  inject: runnerFiles('unittest'),
  plan: (request) => ({
    argv: [
      request.toolchain.program,
      ...(request.command?.flags ?? []),
      path.posix.join(request.injected, 'assay_unittest.py'),
    ],
    cwd: request.tree.dir,
    env: { ...pythonEnvironment(request.mode), ...request.command?.env },
    config: {
      args: unittestArguments(request),
      // Discovery puts its start on the path; tests given by name need it there too.
      path:
        request.selection.kind === 'files'
          ? [startFolder(request.tree, request.command)].filter(Boolean)
          : [],
      environments: request.tree.environments,
      files: request.testFiles,
    },
  }),
  canaries: canaries({
    failing: ['assert', 'raise', 'unittest-equal', 'unittest-true', 'unittest-raises'],
    failingIfLoaded: ['mock', 'numpy', 'subprocess'],
    passing: ['fine', 'unittest-fine', 'builtins', 'framework'],
  }),
  explainExit: (code) => (code === 2 ? 'unittest refused its arguments' : null),
};

function patternsOf(command: TestCommand | null): string[] {
  const args = command?.args ?? [];
  const at = args.findIndex((word) => word === '-p' || word === '--pattern');
  const pattern = at === -1 ? undefined : args[at + 1];
  return [pattern ?? 'test*.py'];
}

function testFiles(tree: SourceTree, command: TestCommand | null): string[] {
  return tree.files.filter((file) => file.endsWith('.py') && fitsPattern(file, patternsOf(command)));
}

function isUnittestStyle(text: string): boolean {
  return /^\s*(import|from)\s+unittest\b/m.test(text) && /^class\s+\w+\s*\(.*TestCase\b/m.test(text);
}

function unittestArguments({ command, selection, absent, tree }: PlanRequest): string[] {
  if (selection.kind === 'files')
    return selection.files.map((file) => moduleName(file, startFolder(tree, command)));
  if (command === null) return discovery(startFolder(tree, null));
  const hidden = absent.map((file) => moduleName(file, startFolder(tree, command)));
  // Failing fast would leave later tests unseen.
  return command.args.filter(
    (word) =>
      word !== '-f' &&
      word !== '--failfast' &&
      !hidden.some((module) => word === module || word.startsWith(`${module}.`)) &&
      !absent.includes(path.posix.normalize(word)),
  );
}

function discovery(start: string): string[] {
  return start === '' ? ['discover'] : ['discover', '-s', start];
}

/**
 * Where discovery must start. From the top folder it enters packages only, so a folder of tests without
 * `__init__.py` is a start of its own.
 */
function startFolder(tree: SourceTree, command: TestCommand | null): string {
  const args = command?.args ?? [];
  const given = args.findIndex((word) => word === '-s' || word === '--start-directory');
  if (command !== null)
    return given === -1 ? '' : path.posix.normalize(args[given + 1] ?? '').replace(/^\.$/, '');
  const folders = testFiles(tree, null).map((file) => path.posix.dirname(file));
  const isPackage = (folder: string): boolean =>
    folder === '.' || (tree.files.includes(`${folder}/__init__.py`) && isPackage(path.posix.dirname(folder)));
  if (folders.length === 0 || folders.some(isPackage)) return '';
  const tops = folders.filter((folder) => !folders.some((other) => folder.startsWith(`${other}/`)));
  return tops.sort((a, b) => count(folders, b) - count(folders, a))[0] ?? '';
}

function count(folders: readonly string[], folder: string): number {
  return folders.filter((each) => each === folder).length;
}

/** The name unittest imports a file by, seen from the start of discovery, which it puts on the path. */
function moduleName(file: string, start: string): string {
  const inside = start !== '' && file.startsWith(`${start}/`) ? file.slice(start.length + 1) : file;
  return inside.replace(/\.py$/, '').replaceAll('/', '.');
}
