import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readNotebook } from '../../src/store/index.ts';
import { expectError, runsIn } from './expectations.ts';
import { asking, serve } from './model.ts';
import { assay, processesWith, start, until } from './process.ts';
import { folder } from './project.ts';
import { kernelEnv, runs, says } from './solve-replies.ts';
import { answer, readCell, recorded, rightCell, scene, solved, wrongCell } from './solve-scene.ts';

const wholeRun = [runs(readCell), runs(wrongCell), runs(rightCell), says(answer)];

describe.concurrent('assay solve', () => {
  it('answers from cells that ran over HTTP, says once who gets what, and leaves files and a notebook', async () => {
    const [home, { task, data }, server] = [folder('home'), scene(), await serve(wholeRun)];
    const args = ['solve', task, '--data', data, ...asking(server), '--json'];
    const ended = await assay(args, { home, env: kernelEnv });
    expect(ended.code, ended.stderr).toBe(0);
    const result = solved(ended);
    expect(result).toMatchObject({
      status: 'complete',
      turns: 4,
      cells: 3,
      subtasks: [{ turns: 4, cells: 3, failed: 1, summary: answer, end: { status: 'complete' } }],
      usage: { tokens: 3 * 540 + 620, costUsd: null },
      warnings: [],
    });
    expect(readFileSync(path.join(result.dir, 'files/apples.txt'), 'utf8')).toBe('8');
    expect(readdirSync(data)).toEqual(['stock.csv']);
    expect(existsSync(path.join(result.dir, 'work'))).toBe(false);
    const notebook = await readNotebook(path.join(result.dir, 'notebook.ipynb'));
    expect(notebook.cells.filter((cell) => cell.cell_type === 'code')).toHaveLength(3);
    const told = ended.stderr.split('\n').filter((line) => line.includes('now go to'));
    expect(told).toEqual([
      expect.stringMatching(/what cells print of the data .*127\.0\.0\.1.*openai-compatible\/x/),
    ]);
    // The error of the second cell reached the model.
    expect(JSON.stringify(server.requests[2]?.body)).toContain('TypeError');
  });

  it('shows subtask, cells and their end while it goes on, and what to do at the end', async () => {
    const home = folder('home');
    const { dir, task, data } = scene('# One\nHow many apples?\n# Two\nHow many pears?');
    const pears = `print(sum(int(row['count']) for row in rows if row['fruit'] == 'pear'))`;
    const model = recorded(dir, [...wholeRun, runs(pears), says('There are 4 pears.')]);
    const ended = await assay(['solve', task, '--data', data, '--model', model], { home, env: kernelEnv });
    expect(ended.code, ended.stderr).toBe(0);
    const told = ['subtask 1 of 2: One', 'cell 1: ok', 'cell 2: TypeError', 'cell 3: ok', '-> apples.txt'];
    const places = [...told, 'subtask 2 of 2: Two', 'cell 4: ok'].map((text) => ended.stderr.indexOf(text));
    expect(places, ended.stderr).toEqual(places.filter((place) => place >= 0).toSorted((a, b) => a - b));
    expect(ended.stdout).toMatch(/^complete: by the model's word and the checks/);
    expect(ended.stdout).toContain(`1. One (complete; 4 turns, 3 cells, 1 failed)\n  ${answer}`);
    expect(ended.stdout).toContain('2. Two (complete; 2 turns, 1 cell)\n  There are 4 pears.');
    expect(ended.stdout).toMatch(/^made {5}apples\.txt \(1 B, cell 3\)$/m);
    expect(ended.stdout).toMatch(/^notebook .*\/notebook\.ipynb$/m);
    expect(ended.stdout).toMatch(/^next {5}open .*notebook\.ipynb/m);
    const shown = await assay(['show', 'latest'], { home });
    expect(shown.stdout.match(/^subtask .*/gm)).toEqual(['subtask 1 of 2: One', 'subtask 2 of 2: Two']);
  });

  it('asks no model where there is no sandbox to run its code in', async () => {
    const [home, { task, data }, server] = [folder('home'), scene(), await serve(wholeRun)];
    const args = ['solve', task, '--data', data, ...asking(server), '--json'];
    const error = expectError(await assay(args, { home, env: { ...kernelEnv, PATH: home } }), 7);
    expect(error.because).toContain('bwrap');
    expect(server.requests).toEqual([]);
    expect((await assay(['runs'], { home })).stdout).toBe('');
  });

  it('lets the model split the task first where that is wanted', async () => {
    const [home, { dir, task }] = [folder('home'), scene()];
    const subtasks = ['Explore', 'Answer'].map((title) => ({ title, prompt: `${title}.` }));
    const plan = { toolCalls: [{ name: 'split_task', arguments: JSON.stringify({ subtasks }) }] };
    const model = recorded(dir, [plan, runs('1'), says('Looked.'), runs('2'), says('Two.')]);
    const ended = await assay(['solve', task, '--plan', '--model', model, '--json'], {
      home,
      env: kernelEnv,
    });
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('plan: 2 subtasks');
    expect(solved(ended).subtasks).toMatchObject([
      { title: 'Explore', summary: 'Looked.' },
      { title: 'Answer', summary: 'Two.' },
    ]);
  });

  it('runs the checks of a file when the model says that it is done, and believes them', async () => {
    const [home, { dir, task, data }] = [folder('home'), scene()];
    const checks = path.join(dir, 'checks.py');
    writeFileSync(
      checks,
      '# %% there is a number\nassert total > 0\n# %% it is right\nassert total == 9, total\n',
    );
    const model = recorded(dir, [...wholeRun, says(answer)]);
    const ended = await assay(
      ['solve', task, '--data', data, '--model', model, '--checks', checks, '--json'],
      {
        home,
        env: kernelEnv,
      },
    );
    expect(ended.code, ended.stderr).toBe(8);
    expect(ended.stderr).toMatch(/^check \(cell \d+, there is a number\): ok/m);
    expect(ended.stderr).toMatch(/^check \(cell \d+, it is right\): AssertionError: 8/m);
    const { cells } = await readNotebook(path.join(solved(ended).dir, 'notebook.ipynb'));
    expect(cells.map(({ source }) => source)).toContain('> **Check:** it is right');
    expect(solved(ended)).toMatchObject({
      status: 'checks_failed',
      reason: expect.stringContaining('it is right'),
    });
  });

  it.each([
    ['retries', ['--max-retries', '1'], [runs('a'), runs('b'), runs('c')], 4, 'retry_limit'],
    ['turns', ['--max-turns', '2'], [runs('1'), runs('2'), runs('3')], 4, 'turn_limit'],
    ['ideas', [], [runs('a'), runs('a'), runs('a'), runs('a'), runs('a')], 3, 'stuck'],
    ['tokens', ['--max-tokens', '60'], [runs('1')], 4, 'budget_exhausted'],
  ])('that runs out of %s says so', async (_, more, replies, code, status) => {
    const [home, { dir, task }] = [folder('home'), scene()];
    const args = ['solve', task, '--model', recorded(dir, replies), ...more, '--json'];
    const ended = await assay(args, { home, env: kernelEnv });
    expect(ended.code, ended.stderr).toBe(code);
    expect(solved(ended).status).toBe(status);
    expect(ended.stderr).toMatch(/^ {2}next: \S/m);
  });

  it('waits for a model that cannot be had, and goes on with it later', async () => {
    const [home, { dir, task, data }] = [folder('home'), scene()];
    const model = recorded(dir, wholeRun.slice(0, 2));
    const cut = await assay(['solve', task, '--data', data, '--model', model, '--json'], {
      home,
      env: kernelEnv,
    });
    expect(cut.code, cut.stderr).toBe(7);
    const { run } = solved(cut);
    expect(cut.stderr).toContain(`assay resume ${run}`);
    const listed = await assay(['runs'], { home });
    expect(listed.stdout).toMatch(/waiting .*How many apples .*assay resume solve-/);
    renameSync(data, `${data}.away`);
    const missing = expectError(await assay(['resume', run, '--json'], { home, env: kernelEnv }), 7);
    expect(missing.message).toBe(`The data of this run, ${data}, is not there any more`);
    expect(missing.fix).toContain('put it back where it was');
    renameSync(`${data}.away`, data);
    copyFileSync(recorded(dir, wholeRun).slice('replay:'.length), model.slice('replay:'.length));
    const resumed = await assay(['resume', run, '--json'], { home, env: kernelEnv });
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(solved(resumed)).toMatchObject({ status: 'complete', turns: 4, cells: 3 });
    expect(resumed.stderr).toContain('2 cells run again');
    const shown = await assay(['show', run], { home });
    expect(shown.stdout).toContain(answer);
  });

  it('stops in good order at Ctrl-C, leaves nothing running, and can be resumed', async () => {
    const [home, { dir, task }] = [folder('home'), scene()];
    const sleeping = "import time\nprint('sleeping', flush=True)\ntime.sleep(300)";
    const model = recorded(dir, [runs(sleeping), runs('print(1)'), says('One.')]);
    const started = start(['solve', task, '--model', model, '--events'], { home, env: kernelEnv });
    await until('a cell runs', () => started.stdout().includes('"kind":"cell"'));
    started.child.kill('SIGINT');
    const ended = await started.ended;
    expect(ended.code, ended.stderr).toBe(130);
    const [run = ''] = runsIn(home);
    expect(ended.stderr).toContain(`assay resume ${run}`);
    expect(processesWith(run)).toEqual([]);
    const resumed = await assay(['resume', run, '--json'], { home, env: kernelEnv });
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(solved(resumed)).toMatchObject({ status: 'complete', turns: 3 });
  });

  it('is worked on by one process, and one that comes too late takes nothing away from it', async () => {
    const [home, { dir, task }] = [folder('home'), scene()];
    const wait =
      "import os, time\nopen('one.txt', 'w').write('1')\nwhile not os.path.exists('go'):\n    time.sleep(0.05)";
    const look = "print(sorted(os.listdir('.')))";
    const model = recorded(dir, [runs(wait), runs(look), says('One: one.txt.')]);
    const started = start(['solve', task, '--model', model, '--json'], { home, env: kernelEnv });
    await until('a cell runs', () =>
      runsIn(home).some((run) => existsSync(`${home}/runs/${run}/work/one.txt`)),
    );
    const [run = ''] = runsIn(home);
    const late = await assay(['resume', run, '--json'], { home, env: kernelEnv });
    expect(expectError(late, 1).message).toMatch(/is in use by process/);
    writeFileSync(`${home}/runs/${run}/work/go`, '');
    const ended = await started.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(solved(ended).artifacts.map(({ name }) => name)).toContain('one.txt');
  });

  it('records a conversation that replays to the same end without a key', async () => {
    const [home, { dir, task, data }, server] = [folder('home'), scene(), await serve(wholeRun)];
    const file = path.join(dir, 'said.jsonl');
    const args = ['solve', task, '--data', data, '--json'];
    const first = await assay([...args, ...asking(server), '--record', file], { home, env: kernelEnv });
    expect(first.code, first.stderr).toBe(0);
    const again = await assay([...args, '--model', `replay:${file}`], { home, env: kernelEnv });
    expect(again.code, again.stderr).toBe(0);
    const [one, two] = [solved(first), solved(again)];
    expect(two.subtasks).toEqual(one.subtasks);
    expect(again.stderr).not.toContain('now go to');
  });
});
