import { describe, expect, it } from 'vitest';
import { protection } from '../project/protect.ts';
import { fitsPattern, pythonAutoLoaded, pythonProtected } from './python-files.ts';

const installed = new Set(['random', 'json', 'hamcrest', 'types']);
const tree = { files: ['pkg/__init__.py', 'json/__init__.py', 'src/app/main.py'], installed };
const because = protection({ globs: pythonProtected, environments: ['.venv'], links: ['linked'] });

describe('protected Python files', () => {
  it.each([
    'tests/test_a.py',
    'tests/data/deep/x.json',
    'pkg/test/helpers.py',
    'pkg/test_b.py',
    'pkg/b_test.py',
    'conftest.py',
    'pkg/conftest.py',
    'pytest.ini',
    'sub/pyproject.toml',
    'setup.cfg',
    'tox.ini',
    'requirements-dev.txt',
    'uv.lock',
    'sitecustomize.py',
    'x/evil.pth',
    'a.egg-info/entry_points.txt',
    '.github/workflows/ci.yml',
    '.venv/lib/python3/site-packages/x.py',
    'linked',
    'linked/below.py',
  ])('%s', (file) => {
    expect(because(file)).toEqual(expect.any(String));
  });

  it.each([
    'pkg/a.py',
    'pkg/testing.py',
    'pkg/contest.py',
    'README.md',
    'pkg/latest/x.py',
    'src/requirements/x.py',
  ])('not %s', (file) => {
    expect(because(file)).toBeNull();
  });

  it.each([
    'TESTS/Test_A.py',
    'Conftest.py',
    'tests/../pkg/a.py',
    './tests/test_a.py',
    '/etc/passwd',
    '../outside.py',
    'C:/x.py',
    'tests\\test_a.py',
    'pkg/a\0.py',
    'ｔests/test_a.py',
    '.git/hooks/pre-commit',
    'sub/.GIT/config',
    '',
  ])('whatever the spelling: %j', (file) => {
    expect(because(file)).toEqual(expect.any(String));
  });
});

describe('new Python files that are loaded unasked', () => {
  it.each([
    'conftest.py',
    'pkg/conftest.py',
    'sitecustomize.py',
    'src/usercustomize.py',
    'x.pth',
    'pkg/__pycache__/a.cpython-311.pyc',
    'pkg/a.pyc',
    'evil.dist-info/entry_points.txt',
    'pytest.ini',
    'pytest.py',
    'pytest/__init__.py',
    '_pytest/x.py',
    'src/unittest.py',
    'random.py',
    'random.so',
    'lib/pluggy/__init__.py',
    'hamcrest/__init__.py',
    'app/hamcrest.py',
  ])('%s', (file) => {
    expect(pythonAutoLoaded(file, tree, ['app'])).toBe(true);
  });

  it.each([
    'pkg/new.py',
    'pkg/random.py',
    'helpers.py',
    'json/more.py',
    'src/app/types.py',
    'random.txt',
    'docs/random/x.md',
  ])('not %s', (file) => {
    expect(pythonAutoLoaded(file, tree)).toBe(false);
  });
});

describe('file patterns', () => {
  it('match the base name as fnmatch does', () => {
    expect(fitsPattern('a/test_x.py', ['test_*.py'])).toBe(true);
    expect(fitsPattern('test_x.pyc', ['test_*.py'])).toBe(false);
    expect(fitsPattern('a/xtest_x.py', ['test_*.py'])).toBe(false);
    expect(fitsPattern('check1.py', ['check?.py'])).toBe(true);
  });
});
