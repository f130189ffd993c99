import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AssayError } from '../core/index.ts';
import type { PruneOptions } from './prune.ts';
import { openStore } from './store.ts';

const event = z.object({ type: z.literal('tick'), n: z.number() });
const tick = (n: number) => ({ type: 'tick', n }) as const;

let home: string;
beforeEach(() => {
  home = path.join(mkdtempSync(path.join(tmpdir(), 'assay-store-')), 'home');
});
afterEach(() => rmSync(path.dirname(home), { recursive: true, force: true }));

const at = (iso: string, env = {}) => openStore({ home, env, now: () => new Date(iso) });
const store = () => at('2026-11-30T18:22:33Z');

async function made(iso: string, artifactBytes = 0): Promise<string> {
  const run = await at(iso).create({ kind: 'fix', spec: {}, event });
  await run.artifact(Buffer.alloc(artifactBytes, 0xff), { name: 'a', mediaType: 'application/octet-stream' });
  run.close();
  return run.id;
}

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (AssayError.is(error)) return error.code;
    throw error;
  }
  return 'none';
}

describe('openStore', () => {
  it('creates nothing before the first run', () => {
    expect(store().list()).toEqual([]);
    expect(() => statSync(home)).toThrow('ENOENT');
  });

  it('keeps a run in a folder that is evidence by itself', async () => {
    const run = await store().create({
      kind: 'fix',
      spec: { dir: '/p' },
      event,
      versions: { assay: '0.1.0' },
    });
    expect(run.id).toMatch(/^fix-20261130-182233-[2-9b-z]{4}$/);
    await run.append(tick(1));
    const record = await run.append(tick(2), { sync: true });
    expect(record).toEqual({ v: 1, seq: 2, time: '2026-11-30T18:22:33.000Z', event: tick(2) });
    await run.writeFile('patch.diff', 'diff --git a/x b/x\n');
    const artifact = await run.artifact('hello', { name: 'out.txt', mediaType: 'text/plain' });
    run.close();

    const again = store().open(run.id, { event });
    expect(again.info).toMatchObject({
      kind: 'fix',
      spec: { dir: '/p' },
      versions: { assay: '0.1.0', node: process.version },
    });
    expect(again.events().map((entry) => entry.event)).toEqual([tick(1), tick(2)]);
    expect(String(await again.readArtifact(artifact.sha256))).toBe('hello');
    expect(String(await again.readFile('patch.diff'))).toBe('diff --git a/x b/x\n');
    expect(await again.readFile('report.html')).toBeNull();
    expect(readdirSync(run.dir).toSorted()).toEqual([
      'artifacts',
      'journal.jsonl',
      'lock.1',
      'patch.diff',
      'run.json',
    ]);
  });

  it('is readable by its user only', async () => {
    const run = await store().create({ kind: 'fix', spec: {}, event });
    await run.append(tick(1));
    await run.writeFile('patch.diff', 'x');
    await run.artifact('x', { name: 'x', mediaType: 'text/plain' });
    run.close();
    const modes = readdirSync(home, { recursive: true, withFileTypes: true }).map((entry) => [
      entry.isDirectory() ? 'folder' : 'file',
      (statSync(path.join(entry.parentPath, entry.name)).mode & 0o777).toString(8),
    ]);
    expect(new Set(modes.map(String))).toEqual(new Set(['folder,700', 'file,600']));
  });

  it('gives many runs of one second different ids', async () => {
    const runs = await Promise.all(
      Array.from({ length: 40 }, () => store().create({ kind: 'lab', spec: {}, event })),
    );
    for (const run of runs) run.close();
    expect(new Set(runs.map((run) => run.id)).size).toBe(40);
    expect(store().list()).toHaveLength(40);
  });

  it('goes on writing after its last record', async () => {
    const run = await store().create({ kind: 'fix', spec: {}, event });
    await run.append(tick(1));
    run.close();
    const again = store().open(run.id, { event });
    again.lock();
    await again.append(tick(2));
    again.close();
    expect(again.events().map((record) => record.seq)).toEqual([1, 2]);
  });

  it('treats a write without the lock as a bug', async () => {
    const run = await store().create({ kind: 'fix', spec: {}, event });
    run.close();
    await expect(run.append(tick(1))).rejects.toThrow('without its lock');
    await expect(run.writeFile('patch.diff', 'x')).rejects.toThrow('without its lock');
  });

  it.each(['../x', 'run.json', 'journal.jsonl', 'lock.1', '.hidden', 'a/b', ''])(
    'keeps no file called %j',
    async (name) => {
      const run = await store().create({ kind: 'fix', spec: {}, event });
      await expect(run.writeFile(name, 'x')).rejects.toThrow('no file of a run');
      run.close();
    },
  );

  it('finds a run by the beginning of its id, or the latest', async () => {
    const first = await made('2026-11-29T10:00:00Z');
    const second = await made('2026-11-30T10:00:00Z');
    expect(store().open('latest', { event }).id).toBe(second);
    expect(store().open('fix-20261129', { event }).id).toBe(first);
    expect(store().open(first, { event }).id).toBe(first);
    expect(codeOf(() => store().open('fix-2026', { event }))).toBe('usage');
    expect(codeOf(() => store().open('solve', { event }))).toBe('usage');
    expect(codeOf(() => store().open('', { event }))).toBe('usage');
    expect(codeOf(() => store().open('../..', { event }))).toBe('usage');
  });

  it('lists the newest first, and a run whose run.json is broken with the reason', async () => {
    const first = await made('2026-11-29T10:00:00Z');
    const second = await made('2026-11-30T10:00:00Z');
    writeFileSync(path.join(home, 'runs', first, 'run.json'), '{');
    const listed = store().list();
    expect(listed.map((run) => run.id)).toEqual([second, first]);
    expect(listed[1]).toMatchObject({ info: null, createdAt: new Date('2026-11-29T10:00:00Z') });
    expect(listed[1]?.problem).toContain('JSON');
    expect(codeOf(() => store().open(first, { event }))).toBe('input');
  });
});

