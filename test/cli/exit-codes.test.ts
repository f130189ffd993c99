import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ExitCode, exitCodes } from '../../src/cli/exit-codes.ts';
import { resultOf } from './expectations.ts';
import { assay } from './process.ts';
import {
  type Files,
  folder,
  greenProject,
  mending,
  newMark,
  project,
  redProject,
  replay,
  shop,
  shopTests,
  slowTest,
} from './project.ts';

const search = 'total < 100';
/** Reds another test: a round that says something new. */
const worse = { motivation: 'less is small', search, replace: 'total < 99' };
const same = { motivation: 'otherwise written', search, replace: '100 > total' };
const nowhere = (search: string) => ({ motivation: 'as I remember it', search, replace: 'pass' });
const silenced = 'import unittest\nunittest.TestCase.assertEqual = lambda *args, **kwargs: None\n\n\n';
const cheat = {
  motivation: 'no test must fail',
  search: 'def tier(total):\n',
  replace: `${silenced}def tier(total):\n`,
};

type Fix = { code: ExitCode; files?: Files; args: () => string[]; result: object };

const fixes: Record<string, Fix> = {
  'a confirmed patch': {
    code: exitCodes.ok,
    args: () => ['--model', replay([mending])],
    result: { status: 'done', bestEffort: false },
  },
  'a suite that is green': {
    code: exitCodes.ok,
    files: greenProject,
    args: () => ['--model', replay([])],
    result: { status: 'already_green', patch: null },
  },
  'a proposer that knows nothing': {
    code: exitCodes.stuck,
    args: () => ['--model', replay([])],
    result: { status: 'stuck', rounds: 0, reason: expect.stringContaining('used up') },
  },
  'a report that stays the same': {
    code: exitCodes.stuck,
    args: () => ['--model', replay([same, mending])],
    result: { status: 'stuck', rounds: 1, reason: expect.stringContaining('exactly as the round before') },
  },
  'files that were tested before': {
    code: exitCodes.stuck,
    args: () => ['--model', replay([worse, worse])],
    result: { status: 'stuck', rounds: 1, reason: expect.stringContaining('tested before') },
  },
  'no rounds left': {
    code: exitCodes.budget,
    args: () => ['--rounds', '1', '--model', replay([worse, mending])],
    result: { status: 'budget_exhausted', rounds: 1, reason: expect.stringContaining('rounds') },
  },
  'no candidates left': {
    code: exitCodes.budget,
    // Far from what one small change can do.
    files: { ...redProject, 'tests/test_shop.py': shopTests.replace("(100), 'small'", "(100), 'medium'") },
    args: () => ['--model', 'search', '--max-candidates', '1'],
    result: { status: 'budget_exhausted', patch: null, usage: { candidates: 1 } },
  },
  'three patches that fit nowhere': {
    code: exitCodes.unpatchable,
    args: () => ['--model', replay([nowhere('if a:'), nowhere('if b:'), nowhere('if c:'), mending])],
    result: { status: 'unpatchable', rounds: 0, patch: null },
  },
  'the tests as what to patch, again and again': {
    code: exitCodes.unpatchable,
    args: () => {
      const onTests = { ...mending, path: 'tests/test_shop.py', search: "'small'", replace: "'large'" };
      return ['--model', replay([onTests, onTests, onTests, mending])];
    },
    result: { status: 'unpatchable', rounds: 0, patch: null },
  },
  'assertions that a patch silences': {
    code: exitCodes.tampered,
    args: () => ['--model', replay([cheat, mending])],
    result: { status: 'tampered', patch: null, reason: expect.stringContaining('canary') },
  },
  'a project without tests': {
    code: exitCodes.environment,
    files: { 'shop.py': shop },
    args: () => ['--framework', 'unittest', '--model', replay([mending])],
    result: { status: 'environment_error', patch: null },
  },
};

describe.concurrent('assay fix exits with', () => {
  it.each(Object.entries(fixes).map(([name, fix]) => [fix.code, name, fix] as const))(
    '%i for %s',
    async (code, _, { files = redProject, args, result }) => {
      const ended = await assay(['fix', project(files), ...args(), '--json'], { home: folder('home') });
      expect(ended.code, ended.stderr).toBe(code);
      const { usage, ...others } = resultOf(ended);
      expect({ ...others, usage }).toMatchObject(result);
    },
  );
});

type Lab = { code: ExitCode; files: Files; args?: string[]; verdict: string };

const labs: Record<string, Lab> = {
  'tests that pass': { code: exitCodes.ok, files: greenProject, verdict: 'passed' },
  'tests that fail': { code: exitCodes.failed, files: redProject, verdict: 'failed' },
  'tests that take too long': {
    code: exitCodes.failed,
    files: { 'tests/__init__.py': '', 'tests/test_slow.py': slowTest(newMark(), 600) },
    args: ['--timeout', '3'],
    verdict: 'timeout',
  },
  'assertions that were silenced': {
    code: exitCodes.tampered,
    files: { ...redProject, 'shop.py': silenced + shop },
    verdict: 'tampered',
  },
};

describe.concurrent('assay lab exits with', () => {
  it.each(Object.entries(labs).map(([name, lab]) => [lab.code, name, lab] as const))(
    '%i for %s',
    async (code, _, { files, args = [], verdict }) => {
      const ended = await assay(['lab', project(files), ...args, '--json'], { home: folder('home') });
      expect(ended.code, ended.stderr).toBe(code);
      expect(JSON.parse(ended.stdout)).toMatchObject({ schema: 'assay-report/1', verdict });
    },
  );
});

describe.concurrent('assay exits with', () => {
  it('1 for a recording that is none', async () => {
    const home = folder('home');
    const file = path.join(home, 'recording.json');
    writeFileSync(file, '{"schema": "assay-replay/1"}');
    const args = ['fix', project(redProject), '--model', `replay:${file}`, '--json'];
    const ended = await assay(args, { home });
    expect(ended.code, ended.stderr).toBe(exitCodes.error);
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: 'input' } });
  });

  it('2 for options that mean nothing', async () => {
    const ended = await assay(['fix', project(redProject), '--rounds', '0'], { home: folder('home') });
    expect(ended.code, ended.stderr).toBe(exitCodes.usage);
  });
});

it('every exit code but that of an interrupt, which interrupt.test.ts makes, is made to happen here', () => {
  const made = [...Object.values(fixes), ...Object.values(labs)].map(({ code }) => code);
  const all = [...made, exitCodes.error, exitCodes.usage, exitCodes.interrupted];
  expect([...new Set(all)].toSorted()).toEqual(Object.values(exitCodes).toSorted());
});
