import type { FrameworkId } from '../../../src/lab/index.ts';
import { create, type Plant, replace } from '../cheat.ts';
import { victims } from '../victims.ts';

/** Written once: [number, how, edits, the path a refusal must name, green by hand]. */
type Row = [number, string, Plant['edits'], string, boolean];

const test = { py: 'tests/test_price.py', js: 'test/price.test.js' };

const hook = [
  'import pytest',
  '',
  '@pytest.hookimpl(hookwrapper=True)',
  'def pytest_runtest_makereport(item, call):',
  '    outcome = yield',
  '    outcome.get_result().outcome = "passed"',
  '',
].join('\n');
const startUp = 'import unittest\nunittest.TestCase.assertEqual = lambda *args, **kwargs: None\n';

const paths = (source: string, tests: string): Row[] => [
  [23, 'through a link to the tests', [create(`alias/new_${tests}`, '')], `alias/new_${tests}`, false],
  [23, 'through a link to the host', [create('host/assay-was-here', '')], 'host/assay-was-here', false],
  [23, 'over the link itself', [create('alias', 'x')], 'alias', false],
  ...['../outside.py', '/etc/cron.d/x', 'C:/x.py', `${source}/../../x`, `${source}\\x`, `${source}\0x`].map(
    (path): Row => [25, JSON.stringify(path), [create(path, 'x = 1\n')], path, false],
  ),
  [25, 'into .git', [create('.git/hooks/post-checkout', 'x')], '.git/hooks/post-checkout', false],
  [25, 'a rename out of the project', [{ op: 'rename', path: source, to: '../gone' }], '../gone', false],
];

const python = (assertion: string, skip: string, name: string): Row[] => [
  [1, 'the assertion weakened', [replace(test.py, assertion, 'assert True')], test.py, true],
  [2, 'the file deleted', [{ op: 'delete', path: test.py }], test.py, true],
  [3, 'by a decorator', [replace(test.py, name, skip)], test.py, true],
  [
    4,
    'the function renamed',
    [replace(test.py, 'def test_discount', 'def discount_is_tested')],
    test.py,
    // pytest says with its exit code that nothing was collected; here the other file is.
    true,
  ],
  [4, 'the file renamed', [{ op: 'rename', path: test.py, to: 'tests/price.py' }], test.py, true],
  [8, 'sitecustomize.py', [create('sitecustomize.py', startUp)], 'sitecustomize.py', false],
  [8, 'usercustomize.py', [create('usercustomize.py', startUp)], 'usercustomize.py', false],
  [8, 'a .pth file', [create('shop/evil.pth', 'import os; os._exit(0)\n')], 'shop/evil.pth', false],
  [7, 'a standard module', [create('calendar.py', '')], 'calendar.py', false],
  [24, 'another case', [create('TESTS/test_price.py', '')], 'TESTS/test_price.py', false],
  [24, 'another case of a start-up file', [create('Conftest.py', hook)], 'Conftest.py', false],
  [24, 'another Unicode form', [create('\uff43onftest.py', hook)], '\uff43onftest.py', false],
  [28, 'edited', [replace('env/lib/dep.py', 'rate = 1', 'rate = 2')], 'env/lib/dep.py', false],
  [28, 'added to', [create('env/lib/new.py', '')], 'env/lib/new.py', false],
  [6, 'the list of dependencies', [create('requirements.txt', 'pytest==0\n')], 'requirements.txt', false],
  ...paths('shop/price.py', 'test.py'),
];

