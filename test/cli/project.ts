import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

export type Files = Record<string, string | Uint8Array>;

const folders: string[] = [];
afterAll(() => {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true });
});

/** A new folder that is gone when the tests of the file are over. */
export function folder(name: string): string {
  const dir = mkdtempSync(path.join(os.tmpdir(), `assay-cli-${name}-`));
  // Others may look into a folder that is mounted or read under another uid.
  chmodSync(dir, 0o755);
  folders.push(dir);
  return dir;
}

/** A project of these files in a new folder. */
export function project(files: Files): string {
  const dir = folder('project');
  lay(dir, files);
  return dir;
}

export function lay(dir: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(dir, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

export const shop = `def tier(total):
    if total < 100:
        return 'small'
    return 'large'
`;

export const mended = shop.replace('total < 100', 'total <= 100');

export const shopTests = `import unittest
from shop import tier


class Tier(unittest.TestCase):
    def test_small(self):
        self.assertEqual(tier(99), 'small')

    def test_hundred(self):
        self.assertEqual(tier(100), 'small')
`;

/** One honest bug; unittest, because it starts fastest. */
export const redProject: Files = {
  'shop.py': shop,
  'tests/__init__.py': '',
  'tests/test_shop.py': shopTests,
};

export const greenProject: Files = { ...redProject, 'shop.py': mended };

/** A test that leaves `mark` in the command line of a process while it runs. */
export function slowTest(mark: string, seconds: number): string {
  return `import subprocess
import time
import unittest


class Slow(unittest.TestCase):
    def test_slow(self):
        sleeper = subprocess.Popen(['sleep', '${mark}'])
        try:
            time.sleep(${seconds})
        finally:
            sleeper.kill()
            sleeper.wait()
`;
}

let marks = 0;

/** A number of seconds that no other process sleeps. */
export function newMark(): string {
  marks += 1;
  return `86400.${process.pid}${marks}`;
}

type Reply = { motivation: string; path?: string; search: string; replace: string };

/** A recording of proposals, one replaced text each, as a value for `--model`. */
export function replay(replies: Reply[]): string {
  const file = path.join(folder('replay'), 'recording.json');
  const recording = {
    schema: 'assay-replay/1',
    recorded: { by: 'hand-written' },
    replies: replies.map(({ motivation, path: at = 'shop.py', search, replace }) => ({
      kind: 'proposal',
      motivation,
      edits: [{ op: 'replace', path: at, search, replace }],
      alternatives: [],
      usage: { tokens: 0, costUsd: 0, candidates: 0, wallMs: 0 },
    })),
  };
  writeFileSync(file, JSON.stringify(recording));
  return `replay:${file}`;
}

export const mending: Reply = {
  motivation: 'a hundred is small',
  search: 'total < 100',
  replace: 'total <= 100',
};
