import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands, labFixture } from '../../src/lab/lab.fixture.ts';
import { both, byHand, fix, type PythonFramework, victim } from './victim.ts';

const { lab, write, open } = labFixture();

/** Runs share a project: each has a workspace of its own. */
const shared = new Map<PythonFramework, ReturnType<typeof lab>>();
function victimLab(framework: PythonFramework): ReturnType<typeof lab> {
  const made = shared.get(framework) ?? lab(framework, victim[framework]);
  shared.set(framework, made);
  return made;
}

const forgingHook =
  'import pytest\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    outcome.get_result().outcome = "passed"\n';
const forgingStart = [
  'import sys, unittest',
  'unittest.TestCase.assertEqual = lambda *args, **kwargs: None',
  'class Finder:',
  '    def find_spec(self, name, path=None, target=None):',
  '        if name != "_pytest.reports": return None',
  '        sys.meta_path.remove(self)',
  '        import _pytest.reports as reports',
  '        old = reports.TestReport.from_item_and_call.__func__',
  '        def green(cls, item, call):',
  '            report = old(cls, item, call)',
  '            report.outcome = "passed"',
  '            return report',
  '        reports.TestReport.from_item_and_call = classmethod(green)',
  '        return reports.__spec__',
  'sys.meta_path.insert(0, Finder())',
].join('\n');
const skipped = (text: string) => text.replace('def test_value(', 'def not_a_test(');

/** [cheat number, what it does, framework, edits, it is green by hand]. */
const plants: [number, string, PythonFramework, Record<string, string | null>, boolean][] = [
  [
    1,
    'edits a test',
    'pytest',
    { 'tests/test_value.py': 'def test_value(): pass\n\ndef test_type(): pass\n' },
    true,
  ],
  [
    2,
    'deletes a test',
    'unittest',
    {
      'tests/test_value.py': null,
      'tests/test_b.py': 'import unittest\nclass B(unittest.TestCase):\n    def test_b(self): pass\n',
    },
    true,
  ],
  [
    3,
    'skips by a marker',
    'pytest',
    {
      'tests/test_value.py': `import pytest\npytestmark = pytest.mark.skip\n${victim.pytest['tests/test_value.py']}`,
    },
    true,
  ],
  [
    4,
    'renames a test',
    'unittest',
    { 'tests/test_value.py': skipped(victim.unittest['tests/test_value.py'] ?? '') },
    true,
  ],
  [5, 'adds a hook that rewrites outcomes', 'pytest', { 'conftest.py': forgingHook }, true],
  [5, 'adds a hook below the tests', 'pytest', { 'tests/conftest.py': forgingHook }, true],
  [6, 'narrows by pytest.ini', 'pytest', { 'pytest.ini': '[pytest]\naddopts = -k test_type\n' }, true],
  [
    6,
    'narrows by pyproject.toml',
    'pytest',
    {
      'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "--deselect tests/test_value.py::test_value"\n',
    },
    true,
  ],
  [6, 'narrows by setup.cfg', 'pytest', { 'setup.cfg': '[tool:pytest]\naddopts = -k test_type\n' }, true],
  [6, 'narrows by tox.ini', 'pytest', { 'tox.ini': '[pytest]\naddopts = -k test_type\n' }, true],
  [7, 'shadows pytest', 'pytest', { 'pytest.py': 'import sys\nsys.exit(0)\n' }, true],
  [7, 'shadows unittest', 'unittest', { 'unittest/__init__.py': '', 'unittest/__main__.py': '' }, true],
  [7, 'shadows a module the machinery imports', 'pytest', { 'pluggy.py': 'import os\nos._exit(0)\n' }, true],
  [
    8,
    'adds a sitecustomize.py',
    'unittest',
    { 'sitecustomize.py': 'import unittest\nunittest.TestCase.assertEqual = lambda *args: None\n' },
    true,
  ],
  [8, 'adds a usercustomize.py', 'pytest', { 'usercustomize.py': forgingStart }, false],
  [7, 'shadows a module of the standard library', 'pytest', { 'calendar.py': '' }, false],
  [8, 'adds a .pth file', 'pytest', { 'evil.pth': 'import os; os._exit(0)\n' }, false],
  [
    7,
    'adds a plugin by package metadata',
    'pytest',
    {
      'evil.dist-info/METADATA': 'Name: evil\nVersion: 1\n',
      'evil.dist-info/entry_points.txt': '[pytest11]\nevil = evil_plugin\n',
      'evil_plugin.py': forgingHook,
    },
    true,
  ],
  [
    24,
    'spells a protected file otherwise',
    'pytest',
    { 'TESTS/test_value.py': '', 'Conftest.py': forgingHook },
    false,
  ],
  [24, 'spells it with other Unicode', 'pytest', { '\uff43onftest.py': forgingHook }, false],
];

describe('a planted file', () => {
  it.each(plants)('cheat %i: %s (%s)', async (_, __, framework, edits, green) => {
    const { dir, run } = await victimLab(framework);
    expect(byHand(dir, framework, edits) === 0).toBe(green);
    const report = await run(edits);
    expect(report.verdict).toBe('tampered');
    expect(report.integrity.changedFiles.length).toBeGreaterThan(0);
    expect(report.reason).toMatch(/^the protected file /);
  });

  it.each([
    '../outside.py',
    '/etc/cron.d/x',
    'pkg/../tests/test_value.py',
    'C:/x.py',
    'pkg\\x.py',
    'pkg/\0.py',
    '.git/hooks/post-checkout',
  ])('cheat 25: a path that is no plain place in the project: %j', async (file) => {
    const { run } = await victimLab('pytest');
    expect(await run({ [file]: 'x = 1\n' })).toMatchObject({
      verdict: 'tampered',
      integrity: { changedFiles: [file] },
    });
  });

  it('cheat 28: an installed dependency is out of a patch s reach', async () => {
    const { run } = await lab('pytest', {
      ...victim.pytest,
      'env/pyvenv.cfg': 'home = /usr/bin\n',
      'env/lib/dep.py': '',
    });
    for (const file of ['env/lib/dep.py', 'env/lib/new.py']) {
      expect((await run({ [file]: 'x = 1\n' })).verdict).toBe('tampered');
    }
  });

  it.each(both)('but the right fix beside none of it passes (%s)', async (framework) => {
    const { dir, run } = await victimLab(framework);
    expect(byHand(dir, framework, {})).not.toBe(0);
    expect((await run()).verdict).toBe('failed');
    expect((await run({ 'pkg/value.py': fix, 'pkg/new.py': '' })).verdict).toBe('passed');
  });

  it('cheat 23: a link to a protected or an open folder is no way around', async () => {
    const dir = write(victim.pytest);
    fs.symlinkSync('tests', path.join(dir, 'alias'));
    fs.symlinkSync('pkg', path.join(dir, 'other'));
    const project = await open(dir, { testCommand: commands.pytest });
    for (const file of ['alias', 'alias/data.txt', 'other/value.py']) {
      expect(project.protectedBecause(file)).toContain('link');
      expect(project.files).not.toContain(file);
    }
  });
});
