import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { errorResultSchema, repairResultSchema } from '../../src/core/index.ts';
import { expectError, runsIn } from './expectations.ts';
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
