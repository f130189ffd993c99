import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RepairEvent } from '../core/index.ts';
import { addUsage, leftOf, noUsage, type Spent } from './budget.ts';
import { go, specOf } from './in-world.fixture.ts';
import { repairMachine } from './repair.ts';
import { positionAfter, startOf } from './resume.ts';
import { world } from './world.fixture.ts';

/** Spent, counted by another way than the machine's: straight from the journal. */
function spentIn(events: readonly RepairEvent[]): Spent {
  let spent = { ...noUsage, rounds: 0 } as Spent;
  let batches = noUsage as Spent;
  let conversation = { ...noUsage };
  const add = (usage: Parameters<typeof addUsage>[1]) => {
    spent = { ...addUsage(spent, usage), rounds: spent.rounds };
  };
  for (const event of events) {
    if (event.type === 'effect_started') batches = { ...noUsage, rounds: 0 };
    if (event.type === 'candidates') {
      const usage = { ...noUsage, candidates: event.tried, wallMs: event.wallMs };
      batches = { ...addUsage(batches, usage), rounds: 0 };
      add(usage);
    }
    if (event.type === 'model_called') {
      conversation = addUsage(conversation, event.usage);
      batches = { ...addUsage(batches, { ...noUsage, wallMs: event.usage.wallMs }), rounds: 0 };
      add(event.usage);
    }
    const more = (all: number, part: number) => Math.max(0, all - part);
    if (event.type === 'proposed') {
      const { tokens, costUsd, candidates, wallMs } = event.proposed.usage;
      const paid = conversation;
      conversation = { ...noUsage };
      add({
        tokens: more(tokens, paid.tokens),
        costUsd: costUsd === null ? null : more(costUsd, paid.costUsd ?? 0),
        candidates: more(candidates, batches.candidates),
        wallMs: more(wallMs, batches.wallMs),
      });
    } else if (event.type === 'effect_failed')
      add({ ...noUsage, wallMs: more(event.wallMs ?? 0, batches.wallMs) });
    else if ('wallMs' in event && event.type !== 'candidates' && event.type !== 'stopped')
      add({ ...noUsage, wallMs: event.wallMs });
    if (event.type === 'resumed' && event.lost !== null) add(event.lost);
    if (event.type === 'tested' && !event.again) spent.rounds++;
  }
  return spent;
}

describe('every world', () => {
  it('comes to exactly one end within a bounded number of effects', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (at) => {
        const { end, events, calls } = await go(at);
        expect(events.filter(({ type }) => type === 'run_ended')).toHaveLength(1);
        expect(events.at(-1)).toEqual({ type: 'run_ended', end });
        // Two baselines; a round is a test, a repeat of it and a confirmation, and each proposal has at most two
        // other patches; at most two proposals in a row cost no round.
        const outages = at.modelCalls === 0 ? 0 : at.outages;
        expect(calls.length - outages).toBeLessThanOrEqual(
          2 + at.limits.rounds * (3 + 3 * (1 + 3)) + 3 * (1 + 3),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('gives up only when no proposer is left that could take over', async () => {
    let handedOver = 0;
    await fc.assert(
      fc.asyncProperty(world, async (at) => {
        const { end, state } = await go(at);
        expect(state.stage).toBeLessThan(at.stages);
        expect(state.handedOver).toHaveLength(state.stage);
        if (end.status === 'stuck' || end.status === 'unpatchable') expect(state.stage).toBe(at.stages - 1);
        handedOver += state.stage;
      }),
      { numRuns: 200 },
    );
    expect(handedOver).toBeGreaterThan(20);
  });

  it('never starts an effect that is projected at more than what is left, and counts what it spends', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (at) => {
        const { events, state } = await go(at);
        for (const [index, event] of events.entries()) {
          if (event.type !== 'effect_started') continue;
          const left = leftOf(at.limits, spentIn(events.slice(0, index)));
          for (const which of ['tokens', 'costUsd', 'wallMs', 'candidates'] as const) {
            const room = left[which];
            const projected = event.projection[which];
            if (room === null || projected === undefined) continue;
            expect(projected).toBeLessThanOrEqual(room);
            expect(room).toBeGreaterThan(0);
          }
        }
        expect(state.spent).toEqual(spentIn(events));
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same state folded whole, or as a prefix and the rest', async () => {
    await fc.assert(
      fc.asyncProperty(world, fc.nat(), async (at, n) => {
        const { events, state } = await go(at);
        const start = startOf(repairMachine, specOf(at));
        const cut = n % (events.length + 1);
        const frozen = JSON.stringify(events);
        const prefix = positionAfter(repairMachine, start, events.slice(0, cut));
        const before = JSON.stringify(prefix.state);
        const whole = positionAfter(repairMachine, prefix, events.slice(cut));
        expect(whole).toEqual(positionAfter(repairMachine, start, events));
        expect(JSON.stringify(prefix.state)).toBe(before);
        expect(JSON.stringify(events)).toBe(frozen);
        expect({ ...whole.state, phase: null }).toEqual({ ...state, phase: null });
      }),
      { numRuns: 200 },
    );
  });
});
