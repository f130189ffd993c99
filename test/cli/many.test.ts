import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorResultSchema, repairResultSchema } from '../../src/core/index.ts';
import { expectError, runsIn } from './expectations.ts';
import { asking, mends, serve } from './model.ts';
import { assay, type Ended } from './process.ts';
import { type Files, folder, greenProject, lay, mending, redProject, replay } from './project.ts';

const manySchema = z.object({
  schema: z.literal('assay-fix-many/1'),
  exit: z.number(),
  runs: z.array(
    z.object({
      project: z.string(),
      exit: z.number(),
      result: z.union([repairResultSchema, errorResultSchema]),
    }),
  ),
  notRun: z.array(z.string()),
});

const manyOf = ({ stdout }: Ended) => manySchema.parse(JSON.parse(stdout));

/** A repository of packages, each with a manifest and tests of its own. */
function repository(packages: Record<string, Files>): string {
  const dir = folder('repository');
  for (const [name, files] of Object.entries(packages)) {
    mkdirSync(path.join(dir, name), { recursive: true });
    lay(path.join(dir, name), { 'pyproject.toml': '[project]\nname = "x"\n', ...files });
  }
  return dir;
}

const stubborn: Files = { ...redProject, 'shop.py': 'def tier(total):\n    return 1 / 0\n' };
const broken: Files = { 'README.md': 'nothing to test\n' };
const model = ['--model', replay([mending])];

describe.concurrent('several folders', () => {
  it('are fixed one after the other', async () => {
    const home = folder('home');
    const cwd = repository({ one: redProject, two: greenProject });
    const ended = await assay(['fix', 'one', 'two', ...model, '--json'], { home, cwd });
    expect(ended.code, ended.stderr).toBe(0);
    expect(manyOf(ended)).toMatchObject({
      exit: 0,
      runs: [
        { project: path.join(cwd, 'one'), exit: 0, result: { status: 'done' } },
        { project: path.join(cwd, 'two'), exit: 0, result: { status: 'already_green' } },
      ],
      notRun: [],
    });
    expect(runsIn(home)).toHaveLength(2);
  });

  it('stop at the first that is not done', async () => {
    const home = folder('home');
    const cwd = repository({ one: stubborn, two: greenProject });
    const ended = await assay(['fix', 'one', 'two', ...model, '--json'], { home, cwd });
    const { runs, notRun } = manyOf(ended);
    expect(runs.map(({ project }) => path.basename(project))).toEqual(['one']);
    expect(notRun).toEqual([path.join(cwd, 'two')]);
    expect(ended.code, ended.stderr).toBe(runs[0]?.exit);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toMatch(/not run +two: .*--keep-going/);
  });

  it('are all tried with --keep-going, and the worst end is the exit code', async () => {
    const home = folder('home');
    const cwd = repository({ one: stubborn, two: broken, three: redProject });
    const ended = await assay(['fix', 'one', 'two', 'three', ...model, '--keep-going'], { home, cwd });
    expect(ended.code, ended.stderr).toBe(7);
    const rows = ended.stdout.trimEnd().split('\n').slice(-3);
    expect(rows).toEqual([
      expect.stringMatching(/^(stuck|unpatchable) +one: /),
      expect.stringMatching(/^environment_error +two: /),
      expect.stringMatching(/^done +three: 2 tests pass/),
    ]);
  });

  it('with one that is missing among them are all tried with --keep-going', async () => {
    const home = folder('home');
    const cwd = repository({ one: redProject, three: greenProject });
    const args = ['fix', 'one', 'nowhere', 'three', ...model, '--json'];
    const ended = await assay([...args, '--keep-going'], { home, cwd });
    expect(manyOf(ended)).toMatchObject({
      exit: 2,
      runs: [
        { exit: 0, result: { status: 'done' } },
        { project: path.join(cwd, 'nowhere'), exit: 2, result: { error: { code: 'usage' } } },
        { exit: 0, result: { status: 'already_green' } },
      ],
      notRun: [],
    });
    expect(ended.code).toBe(2);
    const strictly = await assay(args, { home: folder('home'), cwd });
    expect(expectError(strictly, 2).message).toContain('nowhere');
  });

  it('share what the command may use', async () => {
    const home = folder('home');
    const cwd = repository({ one: redProject, two: redProject });
    const server = await serve([mends, mends]);
    const args = [...asking(server), '--max-output-tokens', '200', '--keep-going', '--json'];
    const both = await assay(['fix', 'one', 'two', ...args], { home, cwd });
    expect(manyOf(both).runs.map(({ exit }) => exit)).toEqual([0, 0]);
    expect(server.requests).toHaveLength(2);
    const dear = { ...mends, usage: { input: 3_900, output: 50 } };
    const again = await serve([dear, dear]);
    const limited = ['--model', 'openai-compatible/x', '--base-url', again.url, ...args.slice(4)];
    // The first uses 3,950 of them; what is left does not pay for another call.
    const ended = await assay(['fix', 'one', 'two', ...limited, '--max-tokens', '4000'], { home, cwd });
    const { exit, runs } = manyOf(ended);
    expect(again.requests).toHaveLength(1);
    expect(runs.map((run) => run.exit)).toEqual([0, 4]);
    expect(exit).toBe(4);
    const third = await serve([dear, dear]);
    const priced = ['--model', 'openai-compatible/x', '--base-url', third.url, ...args.slice(4)];
    const cost = ['--price', '100,0', '--max-cost', '0.4'];
    const costly = manyOf(await assay(['fix', 'one', 'two', ...priced, ...cost], { home, cwd }));
    expect(costly.runs.map((run) => run.exit)).toEqual([0, 4]);
    expect(third.requests).toHaveLength(1);
  });

  it('are all checked before the first begins', async () => {
    const home = folder('home');
    const cwd = repository({
      one: redProject,
      two: { ...redProject, 'assay.config.json': '{"write": true}' },
    });
    const ended = await assay(['fix', 'one', 'two', '--keep-going', '--json'], { home, cwd });
    expect(expectError(ended, 2).message).toMatch(/two.*may not set write/);
    expect(runsIn(home)).toEqual([]);
  });

  it('are named where a repository has only packages with tests', async () => {
    const home = folder('home');
    const cwd = repository({ 'packages/one': redProject, 'packages/two': greenProject, docs: {} });
    const ended = await assay(['fix', ...model], { home, cwd });
    expect(ended.code, ended.stderr).not.toBe(0);
    expect(ended.stdout).toMatch(/^next .*assay fix packages\/one packages\/two --keep-going/m);
  });
});
