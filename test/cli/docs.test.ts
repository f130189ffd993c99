import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkConfig, userConfigSchema } from '../../src/cli/config/config-schema.ts';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { repairResultSchema, reportSchema } from '../../src/core/index.ts';
import { assay } from './process.ts';
import { folder } from './project.ts';

const page = (name: string) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');

const jsonBlocks = (text: string): unknown[] =>
  [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, block = '']) => JSON.parse(block));

describe('docs', () => {
  it.each(['fix', 'lab', 'solve'])('of %s name every option that its help does', async (name) => {
    const { stdout } = await assay([name, '--help'], { home: folder('home') });
    const options = [...stdout.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)/gm)].map(([, option]) => option);
    expect(options.length).toBeGreaterThan(10);
    const missing = options.filter((option) => !page(name).includes(`\`${option}`));
    // The one judge there is, and what nobody looks up.
    expect(missing.filter((option) => !['--help', '--judge'].includes(option ?? ''))).toEqual([]);
  });

  it('of fix explain every exit code of it', () => {
    const codes = [...page('fix').matchAll(/^\| [^|]+ \| (\d+) \|/gm)].map(([, code]) => Number(code));
    const { failed: _, ...others } = exitCodes;
    expect(new Set(codes)).toEqual(new Set(Object.values(others)));
  });

  it('of fix show a configuration that is taken', () => {
    const shown = jsonBlocks(page('fix')).find(
      (block) => block instanceof Object && 'rounds' in block && !('schema' in block),
    );
    expect(checkConfig(shown, { of: 'project', file: 'docs/fix.md' })).toEqual(shown);
    const fields = Object.keys(userConfigSchema.shape);
    expect(fields.filter((field) => !page('fix').includes(`\`${field}\``))).toEqual([]);
  });

  it('show a job that passes', async () => {
    const job = jsonBlocks(page('lab')).at(-1);
    const ended = await assay(['lab', '-', '--json'], { home: folder('home'), input: JSON.stringify(job) });
    expect(ended.code, ended.stderr).toBe(0);
    expect(reportSchema.parse(JSON.parse(ended.stdout)).verdict).toBe('passed');
  });

  it('show a replay that mends the example', async () => {
    const home = folder('home');
    writeFileSync(`${home}/replay.json`, JSON.stringify(jsonBlocks(page('fix')).at(-1)));
    const dir = path.resolve(import.meta.dirname, '../../examples/python-invoice');
    const ended = await assay(['fix', dir, '--model', 'replay:replay.json', '--json'], { home });
    expect(ended.code, ended.stderr).toBe(0);
    const result = repairResultSchema.parse(JSON.parse(ended.stdout));
    expect(result).toMatchObject({ status: 'done', tests: { total: 17, passed: 17 } });
    expect(page('fix')).toContain(result.patch?.split('\n').slice(4, 9).join('\n'));
  });
});
