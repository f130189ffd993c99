import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import {
  type Edit,
  type Proposed,
  type RepairEvent,
  type RepairSpec,
  repairEventSchema,
} from '../core/index.ts';
import { type ScriptedReply, scriptedProposer } from '../propose/index.ts';
import { openStore } from '../store/index.ts';
import { noUsage } from './budget.ts';
import { madeSpec } from './made.ts';
import { repairFiles, resumeRepair, runRepair } from './run-repair.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'assay-repair-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const store = openStore({ home: path.join(folder, 'home'), env: {} });
let count = 0;

const source = `def tier(total):
    if total < 100:
        return 'basic'
    return 'gold'


def countdown(n):
    while n > 0:
        n -= 1
    return n
`;
const tests = `import unittest
from shop import countdown, tier

class Tiers(unittest.TestCase):
    def test_countdown(self): self.assertEqual(countdown(3), 0)
    def test_edge(self): self.assertEqual(tier(100), 'basic')
    def test_high(self): self.assertEqual(tier(500), 'gold')
`;
const hidden = `import unittest
from shop import tier

class Hidden(unittest.TestCase):
    def test_secret(self): self.assertEqual(tier(101), 'gold')
`;
const project = { 'shop.py': source, 'tests/__init__.py': '', 'tests/test_shop.py': tests };
const withHidden = { ...project, 'tests/test_hidden.py': hidden };

const right: Edit = { op: 'replace', path: 'shop.py', search: 'total < 100', replace: 'total <= 100' };
const overfit: Edit = { op: 'replace', path: 'shop.py', search: 'total < 100', replace: 'total < 300' };
const proposal = (...edits: Edit[]): Proposed => ({
  kind: 'proposal',
  motivation: 'a try',
  edits,
  alternatives: [],
  usage: noUsage,
});

/** A project on disk, a run for it, and what repairs it with the real lab. */
async function setUp(
  files: Record<string, string>,
  replies: ScriptedReply[],
  over: Partial<RepairSpec> = {},
) {
  const dir = path.join(folder, `project-${count++}`);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    writeFileSync(path.join(dir, file), text);
  }
  const spec = madeSpec({ dir, framework: 'unittest', strict: inject('holdsEveryLimit'), ...over });
  const run = await store.create({ kind: 'fix', spec, event: repairEventSchema });
  const proposer = scriptedProposer({ replies });
  const stop = new AbortController();
  return { dir, run, stop, proposer, options: { spec, run, proposers: [proposer], signal: stop.signal } };
}

