import { describe, expect, it } from 'vitest';
import type { CallLog } from '../types.ts';
import {
  firstText,
  largeProject,
  longFailures,
  propose,
  proposerOf,
  rightPatch,
} from './asked-proposer.fixture.ts';
import { noCallLog } from './call-log.ts';
import { projectionOf } from './projection.ts';
import { madeFeedback, madeSettings, madeTools } from './proposer.fixture.ts';

describe('budgets', () => {
  it('stop a call that they do not cover, before it is made', async () => {
    for (const [budget, exhausted] of [
      [{ tokens: 1000 }, 'tokens'],
      [{ costUsd: 0.001 }, 'cost'],
      [{ wallMs: 0 }, 'wall'],
    ] as const) {
      const { model, proposer } = proposerOf([rightPatch]);
      expect(await proposer.propose(madeFeedback(), madeTools({ budget }))).toMatchObject({
        kind: 'no_proposal',
        exhausted,
      });
      expect(model.requests).toHaveLength(0);
    }
  });

  it('tell what the call that they do not cover takes, and what reply they would pay for', async () => {
    const needOfCall = async (budget: { tokens?: number; costUsd?: number }) => {
      const { proposer } = proposerOf([rightPatch]);
      const proposed = await proposer.propose(madeFeedback(), madeTools({ budget }));
      return proposed.kind === 'no_proposal' ? proposed.need : undefined;
    };
    const whole = proposerOf([rightPatch]);
    await whole.proposer.propose(madeFeedback(), madeTools());
    const [asked] = whole.model.requests;
    const { maxOutputTokens = 0 } = asked ?? {};
    const tokens = asked === undefined ? 0 : (projectionOf(asked, null).tokens ?? 0);
    const need = await needOfCall({ tokens: tokens - 100 });
    expect(need).toMatchObject({ replyTokens: maxOutputTokens });
    // Counted with the tools for reading, which a small project goes without.
    expect(need?.tokens).toBeGreaterThanOrEqual(tokens);
    expect(need?.tokens).toBeLessThan(tokens + 1000);
    const payable = need?.payableReplyTokens ?? 0;
    expect(payable).toBeLessThanOrEqual(maxOutputTokens - 100);
    const settings = madeSettings({ maxOutputTokens: payable });
    const shorter = proposerOf([rightPatch], { settings });
    const paid = await shorter.proposer.propose(
      madeFeedback(),
      madeTools({ budget: { tokens: tokens - 100 } }),
    );
    expect(paid.kind).toBe('proposal');
    expect((await needOfCall({ costUsd: 0.001 }))?.costUsd).toBeGreaterThan(0.001);
  });

  it('stop a call of unknown price where cost is limited', async () => {
    const { model, proposer } = proposerOf([rightPatch], { price: null });
    const proposed = await proposer.propose(madeFeedback(), madeTools({ budget: { costUsd: 100 } }));
    expect(proposed).toMatchObject({ kind: 'no_proposal', exhausted: 'cost' });
    expect(model.requests).toHaveLength(0);
  });

  it('make the message shorter where that helps', async () => {
    const feedback = madeFeedback({ failing: longFailures });
    const lengthWith = async (budget: { tokens?: number; costUsd?: number }) => {
      const { model, proposer } = proposerOf([rightPatch]);
      const proposed = await proposer.propose(feedback, madeTools({ files: largeProject, budget }));
      expect(proposed.kind).toBe('proposal');
      return firstText(model.requests[0]).length;
    };
    const free = await lengthWith({});
    expect(await lengthWith({ tokens: 20_000 })).toBeLessThan(free / 2);
    expect(await lengthWith({ costUsd: 0.03 })).toBeLessThan(free);
  });

  it('know no cost without a price', async () => {
    const { proposed } = await propose([rightPatch], { price: null });
    expect(proposed.usage).toMatchObject({ tokens: 110, costUsd: null });
  });

  it('are told what a call costs at most', async () => {
    const projections: unknown[] = [];
    const calls: CallLog = {
      ...noCallLog,
      calling: async ({ projection }) => void projections.push(projection),
    };
    const { model, proposer } = proposerOf([rightPatch]);
    await proposer.propose(madeFeedback(), madeTools({ calls }));
    expect(projections).toHaveLength(1);
    const [{ tokens = 0, costUsd = 0 } = {}] = projections as { tokens?: number; costUsd?: number }[];
    expect(tokens).toBeGreaterThan(4000 + firstText(model.requests[0]).length / 3.5);
    expect(costUsd).toBeCloseTo((tokens - 4000 + 2 * 4000) / 1e6, 9);
  });
});
