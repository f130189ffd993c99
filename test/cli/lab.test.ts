import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Report, reportSchema } from '../../src/core/index.ts';
import { ctrfSchema, readJunit } from '../../src/lab/index.ts';
import { assay, type Ended } from './process.ts';
import { type Files, folder, greenProject, mended, project, redProject, shop } from './project.ts';

function reportOf({ stdout }: Ended): Report {
  return reportSchema.parse(JSON.parse(stdout));
}

function job(files: Files, more: Record<string, unknown> = {}): string {
  return JSON.stringify({ schema: 'assay-job/1', files, ...more });
}

describe.concurrent('assay lab', () => {
  it('prints for people what decided, the evidence, what was enforced and what to do', async () => {
    const home = folder('home');
    const dir = project(redProject);
    const { code, stdout, stderr } = await assay(['lab', dir], { home });
    expect(code, stderr).toBe(8);
    expect(stdout).toMatch(/^failed {2}1 of 2 tests failed\n1 of 2 passed · 1 failed · unittest · /);
    expect(stdout).toContain("AssertionError: 'large' != 'small'");
    expect(stdout).toContain('at tests/test_shop.py:10 in test_hundred');
    expect(stdout).toMatch(/\nsandbox no network · /);
    expect(stdout).toContain('next    let assay look for a patch: assay fix DIR');
    expect(stderr).toBe(`lab: unittest in ${dir}\n`);
  });

  it('ends with 0 after a pass, and takes the current folder where none is named', async () => {
    const home = folder('home');
    const ended = await assay(['lab', '--json'], { home, cwd: project(greenProject) });
    expect(ended.code, ended.stderr).toBe(0);
    expect(reportOf(ended)).toMatchObject({
      verdict: 'passed',
      summary: { total: 2, passed: 2 },
      integrity: { expected: 'collected', canaries: true, completed: true },
    });
  });

  it('ends with 6 where the code tampers with its tests', async () => {
    const home = folder('home');
    const patched = 'import unittest\nunittest.TestCase.assertEqual = lambda *args, **kwargs: None\n';
    const dir = project({ ...redProject, 'shop.py': patched + shop });
    const ended = await assay(['lab', dir, '--json'], { home });
    expect(ended.code, ended.stderr).toBe(6);
    expect(reportOf(ended)).toMatchObject({ verdict: 'tampered', integrity: { canaries: false } });
  });

  it('ends with 8 where the memory runs out', async () => {
    const home = folder('home');
    const dir = project({ ...redProject, 'shop.py': `hoard = bytearray(400 * 2**20)\n${mended}` });
    const ended = await assay(['lab', dir, '--memory', '100M', '--json'], { home });
    expect(ended.code, ended.stderr).toBe(8);
    expect(['oom', 'failed']).toContain(reportOf(ended).verdict);
  });

  it('takes a job from a file, and files in it as base64', async () => {
    const home = folder('home');
    const file = path.join(home, 'job.json');
    const encoded = { ...redProject, 'shop.py': { base64: Buffer.from(mended).toString('base64') } };
    writeFileSync(file, JSON.stringify({ schema: 'assay-job/1', files: encoded, framework: 'unittest' }));
    const ended = await assay(['lab', 'job.json', '--json'], { home });
    expect(ended.code, ended.stderr).toBe(0);
    expect(reportOf(ended)).toMatchObject({ verdict: 'passed', summary: { passed: 2 } });
  });

  it('takes a job from standard input, whose settings give way to the command line', async () => {
    const home = folder('home');
    const settings = {
      test: 'python3 -m unittest tests.test_shop',
      expect: ['tests.test_shop.Tier.test_small'],
    };
    const input = job(redProject, settings);
    const asked = await assay(['lab', '-', '--json'], { home, input });
    expect(asked.code, asked.stderr).toBe(0);
    expect(reportOf(asked)).toMatchObject({ verdict: 'passed', integrity: { expected: 'given' } });
    const ids = path.join(home, 'ids.txt');
    writeFileSync(ids, '# one a line\n\ntests.test_shop.Tier.test_hundred\n');
    const overruled = await assay(['lab', '-', '--expect', ids, '--json'], { home, input });
    expect(overruled.code, overruled.stderr).toBe(8);
  });

  it('--expect fails where an id did not run', async () => {
    const home = folder('home');
    const ids = path.join(home, 'ids.txt');
    writeFileSync(ids, 'tests.test_shop.Tier.test_small\ntests.test_shop.Tier.test_gone\n');
    const ended = await assay(['lab', project(greenProject), '--expect', ids, '--json'], { home });
    expect(ended.code, ended.stderr).toBe(8);
    expect(reportOf(ended)).toMatchObject({
      verdict: 'failed',
      integrity: { expected: 'given', missing: ['tests.test_shop.Tier.test_gone'] },
    });
  });

  it('writes CTRF and JUnit that readers take, beside what it prints', async () => {
    const home = folder('home');
    const [ctrf, junit] = [path.join(home, 'report.ctrf.json'), path.join(home, 'report.xml')];
    // An older file is replaced as a whole.
    writeFileSync(junit, 'x'.repeat(100_000));
    const args = ['lab', project(redProject), '--ctrf', ctrf, '--junit', 'report.xml', '--json'];
    const ended = await assay(args, { home });
    expect(ended.code, ended.stderr).toBe(8);
    const report = reportOf(ended);
    const { results } = ctrfSchema.parse(JSON.parse(readFileSync(ctrf, 'utf8')));
    expect(results.summary).toMatchObject({ tests: 2, passed: 1, failed: 1 });
    expect(results.tests.map(({ extra }) => extra?.id)).toEqual(report.tests.map(({ id }) => id));
    const { cases, properties } = readJunit(readFileSync(junit));
    expect(cases.map(({ status }) => status).toSorted()).toEqual(['failed', 'passed']);
    expect(properties.get('assay.verdict')).toBe('failed');
  });
});
