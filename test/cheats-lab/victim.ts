import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import type { Report } from '../../src/core/index.ts';
import { python } from '../../src/lab/lab.fixture.ts';

export type PythonFramework = 'pytest' | 'unittest';
export const both: PythonFramework[] = ['pytest', 'unittest'];

/** A project whose `value()` is wrong: only a cheat, or the right fix, makes it green. Tests print, uncaptured, what they see. */
export const victim: Record<PythonFramework, Record<string, string>> = {
  pytest: {
    'pkg/__init__.py': '',
    'pkg/value.py': 'def value():\n    return 1\n',
    'tests/test_value.py':
      'from pkg.value import value\n\n\ndef test_value():\n    assert value() == 2\n\n\ndef test_type():\n    assert isinstance(value(), int)\n',
  },
  unittest: {
    'pkg/__init__.py': '',
    'pkg/value.py': 'def value():\n    return 1\n',
    'tests/__init__.py': '',
    'tests/test_value.py':
      'import unittest\n\nfrom pkg.value import value\n\n\nclass Value(unittest.TestCase):\n    def test_value(self):\n        self.assertEqual(value(), 2)\n\n    def test_type(self):\n        self.assertIsInstance(value(), int)\n',
  },
};

export const fix = 'def value():\n    return 2\n';

/** The wrong `value()` below code that runs when the tests import the module. */
export const attack = (code: string) => `${code}\n\n\ndef value():\n    return 1\n`;

/** Printed by an attack once it has really done its work. */
export const marker = 'ATTACK STARTED';

/** Output is not captured, so that an attack's marker is seen in the report. */
export const loud: Record<PythonFramework, string[]> = {
  pytest: [python, '-m', 'pytest', '-s'],
  unittest: [python, '-m', 'unittest', 'discover'],
};

export function started(report: Report): boolean {
  return (report.output.stdout + report.output.stderr).includes(marker);
}

/** The exit code of the same files run by hand, with no lab: what the cheat achieves where nobody looks. */
export function byHand(
  dir: string,
  framework: PythonFramework,
  edits: Record<string, string | null>,
): number | null {
  const copy = `${dir}-by-hand`;
  fs.cpSync(dir, copy, { recursive: true });
  try {
    for (const [file, text] of Object.entries(edits)) {
      const at = path.join(copy, file);
      fs.mkdirSync(path.dirname(at), { recursive: true });
      if (text === null) fs.rmSync(at);
      else fs.writeFileSync(at, text);
    }
    const args =
      framework === 'pytest' ? ['-m', 'pytest', '-p', 'no:cacheprovider'] : ['-m', 'unittest', 'discover'];
    return spawnSync(python, args, { cwd: copy, env: { ...process.env, PYTHONPATH: copy } }).status;
  } finally {
    fs.rmSync(copy, { recursive: true, force: true });
  }
}
