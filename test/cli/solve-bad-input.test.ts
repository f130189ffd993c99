import { chmodSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectError, runsIn } from './expectations.ts';
import { assay } from './process.ts';
import { folder, lay } from './project.ts';
import { kernelEnv, runs, says } from './solve-replies.ts';
import { readCell, recorded, scene, solved } from './solve-scene.ts';

type Scene = ReturnType<typeof scene>;
type Case = [name: string, prepare: (at: Scene) => string[], code: number, told: RegExp];

/** What is refused before a run is made. */
const refused: Case[] = [
  ['no model', ({ task }) => [task], 2, /Which model.*--model PROVIDER\/NAME.*replay:FILE/s],
  ['the search', ({ task }) => [task, '--model', 'search'], 2, /knows nothing of an analysis/],
  ['two models', ({ task }) => [task, '--model', 'openai/a,openai/b'], 2, /one conversation/],
  ['no key', ({ task }) => [task, '--model', 'openai/a'], 2, /OPENAI_API_KEY is not set/],
  ['no task', ({ dir }) => [path.join(dir, 'no.md'), ...replaying(dir)], 2, /no such file/],
  ['a task that is a folder', ({ dir }) => [dir, ...replaying(dir)], 2, /it is a folder/],
  ['an empty task', ({ task, dir }) => [laid(task, ' \n'), ...replaying(dir)], 2, /it is empty/],
  ['headings alone', ({ task, dir }) => [laid(task, '# A\n# B\n'), ...replaying(dir)], 2, /no text below/],
  [
    'a task that is no text',
    ({ task, dir }) => [laid(task, '\x80', 'latin1'), ...replaying(dir)],
    2,
    /UTF-8/,
  ],
  ['no data', ({ task, dir }) => [task, ...replaying(dir), '--data', `${dir}/no`], 2, /There is no data/],
  [
    'no checks',
    ({ task, dir }) => [task, ...replaying(dir), '--checks', laid(`${dir}/c.py`, '# %% a\n')],
    2,
    /no code/,
  ],
  ['no such recording', ({ task, dir }) => [task, '--model', `replay:${dir}/no`], 2, /cannot be read/],
  [
    'another recording',
    ({ task }) => [task, '--model', `replay:${task}`],
    2,
    /no recording of what a model said/,
  ],
  [
    'recording a recording',
    ({ task, dir }) => [task, ...replaying(dir), '--record', 'x'],
    2,
    /a recording already/,
  ],
  [
    'no such kernel',
    ({ task, dir }) => [task, ...replaying(dir), '--kernel', 'nosuch'],
    7,
    /no Jupyter kernel named nosuch/,
  ],
  ['a network here', ({ task, dir }) => [task, ...replaying(dir), '--network'], 2, /--runtime e2b/],
  [
    'E2B without a key',
    ({ task, dir }) => [task, ...replaying(dir), '--runtime', 'e2b'],
    2,
    /E2B_API_KEY is not set/,
  ],
  [
    'no such subtask',
    ({ task, dir }) => [task, ...replaying(dir), '--model-for', '2=a/b'],
    2,
    /no subtask 2/,
  ],
];

const replaying = (dir: string) => ['--model', recorded(dir, [says('Done.')])];

function laid(file: string, text: string, encoding: BufferEncoding = 'utf8'): string {
  writeFileSync(file, text, encoding);
  return file;
}

describe.concurrent('assay solve refuses, before anything is made', () => {
  it.each(refused)('%s', async (_, prepare, code, told) => {
    const home = folder('home');
    const ended = await assay(['solve', ...prepare(scene()), '--json'], {
      home,
      env: { ...kernelEnv, E2B_API_KEY: undefined },
    });
    const { message, because, fix } = expectError(ended, code);
    expect([message, because, fix].join('\n')).toMatch(told);
    expect(runsIn(home)).toEqual([]);
  });

  it('a kernel without an interpreter, or whose description is broken', async () => {
    const at = scene();
    const home = folder('home');
    const kernel = path.join(folder('kernel'), 'share/jupyter/kernels/broken');
    mkdirSync(kernel, { recursive: true });
    const solve = () =>
      assay(['solve', at.task, ...replaying(at.dir), '--kernel', kernel, '--json'], { home, env: kernelEnv });
    writeFileSync(path.join(kernel, 'kernel.json'), '{"argv": ');
    const { message, fix } = expectError(await solve(), 7);
    expect(message).toContain('kernel.json cannot be used');
    expect(fix).toContain('Install that kernel again');
    writeFileSync(
      path.join(kernel, 'kernel.json'),
      '{"argv": ["/nowhere/python", "-m", "x"], "language": "python"}',
    );
    const model = ['--model', recorded(at.dir, [runs('1'), says('Done.')])];
    const args = ['solve', at.task, ...model, '--kernel', kernel, '--json'];
    const missing = await assay(args, { home, env: kernelEnv });
    expect(missing.code, missing.stderr).toBe(7);
    expect(solved(missing)).toMatchObject({ status: 'environment_error', fix: expect.stringMatching(/\S/) });
    expect(missing.stderr).toContain('assay resume');
  });
});

describe.concurrent('data', () => {
  it('of more than can be copied is refused with what to do', async () => {
    const [home, { dir, task, data }] = [folder('home'), scene()];
    truncateSync(laid(path.join(data, 'large.bin'), ''), 5 * 2 ** 30);
    const args = ['solve', task, '--data', data, ...replaying(dir), '--json'];
    const { message, because, fix } = expectError(await assay(args, { home, env: kernelEnv }), 2);
    expect(message).toContain('5.0 GiB');
    expect(because).toContain('large.bin');
    expect(fix).toContain('--data');
  });

  it('that is hidden, a link or of programs is left out, and said so', async () => {
    const [home, { dir, task, data }] = [folder('home'), scene()];
    lay(data, { '.env': 'SECRET=1', 'node_modules/a.js': '', 'sub/more.csv': 'a\n1\n' });
    symlinkSync('/etc/passwd', path.join(data, 'link.txt'));
    const listing =
      "import os\nprint(sorted(os.path.join(d, f)[2:] for d, _, fs in os.walk('.') for f in fs))";
    const model = recorded(dir, [runs(listing), runs(readCell), says('Done.')]);
    const ended = await assay(['solve', task, '--data', data, '--model', model, '--events'], {
      home,
      env: kernelEnv,
    });
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toContain("['stock.csv', 'sub/more.csv']");
    expect(ended.stderr).toMatch(/left out of the data: ".env", "node_modules"/);
    expect(ended.stderr).toMatch(/left out of the data: "link.txt"/);
  });

  it('may be one file, and stays as it is whatever the code does to it', async () => {
    const [home, { dir, task, data }] = [folder('home'), scene()];
    const file = path.join(data, 'stock.csv');
    chmodSync(file, 0o600);
    const model = recorded(dir, [runs("open('stock.csv', 'w').write('gone')"), says('Done.')]);
    const ended = await assay(['solve', task, '--data', file, '--model', model, '--json'], {
      home,
      env: kernelEnv,
    });
    expect(ended.code, ended.stderr).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('apple,3');
    expect(solved(ended).artifacts).toMatchObject([{ name: 'stock.csv' }]);
  });
});
