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
  ...[
    'pytest',
    '_pytest',
    'py',
    'pluggy',
    'iniconfig',
    'packaging',
    'pygments',
    'attr',
    'attrs',
    'exceptiongroup',
  ],
  ...['tomli', 'colorama', 'coverage', 'hypothesis', 'xdist', 'pytest_asyncio', 'anyio', 'numpy', 'mock'],
  ...['assay_channel', 'assay_canaries'],
]);

/** The standard library's modules that a test run imports, directly or not (`sys.modules` of a pytest run, 3.8 to 3.13). */
const standard = new Set(
  `abc argparse ast asyncio atexit base64 bdb bisect bz2 cmd code codecs codeop collections concurrent configparser
  contextlib contextvars copy copyreg csv ctypes dataclasses datetime decimal difflib dis doctest email encodings enum
  errno faulthandler fcntl fnmatch fractions functools gc genericpath getpass gettext glob gzip hashlib heapq hmac html
  http importlib inspect io itertools json keyword linecache locale logging lzma marshal math mimetypes multiprocessing
  numbers opcode operator optparse os pathlib pdb pickle pkgutil platform posix posixpath pprint pwd py_compile queue
  quopri random re readline reprlib resource runpy select selectors shlex shutil signal site socket ssl stat
  statistics string stringprep struct subprocess sys sysconfig tarfile tempfile textwrap threading time timeit token
  tokenize tomllib traceback types typing unittest urllib uuid warnings weakref xml zipfile zipimport zlib zoneinfo`.split(
    /\s+/,
  ),
);

/**
 * True where Python or a test framework would load a new file at `file` unasked, or in place of a module of its own:
 * start-up files, byte code, package metadata, and modules at an import root that shadow the machinery.
 */
export function pythonAutoLoaded(file: string, tree: Pick<SourceTree, 'files'>): boolean {
  const name = path.posix.basename(file);
  if (/^(conftest|sitecustomize|usercustomize)\.py$/.test(name) || /\.(pth|pyc|pyo)$/.test(name)) return true;
  if (/(^|\/)(__pycache__|[^/]+\.(egg-info|dist-info))\//.test(file)) return true;
  if (/^\.?pytest\.(ini|toml)$|^tox\.ini$|^setup\.cfg$|^pyproject\.toml$/.test(name)) return true;
  return shadows(file, tree);
}

function shadows(file: string, { files }: Pick<SourceTree, 'files'>): boolean {
  const parts = file.split('/');
  const inRoot = ['src', 'lib'].includes(parts[0] ?? '') && parts.length > 1 ? parts.slice(1) : parts;
  const [top = ''] = inRoot;
  const isModule = inRoot.length === 1 && /\.(py|so|pyd)$/.test(top);
  if (!isModule && inRoot.length === 1) return false;
  const module = isModule ? top.replace(/\..*$/, '') : top;
  if (!machinery.has(module) && !standard.has(module)) return false;
  // A package that the project has under this name already is its own affair.
  const folder = `${parts.slice(0, parts.length - inRoot.length + 1).join('/')}/`;
  return isModule || !files.some((existing) => existing.startsWith(folder));
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
