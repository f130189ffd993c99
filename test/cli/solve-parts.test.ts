import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { asking, serve } from './model.ts';
import { assay } from './process.ts';
import { folder } from './project.ts';
import { kernelEnv, runs, says } from './solve-replies.ts';
import { scene, solved } from './solve-scene.ts';

it('gives a subtask its own model and instructions, and all of them one kernel', async () => {
  const [home, { dir, task, data }] = [folder('home'), scene('# One\nKeep a number.\n# Two\nUse it.')];
  const server = await serve([
    runs('kept = 41'),
    says('The first kept it.'),
    runs('print(kept + 1)'),
    says('It is 42.'),
  ]);
  const instructions = path.join(dir, 'two.md');
  writeFileSync(instructions, 'Say the number alone.');
  const parts = ['--model-for', '2=openai-compatible/second', '--instructions', `2=${instructions}`];
  const ended = await assay(['solve', task, '--data', data, ...asking(server), ...parts, '--json'], {
    home,
    env: kernelEnv,
  });
  expect(ended.code, ended.stderr).toBe(0);
  expect(solved(ended).subtasks).toMatchObject([
    { title: 'One', summary: 'The first kept it.' },
    { title: 'Two', summary: 'It is 42.' },
  ]);
  const asked = server.requests.map(({ body }) => JSON.stringify(body));
  expect(asked.map((body) => /"model":"(\w+)"/.exec(body)?.[1])).toEqual(['x', 'x', 'second', 'second']);
  expect(asked.map((body) => body.includes('Say the number alone.'))).toEqual([false, false, true, true]);
  // What the first subtask has left in the kernel.
  expect(asked.at(-1)).toContain('42');
});

it('works on data of ten thousand files', async () => {
  const [home, { task, data }] = [folder('home'), scene()];
  mkdirSync(path.join(data, 'days'));
  for (let day = 0; day < 10_000; day++) writeFileSync(path.join(data, `days/${day}.csv`), `${day}\n`);
  const count =
    "import os\nprint('found', len(os.listdir('days')))\nopen('days/7.csv', 'w').write('changed')";
  const server = await serve([runs(count), says('There are ten thousand.')]);
  const ended = await assay(['solve', task, '--data', data, ...asking(server), '--json'], {
    home,
    env: kernelEnv,
  });
  expect(ended.code, ended.stderr).toBe(0);
  expect(solved(ended)).toMatchObject({ status: 'complete', warnings: [] });
  const told = JSON.stringify(server.requests[1]?.body);
  expect(told).toContain('found 10000');
  expect(told).toContain('file changed: days/7.csv');
  // The model is told of them in short.
  expect(told.length).toBeLessThan(100_000);
});