describe('a repair in the real lab', () => {
  it('is done with a patch that held-out tests agree with, and leaves the project as it was', async () => {
    const { options, dir, run, proposer } = await setUp(withHidden, [proposal(right)], {
      holdout: ['tests/test_hidden.py'],
    });
    const { result } = await runRepair(options);
    expect(result).toMatchObject({
      status: 'done',
      tests: { total: 3, passed: 3 },
      holdout: { total: 1, passed: 1 },
      bestEffort: false,
    });
    expect(readFileSync(path.join(run.dir, repairFiles.patch), 'utf8')).toBe(result.patch);
    expect(readFileSync(path.join(dir, 'shop.py'), 'utf8')).toBe(source);
    expect(proposer.heard[0]?.failing).toMatchObject([
      { status: 'failed', failure: { type: 'AssertionError', trace: expect.stringContaining('tier(100)') } },
    ]);
    expect(JSON.stringify(proposer.heard)).not.toMatch(/test_hidden|test_secret|tier\(101\)/);
  });

  it('does not confirm a patch that only the visible tests agree with', async () => {
    const { options, proposer } = await setUp(withHidden, [proposal(overfit)], {
      holdout: ['tests/test_hidden.py'],
    });
    const { result } = await runRepair(options);
    expect(result).toMatchObject({
      status: 'stuck',
      bestEffort: true,
      confirmations: 1,
      holdout: { total: 1, passed: 0 },
    });
    expect(proposer.heard[1]?.attempts[0]?.outcome).toContain('not confirmed');
    expect(JSON.stringify(proposer.heard)).not.toMatch(/test_hidden|test_secret|tier\(101\)/);
  });

  it('does not hold skips against a patch that the original decides on while it runs', async () => {
    const skips = '    def test_elsewhere(self): self.skipTest("only on another machine")\n';
    const files = {
      ...withHidden,
      'tests/test_shop.py': tests + skips,
      'tests/test_hidden.py': hidden + skips,
    };
    const { options } = await setUp(files, [proposal(right)], { holdout: ['tests/test_hidden.py'] });
    const { result } = await runRepair(options);
    expect(result).toMatchObject({ status: 'done', tests: { total: 4, passed: 3, skipped: 1 } });
  });

  it('is not done by a patch that makes a test skip itself', async () => {
    const hide = 'import unittest\n        raise unittest.SkipTest("later")';
    const skipping: Edit = {
      op: 'replace',
      path: 'shop.py',
      search: "    if total < 100:\n        return 'basic'",
      replace: `    if total == 100:\n        ${hide}\n    if total < 100:\n        return 'basic'`,
    };
    const { options } = await setUp(project, [proposal(skipping)]);
    const { result } = await runRepair(options);
    expect(result.status).not.toBe('done');
  });

  it('repairs a suite that hangs', async () => {
    const hangs = { ...project, 'shop.py': source.replace('n -= 1', 'n -= 0').replace('< 100', '<= 100') };
    const fix: Edit = { op: 'replace', path: 'shop.py', search: 'n -= 0', replace: 'n -= 1' };
    const { options, proposer } = await setUp(hangs, [proposal(fix)], { testTimeoutMs: 4_000 });
    const { result } = await runRepair(options);
    expect(result.status).toBe('done');
    expect(proposer.heard[0]?.report.verdict).toBe('timeout');
    expect(proposer.heard[0]?.failing.map(({ failure }) => failure?.type)).toContain('NotFinished');
  });

  it('is not done by a patch that ends the test process, or hides a test', async () => {
    const cheats: Edit[] = [
      { op: 'replace', path: 'shop.py', search: 'def tier', replace: 'import os\nos._exit(0)\ndef tier' },
      { op: 'replace', path: 'tests/test_shop.py', search: 'def test_edge', replace: 'def edge' },
      { op: 'create', path: 'sitecustomize.py', content: 'import os\nos._exit(0)\n' },
    ];
    const { options, proposer } = await setUp(
      project,
      cheats.map((edit) => proposal(edit)),
    );
    const { result } = await runRepair(options);
    expect(result).toMatchObject({ status: 'stuck', patch: null });
    expect(proposer.heard[1]?.attempts[0]?.outcome).toContain('taken back');
    expect(proposer.heard.slice(2).map(({ refusals }) => refusals[0]?.code)).toEqual([
      'protected',
      'protected',
    ]);
  });

  it.each<[string, Record<string, string>, Partial<RepairSpec>, RegExp]>([
    ['no tests', { 'shop.py': source }, {}, /test/],
    ['a syntax error', { ...project, 'shop.py': 'def tier(:\n' }, {}, /SyntaxError|invalid syntax/],
    [
      'a test command that does not exist',
      project,
      { framework: null, testCommand: ['no-such-python', '-m', 'unittest'] },
      /no-such-python/,
    ],
  ])('ends as environment_error: %s', async (_, files, spec, reason) => {
    const { options } = await setUp(files, [], spec);
    const { result } = await runRepair(options);
    expect(result).toMatchObject({ status: 'environment_error', patch: null });
    expect(result.reason).toMatch(reason);
  });

  it('needs nothing of the user folder to go on: it may be gone', async () => {
    const { options, dir, run, stop } = await setUp({ ...project, 'odd name.bin': 'a\u0000b' }, [
      proposal(right),
    ]);
    const onEvent = (event: RepairEvent) => {
      if (event.type === 'applied') stop.abort();
    };
    expect(await runRepair({ ...options, onEvent })).toMatchObject({ resumable: true });
    rmSync(dir, { recursive: true });
    const { result } = await resumeRepair({
      run,
      proposers: [scriptedProposer({ replies: [] })],
      signal: new AbortController().signal,
    });
    expect(result).toMatchObject({ status: 'done', rounds: 1 });
    expect(result.warnings.join('\n')).toContain('the project has changed since the run began');
    expect(existsSync(dir)).toBe(false);
  });

  it('stops in the middle of a test run and goes on from there', async () => {
    const slow = {
      ...project,
      'tests/test_slow.py':
        'import time\nimport unittest\n\nclass Slow(unittest.TestCase):\n    def test_slow(self): time.sleep(0.6)\n',
    };
    const { options, run, stop } = await setUp(slow, [proposal(right)]);
    const first = await runRepair({
      ...options,
      onEvent: (event) => {
        if (event.type === 'effect_started' && event.effect.kind === 'test')
          setTimeout(() => stop.abort(), 300);
      },
    });
    expect(first).toMatchObject({ end: { status: 'aborted' }, resumable: true });
    const before = run.events().length;
    const { result } = await resumeRepair({
      run,
      proposers: [scriptedProposer({ replies: [] })],
      signal: new AbortController().signal,
    });
    expect(result).toMatchObject({ status: 'done', rounds: 1 });
    const after = run
      .events()
      .slice(before)
      .map(({ event }) => event.type);
    expect(after).toEqual([
      'resumed',
      'effect_started',
      'tested',
      'effect_started',
      'confirmed',
      'run_ended',
    ]);
  });
});
