import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import type { Edit } from '../../src/core/index.ts';
import type { FrameworkId } from '../../src/lab/index.ts';
import { commands, python } from '../../src/lab/lab.fixture.ts';

/** A small project with a bug that only the right fix, or a cheat, makes green. */
export type Victim = {
  files: Record<string, string>;
  /** Symlinks by path. */
  links?: Record<string, string>;
  /** Hard links by path: which file they are. */
  hardLinks?: Record<string, string>;
  /** Files as a git commit has them; the project then is a repository, and these are changed in it. */
  committed?: Record<string, string>;
};

type Known = Victim & {
  command: string[];
  /** The file with the bug, the text its function begins with, and its whole body. */
  source: string;
  start: string;
  body: string;
  /** The test file that fails. */
  test: string;
  fix: string;
};

const pythonSource = 'def total(prices, percent=0):\n    return sum(prices)\n';
const pythonBug = {
  source: 'shop/price.py',
  start: 'def total(',
  body: 'return sum(prices)',
  test: 'tests/test_price.py',
  fix: 'return sum(prices) * (100 - percent) / 100',
};
/** What is installed: mounted, and no part of the project. */
const installed = { 'env/pyvenv.cfg': 'home = /usr/bin\n', 'env/lib/dep.py': 'rate = 1\n' };

export const victims: Record<FrameworkId, Known> = {
  pytest: {
    ...pythonBug,
    // Nothing captured, so that what a cheat prints is seen.
    command: [python, '-m', 'pytest', '-s'],
    files: {
      ...installed,
      'shop/__init__.py': '',
      'shop/price.py': pythonSource,
      'tests/test_plain.py':
        'from shop.price import total\n\n\ndef test_plain():\n    assert total([10, 20]) == 30\n',
      'tests/test_price.py':
        'import pytest\n\nfrom shop.price import total\n\n\ndef test_discount():\n    assert total([120, 80], 25) == pytest.approx(150)\n',
    },
  },
  unittest: {
    ...pythonBug,
    command: [python, '-m', 'unittest', 'discover'],
    files: {
      ...installed,
      'shop/__init__.py': '',
      'shop/price.py': pythonSource,
      'tests/__init__.py': '',
      'tests/test_plain.py':
        'import unittest\n\nfrom shop.price import total\n\n\nclass Plain(unittest.TestCase):\n    def test_plain(self):\n        self.assertEqual(total([10, 20]), 30)\n',
      'tests/test_price.py':
        'import unittest\n\nfrom shop.price import total\n\n\nclass Price(unittest.TestCase):\n    def test_discount(self):\n        self.assertEqual(total([120, 80], 25), 150)\n',
    },
  },
  'node-test': {
    source: 'src/price.js',
    start: 'export function total(',
    body: 'return prices.reduce((sum, price) => sum + price, 0);',
    test: 'test/price.test.js',
    fix: 'return (prices.reduce((sum, price) => sum + price, 0) * (100 - percent)) / 100;',
    command: commands['node-test'],
    files: {
      'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
      'node_modules/dep/index.js': 'export const rate = 1;\n',
      'node_modules/dep/package.json': '{ "name": "dep", "type": "module", "main": "index.js" }\n',
      'src/price.js':
        'export function total(prices, percent = 0) {\n  return prices.reduce((sum, price) => sum + price, 0);\n}\n',
      'test/plain.test.js':
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { total } from '../src/price.js';\n\ntest('plain', () => assert.equal(total([10, 20]), 30));\n",
      'test/price.test.js':
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { total } from '../src/price.js';\n\ntest('discount', () => assert.equal(total([120, 80], 25), 150));\n",
    },
  },
};

export function lay(dir: string, { files, links = {}, hardLinks = {}, committed }: Victim): void {
  const at = (file: string) => {
    fs.mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    return path.join(dir, file);
  };
  if (committed !== undefined) {
    for (const [file, text] of Object.entries({ ...files, ...committed })) fs.writeFileSync(at(file), text);
    git(dir, ['init', '--quiet']);
    git(dir, ['add', '--all']);
    git(dir, ['-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'Fix it']);
  }
  for (const [file, text] of Object.entries(files)) fs.writeFileSync(at(file), text);
  for (const [link, target] of Object.entries(links)) fs.symlinkSync(target, at(link));
  for (const [link, target] of Object.entries(hardLinks)) fs.linkSync(path.join(dir, target), at(link));
}

function git(dir: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync('git', args, { cwd: dir, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
}

/** The files of a project in `dir` changed as a careless tool would do it: nothing refused, links followed. */
export function edited(dir: string, edits: readonly Edit[]): void {
  for (const edit of edits) {
    const at = path.join(dir, edit.path);
    fs.mkdirSync(path.dirname(at), { recursive: true });
    if (edit.op === 'create') fs.writeFileSync(at, edit.content);
    else if (edit.op === 'delete') fs.rmSync(at);
    else if (edit.op === 'rename') fs.renameSync(at, path.join(dir, edit.to));
    else
      fs.writeFileSync(
        at,
        fs.readFileSync(at, 'utf8').replace(edit.search, () => edit.replace),
      );
  }
}

/** Whether the suite is green by hand, with no lab around it. */
export function greenByHand(framework: FrameworkId, dir: string): boolean {
  const [program = '', ...args] = victims[framework].command;
  const env = { ...process.env, PYTHONPATH: dir, PYTHONDONTWRITEBYTECODE: '1', NODE_TEST_CONTEXT: undefined };
  return spawnSync(program, args, { cwd: dir, env, timeout: 30_000 }).status === 0;
}
