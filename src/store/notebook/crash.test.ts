import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readNotebook } from './read-notebook.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'assay-notebook-crash-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Lets a writer save so many cells, then kills it so many milliseconds later; the last cell that it said was saved. */
async function killAfter(file: string, cells: number, ms: number): Promise<number> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'notebook.child.ts'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let saved = 0;
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    saved = Number(line);
    if (saved === cells) setTimeout(() => child.kill('SIGKILL'), ms);
  });
  await once(child, 'close');
  expect(child.signalCode).toBe('SIGKILL');
  return saved;
}

describe('a notebook whose writer is killed', () => {
  it('is whole with every cell that was saved, at any instant', async () => {
    const file = path.join(dir, 'notebook.ipynb');
    for (let round = 0; round < 12; round++) {
      const saved = await killAfter(file, 2 + round * 3, round * 0.7);
      const { cells } = await readNotebook(file);
      expect(saved).toBeGreaterThan(1);
      // The last one may be saved before its writer could say so.
      expect(cells.length - saved).toBeOneOf([0, 1]);
      expect(cells.at(-1)).toMatchObject({ source: `f(${cells.length})` });
    }
  });
});
