import path from 'node:path';
import type { Framework, PlanRequest, ProtectedGlob, SourceTree } from './framework.ts';
import { readPytestConfig } from './pytest-config.ts';
import { parsePythonCommand } from './python-command.ts';
import { fitsPattern, pythonAutoLoaded, pythonProtected } from './python-files.ts';
import { canaries, pythonEnvironment, runnerFiles } from './python-runner.ts';
import { installedModules, pythonToolchain } from './python-toolchain.ts';

const module = { name: 'pytest', scripts: ['pytest', 'py.test'] };
const defaultPatterns = ['test_*.py', '*_test.py'];

/**
 * pytest 7 to 9 on Python 3.8 and later. The project's own configuration, conftest.py files and installed plugins are
 * in force: suites need their fixtures (pytest-asyncio, pytest-mock), and what is installed is out of a patch's reach.
 */
export const pytest: Framework = {
  id: 'pytest',
  detect(tree) {
    const { file } = readPytestConfig(tree);
    if (file !== null) return { score: 3, because: `${file} configures pytest` };
    const conftest = tree.files.find((each) => path.posix.basename(each) === 'conftest.py');
    if (conftest !== undefined) return { score: 3, because: `${conftest} exists` };
    const tests = testFiles(tree);
    const typical = tests.find((each) => isPytestStyle(tree.text(each) ?? ''));
    if (typical !== undefined) return { score: 2, because: `${typical} has tests in pytest's style` };
    return tests[0] === undefined ? null : { score: 1, because: `${tests[0]} is named like a test` };
  },
  parseCommand: (argv) => parsePythonCommand(argv, module),
  protectedGlobs: (tree) => [...pythonProtected, ...configuredGlobs(tree)],
  autoLoaded: (file, tree) => pythonAutoLoaded(file, tree, readPytestConfig(tree).pythonpath),
  installed: installedModules,
  testFiles,
  toolchain: (tree, command) =>
    pythonToolchain({ tree, command, module: 'pytest', script: 'pytest', env: process.env }),
  inject: runnerFiles('pytest'),
  plan: (request) => ({
    argv: [
      request.toolchain.program,
      ...(request.command?.flags ?? []),
      path.posix.join(request.injected, 'assay_pytest.py'),
    ],
    cwd: request.tree.dir,
    env: { ...pythonEnvironment(request.mode), ...request.command?.env },
    config: {
      via: request.command?.via ?? 'module',
      args: pytestArguments(request),
      environments: request.tree.environments,
      conftests: request.tree.files.filter((file) => path.posix.basename(file) === 'conftest.py'),
      files: request.testFiles,
    },
  }),
  canaries: canaries({
    failing: ['assert', 'raise', 'raises', 'approx', 'unittest-equal', 'unittest-true', 'unittest-raises'],
    failingIfLoaded: ['mock', 'numpy', 'subprocess'],
    passing: ['fine', 'unittest-fine', 'builtins', 'framework'],
  }),
  explainExit: (code) => exitMeanings.get(code) ?? null,
};

const exitMeanings = new Map([
  [2, 'pytest was interrupted'],
  [3, 'pytest had an internal error'],
  [4, 'pytest refused its arguments or configuration'],
]);

function testFiles(tree: SourceTree): string[] {
  const { pythonFiles } = readPytestConfig(tree);
  const patterns = pythonFiles.length > 0 ? pythonFiles : defaultPatterns;
  return tree.files.filter((file) => file.endsWith('.py') && fitsPattern(file, patterns));
}

function isPytestStyle(text: string): boolean {
  return /^\s*(import|from)\s+pytest\b/m.test(text) || /^(async\s+)?def\s+test/m.test(text);
}

/** The project's own file patterns, and its test folders where their name says that they hold nothing else. */
function configuredGlobs(tree: SourceTree): ProtectedGlob[] {
  const { pythonFiles, testpaths } = readPytestConfig(tree);
  const because = "a test by the project's own configuration";
  const patterns = pythonFiles
    .filter((pattern) => !/^\*?(\.py)?$/.test(pattern))
    .map((pattern) => `**/${pattern}`);
  const folders = testpaths.filter((folder) => /(test|spec|check)/i.test(path.posix.basename(folder)));
  return [...patterns, ...folders.map((folder) => `${folder}/**`)].map((glob) => ({ glob, because }));
}

/** Options whose value is the next word, so that it is not taken for a path. */
const optionsWithValue = new Set(
  `-k -m -c -p -o -W -n -r --rootdir --confcutdir --deselect --ignore --ignore-glob --tb --durations --maxfail
  --import-mode --log-level --log-cli-level --junitxml --cov-config --timeout --dist --basetemp --color --capture`.split(
    /\s+/,
  ),
);

function pytestArguments(request: PlanRequest): string[] {
  return [...selected(request), ...forced(request)];
}

function selected({ command, selection, absent }: PlanRequest): string[] {
  const args = command?.args ?? [];
  const options: string[] = [];
  const paths: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (!word.startsWith('-')) paths.push(word);
    else {
      options.push(word);
      const value = args[at + 1];
      if (optionsWithValue.has(word) && value !== undefined) {
        options.push(value);
        at += 1;
      }
    }
  }
  if (selection.kind === 'files') return [...options, ...selection.files];
  return [...options, ...paths.filter((word) => !absent.includes(fileOf(word)))];
}

function fileOf(argument: string): string {
  return path.posix.normalize(argument.split('::')[0] ?? argument);
}

/** Last on the command line, so that they win over `addopts` and the user's own. */
function forced({ command, tree, mode }: PlanRequest): string[] {
  const { addopts } = readPytestConfig(tree);
  const all = ` ${addopts} ${(command?.args ?? []).join(' ')} `;
  return [
    ...(mode === 'collect' ? ['--collect-only', '-q'] : []),
    // One broken file must not hide the tests of the others, nor the first failure those after it.
    ...['--continue-on-collection-errors', '--maxfail=0', '--tb=auto', '--color=no'],
    // The cache plugin stays (its fixture and options may be in use), but writes nothing into the workspace.
    ...['-o', 'cache_dir=/tmp/.pytest_cache'],
    // A shuffled order would make two runs of the same files differ.
    ...(/randomly/.test(all) ? [] : ['-p', 'no:randomly']),
    // One process: results of several would come through a channel of their own. Coverage of a part proves nothing.
    ...(/\s(-n|--numprocesses|--dist)\b/.test(all) ? ['-n0'] : []),
    ...(/\s--cov\b/.test(all) ? ['--no-cov'] : []),
  ];
}