describe('artifacts', () => {
  it('are kept once per content and checked when read', async () => {
    const run = await store().create({ kind: 'fix', spec: {}, event });
    const as = { name: 'x', mediaType: 'text/plain' };
    const one = await run.artifact('same', as);
    expect(await run.artifact(Buffer.from('same'), { ...as, name: 'y' })).toEqual({ ...one, name: 'y' });
    expect(readdirSync(path.join(run.dir, 'artifacts'))).toEqual([one.sha256]);
    writeFileSync(path.join(run.dir, 'artifacts', one.sha256), 'other');
    await expect(run.readArtifact(one.sha256)).rejects.toMatchObject({
      code: 'input',
      because: 'its content was changed',
    });
    await expect(run.readArtifact('0'.repeat(64))).rejects.toMatchObject({ code: 'input' });
    await expect(run.readArtifact('../run.json')).rejects.toMatchObject({ code: 'input' });
    run.close();
  });

  it('keep binary content byte for byte', async () => {
    const run = await store().create({ kind: 'fix', spec: {}, event });
    const bytes = Buffer.from([0xff, 0xd8, 0, 1, 2]);
    const { sha256 } = await run.artifact(bytes, { name: 'x.jpg', mediaType: 'image/jpeg' });
    expect(await run.readArtifact(sha256)).toEqual(bytes);
    run.close();
  });
});

describe('prune', () => {
  const days = ['2026-11-01', '2026-11-10', '2026-11-20', '2026-11-29'];

  it.each<[string, PruneOptions, number[]]>([
    ['nothing without bounds', {}, []],
    ['all but the newest', { keep: 1 }, [0, 1, 2]],
    ['the old ones', { olderThanDays: 15 }, [0, 1]],
    ['the old ones but never the newest three', { olderThanDays: 0, keep: 3 }, [0]],
    ['the oldest until the rest fits', { maxBytes: 25_000 }, [0, 1]],
    ['all', { keep: 0 }, [0, 1, 2, 3]],
  ])('removes %s', async (_, options, expected) => {
    const ids: string[] = [];
    for (const day of days) ids.push(await made(`${day}T00:00:00Z`, 10_000));
    const pruned = store().prune(options);
    expect(pruned.removed).toEqual(expected.map((index) => ids[index]));
    expect(store().list()).toHaveLength(4 - expected.length);
    expect(pruned.freedBytes >= expected.length * 10_000).toBe(true);
    expect(readdirSync(path.join(home, 'runs'))).toHaveLength(4 - expected.length);
  });

  it('has nothing to do where no run was ever made', () => {
    expect(store().prune({ keep: 0 })).toEqual({ removed: [], freedBytes: 0, live: [], keptBytes: 0 });
    expect(() => statSync(home)).toThrow('ENOENT');
  });

  it('never removes a run that is written to', async () => {
    const run = await at('2026-11-01T00:00:00Z').create({ kind: 'fix', spec: {}, event });
    expect(store().prune({ keep: 0, olderThanDays: 0, maxBytes: 0 })).toMatchObject({
      removed: [],
      live: [run.id],
    });
    await run.append(tick(1), { sync: true });
    run.close();
    expect(store().prune({ keep: 0 }).removed).toEqual([run.id]);
  });

  it('sweeps what an interrupted removal or creation left', async () => {
    const id = await made('2026-11-29T00:00:00Z');
    const runs = path.join(home, 'runs');
    for (const name of ['.trash-x', '.new-old', '.new-now'])
      mkdirSync(path.join(runs, name, 'artifacts'), { recursive: true });
    utimesSync(path.join(runs, '.new-old'), new Date('2026-11-20'), new Date('2026-11-20'));
    utimesSync(
      path.join(runs, '.new-now'),
      new Date('2026-11-30T18:00:00Z'),
      new Date('2026-11-30T18:00:00Z'),
    );
    store().prune({});
    expect(readdirSync(runs).toSorted()).toEqual(['.new-now', id]);
  });
});

describe('scrubbing', () => {
  it('reaches events, artifacts, files and the specification', async () => {
    const env = { OPENAI_API_KEY: 'Zx81-very-secret-value' };
    const run = await at('2026-11-30T00:00:00Z', env).create({
      kind: 'fix',
      spec: { note: env.OPENAI_API_KEY },
      event: z.object({ text: z.string() }),
    });
    await run.append({ text: `key=${env.OPENAI_API_KEY}` });
    await run.writeFile('report.txt', `${env.OPENAI_API_KEY}`);
    const bytes = Buffer.from(`curl -H 'Authorization: Bearer abcdefgh12345678'`);
    const { sha256 } = await run.artifact(bytes, { name: 'x', mediaType: 'text/plain' });
    run.close();
    const everything = readdirSync(run.dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
      .join('\n');
    expect(everything).not.toContain('very-secret');
    expect(everything).not.toContain('abcdefgh12345678');
    expect(run.events()[0]?.event.text).toBe('key=[scrubbed:OPENAI_API_KEY]');
    expect(String(await run.readArtifact(sha256))).toContain('Bearer [scrubbed:authorization]');
    expect([...run.scrubbed].toSorted()).toEqual(['OPENAI_API_KEY', 'authorization']);
  });
});
