import path from 'node:path';
import picomatch from 'picomatch';
import type { ProtectedGlob, SourceTree, TestCommand } from '../framework.ts';
import { loadedFiles, readNodeArguments } from './node-options.ts';

const code = '{js,mjs,cjs,ts,mts,cts}';

/** What `node --test` runs by default (Node.js documentation, "Running tests from the command line"). */
const defaultPatterns = [
  `**/*.test.${code}`,
  `**/*-test.${code}`,
  `**/*_test.${code}`,
  `**/test-*.${code}`,
  `**/test.${code}`,
  `**/test/**/*.${code}`,
];
const isCode = picomatch(`**/*.${code}`, { dot: true });
const isDefault = picomatch(defaultPatterns, { dot: true });

/** The files a run takes: those the command names by path, folder or pattern, else the default ones. Sorted. */
export function nodeTestFiles(tree: Pick<SourceTree, 'files'>, command: TestCommand | null): string[] {
  if (command?.via === 'file') return command.args.slice(0, 1);
  const files = tree.files.filter(
    (file) => !/(^|\/)node_modules\//.test(file) && !/\.d\.[cm]?ts$/.test(file),
  );
  if (command === null || command.args.length === 0) return files.filter((file) => isDefault(file));
  const matchers = command.args.map(argumentMatcher);
  return files.filter((file) => matchers.some((matches) => matches(file)));
}

/** A folder stands for the tests in it, as it did before Node 21; later versions of node refuse folders. */
function argumentMatcher(argument: string): (file: string) => boolean {
  const plain = path.posix.normalize(argument).replace(/\/$/, '');
  const matches = picomatch(plain, { dot: true });
  const holdsTests = /(^|\/)tests?$/.test(plain);
  const inFolder = (file: string) =>
    (plain === '.' || file.startsWith(`${plain}/`)) && (isDefault(file) || (holdsTests && isCode(file)));
  return (file) => matches(file) || inFolder(file);
}

/** Files that decide how JavaScript tests run. */
const always: readonly ProtectedGlob[] = [
  ...globs('a test', [
    ...defaultPatterns.slice(0, 5),
    `**/*.spec.${code}`,
    '**/{test,tests,__tests__}/**',
    '**/*.snapshot',
    '**/__snapshots__/**',
  ]),
  ...globs('the package manifest', ['**/package.json']),
  ...globs('a list of dependencies', [
    '**/{package-lock,npm-shrinkwrap}.json',
    '**/{yarn,bun}.lock',
    '**/bun.lockb',
    '**/pnpm-{lock,workspace}.yaml',
  ]),
  ...globs('an installed dependency', ['**/node_modules/**']),
  ...globs('a configuration of the tools that run the tests', [
    '**/tsconfig*.json',
    '**/jsconfig*.json',
    '**/node.config.json',
    '**/.{npmrc,yarnrc,yarnrc.yml,nvmrc,node-version,tool-versions,swcrc,babelrc}',
  ]),
  ...globs('a continuous integration file', [
    '.github/**',
    '.gitlab-ci.yml',
    '.circleci/**',
    'azure-pipelines.yml',
    '.travis.yml',
    'Jenkinsfile',
  ]),
];

function globs(because: string, patterns: readonly string[]): ProtectedGlob[] {
  return patterns.map((glob) => ({ glob, because }));
}

/** The default globs, and what the test command names: its tests and the files it loads before them. */
export function nodeProtectedGlobs(command: TestCommand | null): ProtectedGlob[] {
  if (command === null) return [...always];
  const { options } = readNodeArguments(command.flags);
  const loaded = loadedFiles(options)
    .filter((file) => /^\.{0,2}\//.test(file) || /\.\w+$/.test(file))
    .map((file) => path.posix.normalize(file));
  const named = (command.via === 'file' ? command.args.slice(0, 1) : command.args).map((argument) =>
    path.posix.normalize(argument).replace(/\/$/, ''),
  );
  return [
    ...always,
    ...globs('loaded before the tests', loaded),
    ...globs(
      'a test by the test command',
      // `.` would stand for the whole project.
      named.filter((argument) => argument !== '.').flatMap((argument) => [argument, `${argument}/**`]),
    ),
  ];
}

/** True where node, or `node --test`, would take up a new file at `file` by itself. */
export function nodeAutoLoaded(file: string, command: TestCommand | null): boolean {
  const name = path.posix.basename(file);
  if (/^(package|node\.config)\.json$/.test(name) || /^[tj]sconfig.*\.json$/.test(name)) return true;
  if (/(^|\/)node_modules\//.test(file)) return true;
  return nodeTestFiles({ files: [file] }, command).length > 0;
}
