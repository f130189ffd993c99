import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openStore } from './store.ts';

const event = z.object({ n: z.number(), text: z.string() });
const script = (name: string) => path.join(import.meta.dirname, name);

let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'assay-crash-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const store = () => openStore({ home, env: {} });

/** Collects the numbers that the child says are safe: written with sync before it spoke. */
function acknowledged(child: ChildProcess): () => number {
  let output = '';
  child.stdout?.on('data', (data: Buffer) => {
    output += data;
  });
  return () =>
    Math.max(
      0,
      ...output
        .slice(0, output.lastIndexOf('\n') + 1)
        .split('\n')
        .map(Number),
    );
}

describe('a process that is killed while it writes', () => {
  it('leaves a clean prefix with everything it had synced, every time', { timeout: 120_000 }, async () => {
    let lengths = 0;
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const child = spawn(process.execPath, [script('crash.child.ts'), home], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const safe = acknowledged(child);
      await once(child.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
      child.kill('SIGKILL');
      await once(child, 'close');
      const run = store().open('latest', { event });
      expect(run.live).toBe(false);
      const numbers = run.events().map((record) => record.event.n);
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      expect(numbers.length >= safe()).toBe(true);
      lengths += numbers.length;

      run.lock();
      await run.append({ n: -1, text: 'after the crash' }, { sync: true });
      run.close();
      expect(run.events()).toHaveLength(numbers.length + 1);
      expect(store().prune({ keep: 0 }).removed).toEqual([run.id]);
    }
    expect(lengths > 20).toBe(true);
    expect(readdirSync(path.join(home, 'runs'))).toEqual([]);
  });

  it('leaves no half a file under a final name', { timeout: 60_000 }, async () => {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const child = spawn(process.execPath, [script('crash.child.ts'), home, 'files'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
      child.kill('SIGKILL');
      await once(child, 'close');
      const run = store().open('latest', { event });
      const report = readFileSync(path.join(run.dir, 'report.txt'), 'utf8');
      expect(report).toMatch(/^(\d+)(,\1){9999}$/);
    }
  });
});

describe('a disk that refuses', () => {
  /** Runs the child with `home` on a file system of its own: inside a mount namespace nobody else sees. */
  function onMount(mount: string): { stdout: string; status: number | null } {
    const root = process.getuid?.() === 0 ? [] : ['--map-root-user'];
    const command = `${mount} && exec "$@"`;
    const result = spawnSync(
      'unshare',
      [...root, '--mount', 'sh', '-c', command, home, process.execPath, script('full-disk.child.ts'), home],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    );
    return { stdout: result.stdout, status: result.status };
  }

  it('when full: the write is refused in words, the journal stays whole, and goes on when there is room', () => {
    const { stdout, status } = onMount('mount -t tmpfs -o size=256k tmpfs "$0"');
    expect(status).toBe(0);
    const outcome = z
      .object({
        code: z.string(),
        fix: z.string(),
        whole: z.boolean(),
        events: z.number(),
        after: z.number(),
        artifact: z.string(),
      })
      .parse(JSON.parse(stdout));
    expect(outcome).toMatchObject({ code: 'environment', whole: true, artifact: 'environment' });
    expect(outcome.fix).toContain('Free space');
    expect(outcome.events > 0).toBe(true);
    expect(outcome.after).toBe(outcome.events + 1);
  });

  it('when read-only: creating a run is refused in words', () => {
    const { stdout, status } = onMount('mount -t tmpfs -o ro tmpfs "$0"');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'environment',
      fix: expect.stringContaining('ASSAY_HOME'),
    });
  });

  it.each(['/dev/null/home', '/proc/none/home'])('when it is %s: refused in words', async (impossible) => {
    const created = openStore({ home: impossible, env: {} }).create({ kind: 'fix', spec: {}, event });
    await expect(created).rejects.toMatchObject({
      code: 'environment',
      fix: expect.stringContaining('ASSAY_HOME'),
    });
  });
});
