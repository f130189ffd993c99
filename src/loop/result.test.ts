import { describe, expect, it } from 'vitest';
import type { RepairEvent, RepairSpec } from '../core/index.ts';
import { repairResultSchema } from '../core/index.ts';
import { noUsage } from './budget.ts';
import { madeProposal, madeReport, madeSpec } from './made.ts';
import type { RepairState } from './repair-state.ts';
import { resultOf } from './result.ts';
import { type EffectsScript, runScript } from './testing.ts';
import { foldRepair, viewOf } from './view.ts';

const green = madeReport({ passing: ['a', 'b'], warnings: ['a plugin is not known'] });
const red = madeReport({ passing: ['b'], failing: { a: 'is 3' } });
const script: EffectsScript = {
  baseline: [red],
  propose: [madeProposal('x', { alternatives: ['y'], usage: { tokens: 120, costUsd: 0.01 } })],
  test: [green],
  confirm: [{ agreed: true, report: green, whole: green, heldOut: { total: 3, passed: 3 } }],
};

async function resultAfter(over: Partial<EffectsScript>, spec: Partial<RepairSpec> = {}) {
  const { state } = await runScript({ ...script, ...over }, spec);
  const result = resultOf({ state, run: 'fix-1', dir: '/runs/fix-1' });
  expect(repairResultSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  return result;
}

describe('resultOf', () => {
  it('tells a confirmed patch, its other choices and what it cost', async () => {
    expect(await resultAfter({})).toMatchObject({
      status: 'done',
      reason: '2 tests pass after 1 round, confirmed in a fresh sandbox and by 3 held-out tests',
      rounds: 1,
      patch: expect.stringContaining('diff'),
      bestEffort: false,
      motivation: 'say x',
      alternatives: [{ motivation: 'say y', diff: expect.stringContaining('"y"') }],
      tests: { total: 2, passed: 2, failed: 0, skipped: 0 },
      holdout: { total: 3, passed: 3 },
      confirmations: 1,
      usage: { tokens: 120, costUsd: 0.01, candidates: 0 },
      enforcement: { isolation: 'none' },
      warnings: ['a plugin is not known'],
      dir: '/runs/fix-1',
    });
  });

  it('has no patch when the suite was green or nothing helped', async () => {
    expect(await resultAfter({ baseline: [green] })).toMatchObject({
      status: 'already_green',
      reason: 'all tests pass without a patch',
      patch: null,
      bestEffort: false,
    });
    expect(await resultAfter({ test: [red] })).toMatchObject({ status: 'stuck', patch: null });
  });

  it('labels the best patch of a run that is not done', async () => {
    const two = madeReport({ failing: { a: 'is 3', b: 'is 4' } });
    const one = madeReport({ failing: { a: 'is 3' }, passing: ['b'] });
    const result = await resultAfter(
      { baseline: [two], test: [one], propose: [madeProposal('x'), madeProposal('y')] },
      { limits: { ...madeSpec().limits, rounds: 1 } },
    );
    expect(result).toMatchObject({
      status: 'budget_exhausted',
      reason: 'the rounds are used up: 1 of 1',
      fix: 'run it again with more, e.g. --rounds 2',
      bestEffort: true,
      motivation: 'say x',
      tests: { failed: 1 },
    });
  });

  it.each([
    [
      'tokens',
      { tokens: 5_000 },
      { tokens: 18_437, costUsd: null, replyTokens: 16_000, payableReplyTokens: 2_563 },
      'the token limit leaves no room for the next call: 0 of 5,000 used, and it takes up to 18,437 tokens, 16,000 of them for its reply',
      'run it again with more, e.g. --max-tokens 19000, or with shorter replies: --max-output-tokens 2500',
    ],
    [
      'cost',
      { costUsd: 0.01 },
      { tokens: 18_437, costUsd: 0.0412, replyTokens: 16_000, payableReplyTokens: 12 },
      'the cost limit leaves no room for the next call: $0.0000 of $0.0100 used, and it takes up to $0.0412 (18,437 tokens, 16,000 of them for its reply)',
      'run it again with more, e.g. --max-cost 0.042',
    ],
  ] as const)(
    'says what the next call takes where %s do not cover it',
    async (which, limit, need, reason, fix) => {
      const usage = { ...noUsage };
      const proposed = { kind: 'no_proposal' as const, reason: 'x', exhausted: which, need, usage };
      const limits = { ...madeSpec().limits, ...limit };
      expect(await resultAfter({ propose: [proposed] }, { limits })).toMatchObject({ reason, fix });
    },
  );

  it('says of a model that did not answer in time what helps', async () => {
    const because = 'openai/x could not be reached';
    const proposed = { kind: 'no_proposal' as const, reason: because, exhausted: 'wall' as const, because };
    const limits = { ...madeSpec().limits, wallMs: 8_000 };
    const result = await resultAfter({ propose: [{ ...proposed, usage: noUsage }] }, { limits });
    expect(result).toMatchObject({
      status: 'budget_exhausted',
      reason: expect.stringMatching(
        /^openai\/x could not be reached, and what is left of the time limit is for the tests: /,
      ),
      fix: 'run it again when the model answers in time, or with more, e.g. --timeout 16',
    });
  });

  it('warns of an unconfirmed patch, of overshooting and of flaky tests, without naming held-out tests', async () => {
    const whole = madeReport({ failing: { hidden: 'secret' } });
    const result = await resultAfter(
      {
        baseline: [madeReport({ failing: { a: 'is 3', b: 'once' } }), red],
        confirm: [{ agreed: false, report: green, whole, heldOut: { total: 3, passed: 1 } }],
      },
      { limits: { ...madeSpec().limits, tokens: 100 } },
    );
    expect(result).toMatchObject({ status: 'budget_exhausted', bestEffort: true, flaky: ['b'] });
    const warnings = result.warnings.join('\n');
    expect(warnings).toContain('left out as flaky, two runs of them differ: b');
    expect(warnings).toContain('not confirmed: 2 of 3 held-out tests did not pass');
    expect(warnings).toContain('over the token limit: 120 of 100');
    expect(JSON.stringify(result)).not.toMatch(/hidden|secret/);
  });

  it('warns once of the replies of a recording that were recorded for something else', async () => {
    const { events } = await runScript(script, {});
    const at = events.findIndex(({ type }) => type === 'proposed');
    const usage = {
      inputTokens: 1,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 1,
      estimated: true,
    };
    const reply = { text: 'x', toolCalls: [], finish: 'stop' as const, usage };
    const called = (more: { recordedForAnother?: number }): RepairEvent => {
      const result = { ok: true as const, reply, ...more };
      return { type: 'model_called', round: 1, model: 'a/b', request: 'x', result, usage: noUsage };
    };
    const warningsWith = (numbers: readonly number[]) => {
      const others = numbers.map((number) => called({ recordedForAnother: number }));
      const all = [...events.slice(0, at), called({}), ...others, ...events.slice(at)];
      const state = all.reduce<RepairState | null>(foldRepair, null) ?? expect.fail('no event');
      return resultOf({ state, run: 'fix-1', dir: '/x' }).warnings.filter((each) =>
        each.includes('recording'),
      );
    };
    expect(warningsWith([])).toEqual([]);
    expect(warningsWith([2])).toEqual([
      expect.stringMatching(/^reply 2 of the recording was given in its order/),
    ]);
    expect(warningsWith([2, 3])).toEqual([
      expect.stringMatching(/^replies 2, 3 of the recording were given/),
    ]);
  });

  it('is aborted and resumable without an end, and tells what a crash was charged', async () => {
    const { events } = await runScript(script, {});
    const cut = events.slice(
      0,
      events.findIndex(({ type }) => type === 'applied'),
    );
    const fold = (all: RepairEvent[]) =>
      all.reduce<RepairState | null>(foldRepair, null) ?? expect.fail('no event');
    const result = resultOf({ state: fold(cut), run: 'fix-1', dir: '/x' });
    expect(result).toMatchObject({
      status: 'aborted',
      reason: 'the process was cut; go on with: assay resume fix-1',
    });
    const charged = fold([
      ...cut,
      { type: 'resumed', lost: { ...noUsage, tokens: 7_000, wallMs: 912.2329230000005 } },
    ]);
    expect(resultOf({ state: charged, run: 'fix-1', dir: '/x' }).warnings).toContain(
      'the usage includes what a cut attempt may have cost at most: 7,000 tokens, 0.9 s',
    );
  });
});

describe('viewOf', () => {
  it('follows a run event by event', async () => {
    const two = madeReport({ failing: { a: 'is 3', b: 'is 4' } });
    const one = madeReport({ failing: { a: 'is 3' }, passing: ['b'] });
    const { events } = await runScript(
      { ...script, baseline: [two], test: [one, green], propose: [madeProposal('x'), madeProposal('y')] },
      {},
    );
    let state: RepairState | null = null;
    const seen = events.flatMap((event) => {
      state = foldRepair(state, event);
      const { phase, round, failing, failingAtStart } = viewOf(state);
      return event.type === 'effect_started' ? [`${phase} ${round} ${failing}/${failingAtStart}`] : [];
    });
    expect(seen).toEqual([
      'baseline 0 null/null',
      'baseline 0 2/2',
      'proposing 1 2/2',
      'applying 1 2/2',
      'testing 1 2/2',
      'proposing 2 1/2',
      'applying 2 1/2',
      'testing 2 1/2',
      'confirming 2 1/2',
    ]);
    const last = viewOf(state ?? expect.fail('no event'));
    expect(last).toMatchObject({ phase: 'ended', failing: 0, total: 2, end: { status: 'done' } });
    expect(last.lastOutcome).toBe('all tests pass, confirmed');
  });
});
