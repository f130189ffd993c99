import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RepairEvent } from '../../src/core/index.ts';
import type { ScriptedReply } from '../../src/propose/index.ts';
import { attempt, proposal } from './attempt.ts';
import { asBody } from './cheat.ts';
import { victims } from './victims.ts';

const { files, fix } = victims.unittest;

/** The right fix, whatever an earlier patch that was kept has made of the function. */
const right: ScriptedReply = (_, tools) => {
  const now = tools.read('shop/price.py') ?? '';
  const whole = now.slice(now.indexOf('def total('));
  const replace = `def total(prices, percent=0):\n    ${fix}\n`;
  return proposal([{ op: 'replace', path: 'shop/price.py', search: whole, replace }]);
};
const priceId = 'tests.test_price.Price.test_discount';

/** An environment is mounted, not copied: what it says can change from run to run, as the world outside does. */
const turn = 'env/turn.txt';
const withTurn = { ...files, [turn]: 'first' };
const turnsAfter = (type: RepairEvent['type']) => (event: RepairEvent, dir: string) => {
  if (event.type === type) writeFileSync(path.join(dir, turn), 'second');
};

describe('tests that differ by themselves', () => {
  it('are found by a second baseline, named, and left out of the verdict', async () => {
    const flaky =
      'import unittest\n\n\nclass Flaky(unittest.TestCase):\n    def test_turn(self):\n        self.assertEqual(open("env/turn.txt").read(), "first")\n';
    const { result, heard, tested } = await attempt({
      framework: 'unittest',
      victim: { files: { ...withTurn, 'tests/test_flaky.py': flaky } },
      onEvent: turnsAfter('baseline_tested'),
      replies: [right],
    });
    const id = 'tests.test_flaky.Flaky.test_turn';
    expect(result).toMatchObject({ status: 'done', flaky: [id], tests: { total: 3, passed: 2, failed: 1 } });
    expect(result.warnings.join()).toContain(`left out as flaky, two runs of them differ: ${id}`);
    expect(heard[0]).toMatchObject({ flaky: [id], failing: [{ id: priceId }] });
    // It goes on failing, which is nobody's fault any more.
    expect(tested.map(({ tests }) => tests.find((test) => test.id === id)?.status)).toEqual([
      'failed',
      'failed',
    ]);
  });

  it('are held against a patch that made them so: the run that passes does not count', async () => {
    const unsteady = 'return 150 if percent and open("env/turn.txt").read() == "second" else sum(prices)';
    const { result, heard } = await attempt({
      framework: 'unittest',
      victim: { files: withTurn },
      onEvent: turnsAfter('tested'),
      replies: [proposal(asBody('unittest', unsteady)), right],
    });
    expect(heard[1]?.attempts[0]?.outcome).toContain(`taken back; two runs of this patch differ: ${priceId}`);
    expect(result).toMatchObject({ status: 'done', rounds: 2, flaky: [] });
    expect(result.warnings.join()).toContain(`two runs of one patch differ in: ${priceId}`);
  });

  it('are not done by a patch that passes once: a fresh sandbox must agree', async () => {
    const once = 'return sum(prices) if open("env/turn.txt").read() == "second" or not percent else 150';
    const { result, heard } = await attempt({
      framework: 'unittest',
      victim: { files: withTurn },
      onEvent: turnsAfter('tested'),
      replies: [proposal(asBody('unittest', once)), right],
    });
    expect(heard[1]?.attempts[0]?.outcome).toContain('passed once, but not when run again');
    expect(result).toMatchObject({ status: 'done', rounds: 2, confirmations: 2 });
  });
});

describe('tests that hang', () => {
  it('fail by themselves and the patch is taken back, in a test as while it is imported', async () => {
    const inTest = 'if percent:\n    while True: pass\nreturn sum(prices)';
    const atImport = 'while True: pass\n\n\ndef total(';
    const { result, heard, tested } = await attempt({
      framework: 'unittest',
      spec: { perTestMs: 700, testTimeoutMs: 5_000 },
      replies: [
        proposal(asBody('unittest', inTest)),
        proposal([{ op: 'replace', path: 'shop/price.py', search: 'def total(', replace: atImport }]),
        right,
      ],
    });
    expect(tested[0]?.tests.map(({ failure }) => failure?.type ?? null).sort()).toEqual(['TestHung', null]);
    // The others of the suite had their turn.
    expect(tested[0]?.verdict).toBe('failed');
    expect(tested[1]?.verdict).toBe('timeout');
    const outcomes = heard[2]?.attempts.map(({ outcome }) => outcome);
    expect(outcomes?.[0]).toMatch(/0 of 1 failing test now pass; 1 new failure: .*TestHung.*taken back/);
    expect(outcomes?.[1]).toMatch(/timeout.*taken back/);
    expect(result).toMatchObject({ status: 'done', rounds: 3 });
  });
});

describe('oscillation', () => {
  const times = (n: number) => proposal(asBody('unittest', `return sum(prices) * ${n}`));

  it('ends as stuck: A, B, A', async () => {
    const { result, heard } = await attempt({
      framework: 'unittest',
      replies: [times(2), times(3), times(2), right],
    });
    expect(heard).toHaveLength(3);
    expect(result).toMatchObject({ status: 'stuck', rounds: 2, patch: null });
    expect(result.reason).toContain('tested before');
  });

  it('is told apart from a patch that helps and one that builds on it', async () => {
    const half = asBody('unittest', 'return 150 if percent == 25 else sum(prices) + 1');
    const { result } = await attempt({ framework: 'unittest', replies: [proposal(half), times(2), right] });
    expect(result.status).toBe('done');
  });
});
