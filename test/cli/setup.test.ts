import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type RepairEvent,
  repairEventSchema,
  repairResultSchema,
  reportSchema,
} from '../../src/core/index.ts';
import { openStore } from '../../src/store/index.ts';
import { assay } from './process.ts';
import { folder, project, replay } from './project.ts';

/** What a generator makes is needed by the tests, and says when it was made. */
const generated = {
  'generate.py': `import time

with open('limits.py', 'w') as file:
    file.write(f'STAMP = {time.time_ns()}\\nLIMIT = 100\\n')
`,
  'shop.py': `import limits


def is_small(total):
    return total < limits.LIMIT
`,
  'tests/__init__.py': '',
  'tests/test_shop.py': `import unittest
import limits
from shop import is_small


class Shop(unittest.TestCase):
    def test_hundred(self):
        self.assertTrue(is_small(100), f'stamp {limits.STAMP}')
`,
};

describe.concurrent('--setup', () => {
  it('prepares every run once, and leaves the files of the user alone', async () => {
    const home = folder('home');
    const dir = project(generated);
    const model = replay([
      { motivation: 'up to the limit', search: 'total < limits.LIMIT', replace: 'total <= limits.LIMIT' },
    ]);
    const args = ['fix', dir, '--setup', 'python3 generate.py', '--model', model, '--json'];
    const { code, stdout, stderr } = await assay(args, { home });
    expect(code, stderr).toBe(0);
    expect(repairResultSchema.parse(JSON.parse(stdout))).toMatchObject({
      status: 'done',
      tests: { passed: 1 },
    });
    expect(readdirSync(dir).toSorted()).toEqual(['generate.py', 'shop.py', 'tests']);
    const stamps = openStore({ home })
      .open<RepairEvent>('latest', { event: repairEventSchema })
      .events()
      .flatMap(({ event }) => (event.type === 'baseline_tested' ? event.report.tests : []))
      .map(({ failure }) => /stamp (\d+)/.exec(failure?.message ?? '')?.[1]);
    expect(stamps).toEqual([expect.stringMatching(/^\d+$/), stamps[0]]);
  });

  it('is taken by the lab as well, from a job too', async () => {
    const home = folder('home');
    const files = { ...generated, 'generate.py': generated['generate.py'].replace('100', '101') };
    const without = await assay(['lab', project(files), '--json'], { home });
    expect(without.code).toBe(8);
    const input = JSON.stringify({ schema: 'assay-job/1', files, setup: 'python3 generate.py' });
    const ended = await assay(['lab', '-', '--json'], { home, input });
    expect(ended.code, ended.stderr).toBe(0);
    expect(reportSchema.parse(JSON.parse(ended.stdout)).verdict).toBe('passed');
  });

  it.each([
    ['fix', '8'],
    ['lab', '2'],
  ])('that is too slow is ended at --timeout and named, %s', async (name, seconds) => {
    const home = folder('home');
    const args = [name, project(generated), '--setup', 'sleep 600', '--timeout', seconds, '--json'];
    const { code, stdout, stderr } = await assay(args, { home });
    expect(code, stderr).toBe(7);
    expect(stderr).toContain('set-up: sleep 600\n');
    expect(stdout).toContain(
      `The set-up command \\"sleep 600\\" is too slow: it ran over its limit of ${seconds} s`,
    );
  });

  it('that fails ends with what it said last', async () => {
    const home = folder('home');
    const setup = 'echo first; echo the compiler is missing >&2; exit 3';
    const args = ['fix', project(generated), '--setup', setup, '--json'];
    const { code, stdout } = await assay(args, { home });
    expect(code).toBe(7);
    expect(repairResultSchema.parse(JSON.parse(stdout))).toMatchObject({
      status: 'environment_error',
      reason: expect.stringMatching(/ended with exit code 3: .*the compiler is missing/s),
      fix: expect.stringContaining('no network'),
    });
  });
});
