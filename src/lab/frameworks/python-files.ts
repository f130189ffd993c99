import path from 'node:path';
import type { ProtectedGlob, SourceTree } from './framework.ts';

/** Files that decide how Python tests run; true of every Python framework. */
export const pythonProtected: readonly ProtectedGlob[] = [
  ...globs('a test', ['**/{test,tests}/**', '**/test_*.py', '**/*_test.py', '**/tests.py']),
  ...globs('loaded by pytest by itself', ['**/conftest.py']),
  ...globs('a test configuration', [
    '**/{pytest,.pytest}.{ini,toml}',
    '**/tox.ini',
    '**/setup.cfg',
    '**/pyproject.toml',
    '**/.coveragerc',
    '**/noxfile.py',
  ]),
  ...globs('a list of dependencies', [
    '**/requirements*.{txt,in}',
    '**/{poetry,uv,pdm,Pipfile}.lock',
    '**/Pipfile',
    '**/environment.{yml,yaml}',
  ]),
  ...globs('loaded by Python by itself', ['**/{sitecustomize,usercustomize}.py', '**/*.pth']),
  ...globs('metadata of an installed package', ['**/*.{egg-info,dist-info}/**']),
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

/** Top-level names that the test machinery imports: a file of that name would be loaded in their place. */
const machinery = new Set([
  'pytest',
  '_pytest',
  'unittest',
  'pluggy',
  'assay_channel',
  'assay_canaries',
  'assay_hang',
]);

/**
 * True where Python or a test framework would load a new file at `file` unasked, or in place of a module of its own:
 * start-up files, byte code, package metadata, and modules at an import root that shadow what is installed, an
 * assertion library for one. `roots`: folders on the import path beside the project's own, `src` and `lib`.
 */
export function pythonAutoLoaded(
  file: string,
  tree: Pick<SourceTree, 'files' | 'installed'>,
  roots: readonly string[] = [],
): boolean {
  const name = path.posix.basename(file);
  if (/^(conftest|sitecustomize|usercustomize)\.py$/.test(name) || /\.(pth|pyc|pyo)$/.test(name)) return true;
  if (/(^|\/)(__pycache__|[^/]+\.(egg-info|dist-info))\//.test(file)) return true;
  if (/^\.?pytest\.(ini|toml)$|^tox\.ini$|^setup\.cfg$|^pyproject\.toml$/.test(name)) return true;
  const all = ['', 'src', 'lib', ...roots].map((root) => (root === '' || root === '.' ? '' : `${root}/`));
  return all.some((root) => file.startsWith(root) && shadows(file, root, tree));
}

function shadows(
  file: string,
  root: string,
  { files, installed }: Pick<SourceTree, 'files' | 'installed'>,
): boolean {
  const [top = '', ...below] = file.slice(root.length).split('/');
  const isModule = below.length === 0;
  if (isModule && !/\.(py|so|pyd)$/.test(top)) return false;
  const module = isModule ? top.replace(/\..*$/, '') : top;
  if (!machinery.has(module) && installed?.has(module) !== true) return false;
  // A package that the project has under this name already is its own affair.
  return isModule || !files.some((existing) => existing.startsWith(`${root}${module}/`));
}

/** Whether a file's name fits one of pytest's or unittest's file patterns (fnmatch on the base name). */
export function fitsPattern(file: string, patterns: readonly string[]): boolean {
  const name = path.posix.basename(file);
  return patterns.some((pattern) => wildcard(pattern).test(name));
}

function wildcard(pattern: string): RegExp {
  const escaped = pattern.replace(/[.+^${}()|\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`);
}
