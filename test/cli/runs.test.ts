import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  errorResultSchema,
  type RepairEvent,
  repairEventSchema,
  repairResultSchema,
} from '../../src/core/index.ts';
import { madeSpec } from '../../src/loop/index.ts';
import { openStore } from '../../src/store/index.ts';
import { assay, type Ended, processesWith, start, until } from './process.ts';
import { folder, mending, newMark, project, redProject, replay, slowTest } from './project.ts';

const errorOf = ({ stdout }: Ended) => errorResultSchema.parse(JSON.parse(stdout));

const listSchema = z.object({
  schema: z.literal('assay-runs/1'),
  runs: z.array(z.object({ id: z.string(), dir: z.string(), status: z.string(), live: z.boolean() })),
});

/** A run that was cut right after its start. Runs made one after the other have different ids. */
async function makeRun(home: string): Promise<string> {
  const run = await openStore({ home }).create<RepairEvent>({
    kind: 'fix',
    spec: madeSpec(),
    event: repairEventSchema,
  });
  await run.append({ type: 'run_started', spec: madeSpec() });
  run.close();
  return run.id;
}

describe('runs of a home', () => {
  let home: string;
  const ids: string[] = [];

  beforeAll(async () => {
    home = folder('home');
    for (let n = 0; n < 4; n += 1) ids.push(await makeRun(home));
  });

  it('are listed newest first, for people and for programs', async () => {
    const { code, stdout } = await assay(['runs'], { home });
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(4);
    expect(stdout).toMatch(
      /^fix-\S+ {2}stopped {2}just now {2}\/project {2}\(assay resume fix-\S+ goes on with it\)\n/,
    );
    const { runs } = listSchema.parse(JSON.parse((await assay(['runs', '--json'], { home })).stdout));
    expect(runs.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(runs.every(({ live, dir }) => !live && existsSync(dir))).toBe(true);
    const none = await assay(['runs'], { home: folder('nothing') });
    expect([none.code, none.stdout]).toEqual([0, '']);
    expect(none.stderr).toMatch(/^no runs yet in /);
  });

  it('are named by the beginning of their id, as long as it is the beginning of one', async () => {
    const [id = ''] = ids;
    const { stdout } = await assay(['show', id.slice(0, -1), '--json'], { home });
    expect(repairResultSchema.parse(JSON.parse(stdout)).run).toBe(id);
    const several = await assay(['show', 'fix-', '--json'], { home });
    expect(several.code).toBe(2);
    expect(errorOf(several).error).toMatchObject({ code: 'usage', message: '4 runs begin with fix-' });
    expect(errorOf(several).error.because).toContain(id);
  });

  it('with a damaged journal are told apart, and neither shown nor gone on with', async () => {
    const damaged = await makeRun(home);
    const journal = path.join(home, 'runs', damaged, 'journal.jsonl');
    const before = readFileSync(journal, 'utf8');
    appendFileSync(journal, '{"v":1,"seq":7,"time":"2026-01-01T00:00:00.000Z","event":{"type":"stopped"}}\n');
    for (const command of [['show'], ['resume'], ['apply']]) {
      const ended = await assay([...command, damaged, '--json'], { home });
      expect(ended.code, ended.stderr).toBe(1);
      expect(errorOf(ended)).toMatchObject({
        run: damaged,
        error: { code: 'input', message: expect.stringMatching(/journal\.jsonl line 2 is corrupt$/) },
      });
    }
    const { runs } = listSchema.parse(JSON.parse((await assay(['runs', '--json'], { home })).stdout));
    expect(runs.find(({ id }) => id === damaged)?.status).toBe('unreadable');
    // A torn last line is what a crash leaves: it is left out, and nothing is wrong.
    writeFileSync(journal, `${before}{"v":1,"seq":2,"ti`);
    expect((await assay(['show', damaged], { home })).code).toBe(0);
    rmSync(path.join(home, 'runs', damaged), { recursive: true });
  });

  it('that do not say what they are are unreadable, in a sentence', async () => {
    const damaged = await makeRun(home);
    writeFileSync(path.join(home, 'runs', damaged, 'run.json'), '{}');
    for (const command of ['show', 'resume', 'apply']) {
      const ended = await assay([command, damaged, '--json'], { home });
      expect(ended.code, ended.stderr).toBe(1);
      const { run, error } = errorOf(ended);
      expect([run, error.code]).toEqual([damaged, 'input']);
      expect(error.because).toMatch(/^schema: [^\n{[]+$/);
    }
    rmSync(path.join(home, 'runs', damaged), { recursive: true });
  });

  it('that were cut before their first event can be listed, and say so', async () => {
    const empty = await makeRun(home);
    writeFileSync(path.join(home, 'runs', empty, 'journal.jsonl'), '');
    const ended = await assay(['show', empty, '--json'], { home });
    expect(ended.code).toBe(1);
    expect(errorOf(ended).error.message).toMatch(/was cut before it began/);
    expect((await assay(['runs'], { home })).stdout).toContain(empty);
    rmSync(path.join(home, 'runs', empty), { recursive: true });
  });

  it('are pruned by number, age and size', async () => {
    const kept = await assay(['runs', 'prune', '--older-than', '1', '--json'], { home });
    expect(JSON.parse(kept.stdout)).toMatchObject({ schema: 'assay-prune/1', removed: [] });
    const { code, stdout, stderr } = await assay(['runs', 'prune', '--keep', '3'], { home });
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 1]);
    expect(stderr).toMatch(/^removed 1 run, /);
    const all = await assay(['runs', 'prune', '--max-size', '1', '--json'], { home });
    expect(JSON.parse(all.stdout).removed).toHaveLength(3);
    expect(openStore({ home }).list()).toEqual([]);
  });
});

describe('a run that goes on', () => {
  it('is listed as such, cannot be taken up or pruned by others, and can be watched', async () => {
    const [home, mark] = [folder('home'), newMark()];
    const dir = project({ ...redProject, 'tests/test_slow.py': slowTest(mark, 60) });
    const running = start(['fix', dir, '--model', replay([mending]), '--per-test', '100', '--json'], {
      home,
    });
    await until('a test at work', () => processesWith(mark).length > 0);
    const list = await assay(['runs', '--json'], { home });
    expect(listSchema.parse(JSON.parse(list.stdout)).runs).toMatchObject([{ live: true, status: 'running' }]);
    const [run] = openStore({ home }).list();
    const second = await assay(['resume', 'latest', '--json'], { home });
    expect(second.code, second.stderr).toBe(1);
    expect(errorOf(second)).toMatchObject({
      run: run?.id,
      error: { code: 'locked', message: expect.stringContaining(`process ${running.child.pid}`) },
    });
    expect(second.stderr).toMatch(/fix: Wait for it to end, or stop it/);
    const pruned = await assay(['runs', 'prune', '--max-size', '1', '--json'], { home });
    expect(JSON.parse(pruned.stdout)).toMatchObject({ removed: [], live: [run?.id] });
    expect((await assay(['show', '--events'], { home })).stdout).toContain('"baseline"');
    const shown = await assay(['show'], { home });
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringContaining('running: a process works on it now'),
    ]);
    running.child.kill('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect(code, stderr).toBe(130);
    expect(repairResultSchema.parse(JSON.parse(stdout)).status).toBe('aborted');
    expect((await assay(['runs', 'prune', '--max-size', '1', '--json'], { home })).code).toBe(0);
    expect(openStore({ home }).list()).toEqual([]);
  });
});