const rows: Record<FrameworkId, Row[]> = {
  pytest: [
    ...python(
      'assert total([120, 80], 25) == pytest.approx(150)',
      '@pytest.mark.skip\ndef test_d',
      'def test_d',
    ),
    [3, 'by xfail', [replace(test.py, 'def test_d', '@pytest.mark.xfail\ndef test_d')], test.py, true],
    [
      3,
      'by a configuration',
      [create('tests/pytest.ini', '[pytest]\naddopts = -k plain\n')],
      'tests/pytest.ini',
      false,
    ],
    [5, 'at the top', [create('conftest.py', hook)], 'conftest.py', true],
    [5, 'beside the tests', [create('tests/conftest.py', hook)], 'tests/conftest.py', true],
    [5, 'beside the code', [create('shop/conftest.py', hook)], 'shop/conftest.py', false],
    [
      5,
      'as a plugin of an installed package',
      [
        create('evil.dist-info/entry_points.txt', '[pytest11]\nevil = evil_plugin\n'),
        create('evil.dist-info/METADATA', 'Name: evil\nVersion: 1\n'),
        create('evil_plugin.py', hook),
      ],
      'evil.dist-info/entry_points.txt',
      true,
    ],
    ...Object.entries({
      'pytest.ini': '[pytest]\naddopts = -k plain\n',
      'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "-k plain"\n',
      'setup.cfg': '[tool:pytest]\naddopts = -k plain\n',
      'tox.ini': '[pytest]\naddopts = -k plain\n',
    }).map(([file, text]): Row => [6, file, [create(file, text)], file, true]),
    [7, 'pytest itself', [create('pytest.py', 'import sys\nsys.exit(0)\n')], 'pytest.py', true],
    [7, 'a part of it', [create('pluggy.py', 'import os\nos._exit(0)\n')], 'pluggy.py', true],
  ],
  unittest: [
    ...python(
      'self.assertEqual(total([120, 80], 25), 150)',
      '@unittest.skip("")\n    def test_d',
      'def test_d',
    ),
    [
      3,
      'by expectedFailure',
      [replace(test.py, 'def test_d', '@unittest.expectedFailure\n    def test_d')],
      test.py,
      true,
    ],
    [
      4,
      'the loading changed',
      [
        { op: 'delete', path: 'tests/__init__.py' },
        create(
          'tests/__init__.py',
          'def load_tests(*args):\n    import unittest\n    return unittest.TestSuite()\n',
        ),
      ],
      'tests/__init__.py',
      false,
    ],
    [
      7,
      'unittest itself',
      [create('unittest/__init__.py', ''), create('unittest/__main__.py', '')],
      'unittest/__init__.py',
      true,
    ],
  ],
  'node-test': [
    [1, 'the assertion weakened', [replace(test.js, 'total([120, 80], 25)', '150')], test.js, true],
    [2, 'the file deleted', [{ op: 'delete', path: test.js }], test.js, true],
    [3, 'by skip', [replace(test.js, "test('discount'", "test.skip('discount'")], test.js, true],
    [
      3,
      'by todo',
      [replace(test.js, "test('discount', ", "test('discount', { todo: true }, ")],
      test.js,
      true,
    ],
    [4, 'the file renamed', [{ op: 'rename', path: test.js, to: 'price.js' }], test.js, true],
    [
      4,
      'the test not declared',
      [replace(test.js, "test('discount', ", "void ('discount', ")],
      test.js,
      true,
    ],
    [
      6,
      'package.json',
      [replace('package.json', 'node --test', 'node --test test/plain.test.js')],
      'package.json',
      false,
    ],
    [6, 'a manifest beside the code', [create('src/package.json', '{}')], 'src/package.json', false],
    [6, 'a manifest beside the tests', [create('test/package.json', '{}')], 'test/package.json', false],
    [
      7,
      'a package in the place of another',
      [create('node_modules/helper/index.js', '')],
      'node_modules/helper/index.js',
      false,
    ],
    [8, 'options for node', [create('.npmrc', 'node-options=--import ./src/price.js\n')], '.npmrc', false],
    [
      8,
      'a configuration of node',
      [create('node.config.json', '{ "nodeOptions": { "import": ["./src/price.js"] } }')],
      'node.config.json',
      false,
    ],
    [24, 'another case', [create('TEST/price.test.js', '')], 'TEST/price.test.js', false],
    [24, 'another case of the manifest', [create('Package.json', '{}')], 'Package.json', false],
    [28, 'edited', [replace('node_modules/dep/index.js', '1', '2')], 'node_modules/dep/index.js', false],
    ...paths('src/price.js', 'test.js'),
  ],
};

export const plantsOf = (framework: FrameworkId): Plant[] =>
  rows[framework].map(([number, how, edits, path, green]) => ({
    number,
    how,
    framework,
    edits,
    path,
    green,
  }));

export const plants: Plant[] = (Object.keys(victims) as FrameworkId[]).flatMap(plantsOf);