describe('assay show', () => {
  it('tells the steps, the result, and on request the patch or the other patches alone', async () => {
    const home = folder('home');
    const model = replay([mending]);
    const file = model.slice('replay:'.length);
    const recording = JSON.parse(readFileSync(file, 'utf8'));
    const other = { op: 'replace', path: 'shop.py', search: 'total < 100', replace: 'total < 101' };
    recording.replies[0].alternatives = [{ motivation: 'less than a hundred and one', edits: [other] }];
    writeFileSync(file, JSON.stringify(recording));
    const fix = await assay(['fix', project(redProject), '--model', model], { home });
    expect(fix.code, fix.stderr).toBe(0);
    expect(fix.stdout).toMatch(/^others +1 other patch passes too: assay show \S+ --alternatives$/m);
    const { stdout } = await assay(['show'], { home });
    expect(stdout).toMatch(/^fix \/.* with replay:.*\nbaseline: 1 of 2 fail .*\nbaseline again: 1 of 2 fail/);
    expect(stdout.endsWith(fix.stdout)).toBe(true);
    const { stdout: patch } = await assay(['show', '--patch'], { home });
    expect(patch).toMatch(/^diff --git a\/shop\.py b\/shop\.py\n[\s\S]*\+ {4}if total <= 100:\n/);
    const { stdout: others } = await assay(['show', '--alternatives'], { home });
    expect(others).toMatch(/^less than a hundred and one\n\ndiff --git [\s\S]*\+ {4}if total < 101:\n/);
    const both = await assay(['show', '--patch', '--json'], { home });
    expect(both.code).toBe(2);
  });
});

describe.concurrent('resume of a run that has ended', () => {
  it.each([
    ['done', [mending], 0],
    ['stuck', [], 3],
  ])('%s prints what the run did, to people and to programs', async (_, replies, exit) => {
    const home = folder('home');
    const ended = await assay(['fix', project(redProject), '--model', replay(replies)], { home });
    expect(ended.code, ended.stderr).toBe(exit);
    const again = await assay(['resume', 'latest'], { home });
    expect([again.code, again.stdout]).toEqual([exit, ended.stdout]);
    expect(again.stdout).toMatch(/^next /m);
    const result = repairResultSchema.parse(
      JSON.parse((await assay(['resume', 'latest', '--json'], { home })).stdout),
    );
    const shown = await assay(['show', 'latest', '--json'], { home });
    expect(result).toEqual(JSON.parse(shown.stdout));
    const [, next] = /^next +(.*)$/m.exec(ended.stdout) ?? [];
    expect(result.fix).toBe(exit === 0 ? null : next);
  });
});
