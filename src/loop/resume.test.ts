import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RepairEvent } from '../core/index.ts';
import { addUsage, noUsage } from './budget.ts';
import { go } from './in-world.fixture.ts';
import { repairMachine } from './repair.ts';
import { takeUp } from './resume.ts';
import { fixed, world } from './world.fixture.ts';

describe('resume', () => {
  it('reaches the same end with the same spent from every prefix of a journal, but for what was lost', async () => {
    // Limits that a charge for a lost attempt cannot reach: else the ends may differ, and rightly so.
    const roomy = world.map((at) => ({
      ...at,
      limits: { rounds: at.limits.rounds, tokens: null, costUsd: null, candidates: null, wallMs: 1e9 },
    }));
    await fc.assert(
      fc.asyncProperty(roomy, async (at) => {
        const whole = await go(at);
        for (let length = 1; length <= whole.events.length; length++) {
          const prefix = whole.events.slice(0, length);
          const again = await go(at, prefix);
          expect(again.end).toEqual(whole.end);
          expect(again.state.best).toEqual(whole.state.best);
          // What is in the journal is neither performed nor paid again.
          const { pending } = takeUp(prefix).position;
          const done = prefix.filter(
            (event) => repairMachine.settles(event) || event.type === 'effect_failed',
          ).length;
          expect(again.calls).toEqual(whole.calls.slice(done));
          const told = prefix.filter(({ type }) => type === 'model_called').length;
          expect(again.asked).toEqual(whole.asked.slice(told));
          const cut = noUsageBut(prefix, pending === null);
          const extra = addUsage(cut, again.state.lost);
          const { rounds, ...spent } = whole.state.spent;
          expect(again.state.spent).toEqual({ ...addUsage(spent, extra), rounds });
        }
      }),
      { numRuns: 40 },
    );
  });

  it('counts attempts and keeps the id of a cut effect', async () => {
    const at = fixed();
    const { events } = await go(at);
    const cut = events.findIndex((event) => event.type === 'proposed');
    const once = events.slice(0, cut);
    const again = await go(at, once);
    const starts = again.events.flatMap((event) =>
      event.type === 'effect_started' ? [[event.id, event.attempt, event.effect.kind]] : [],
    );
    expect(starts.slice(0, 6)).toEqual([
      [1, 1, 'baseline'],
      [2, 1, 'baseline'],
      [3, 1, 'propose'],
      [3, 2, 'propose'],
      [4, 1, 'apply'],
      [5, 1, 'test'],
    ]);
    expect(again.events[cut]).toEqual({ type: 'resumed', lost: { ...noUsage, tokens: 100 } });
  });

  it('charges a lost attempt once, however often the resume itself is cut', async () => {
    const at = fixed();
    const { events } = await go(at);
    const once = events.slice(
      0,
      events.findIndex((event) => event.type === 'proposed'),
    );
    const first = takeUp(once);
    expect(first.resumed.lost?.tokens).toBe(100);
    const second = takeUp([...once, first.resumed]);
    expect(second.resumed.lost).toBe(null);
    expect(second.position.pending).toMatchObject({ id: 3, attempt: 1 });
  });

  it('charges the time of a cut test at its projection, and none after an orderly stop', async () => {
    const at = fixed();
    const { events } = await go(at);
    const test = events.findIndex((event) => event.type === 'tested');
    const crashed = takeUp(events.slice(0, test));
    expect(crashed.resumed.lost).toEqual({ ...noUsage, wallMs: 100 });
    const stopped = takeUp([
      ...events.slice(0, test),
      { type: 'stopped', detail: 'interrupted', wallMs: 20 },
    ]);
    expect(stopped.resumed.lost).toBe(null);
    expect(stopped.position.state.spent.wallMs - crashed.position.state.spent.wallMs).toBe(20);
  });

  it('refuses a journal that goes on after its end, or that is no run', async () => {
    const { events } = await go(fixed());
    const more = [...events, { type: 'steered' as const, text: 'x' }];
    expect(() => takeUp(more)).toThrow('goes on after its end');
    expect(() => takeUp([])).toThrow('does not begin');
    expect(() => takeUp(events.slice(1))).toThrow('does not begin');
    const [start, ...rest] = events;
    const tested = rest.find((event) => event.type === 'tested');
    if (start === undefined || tested === undefined) throw new Error('no test in the journal');
    expect(() => takeUp([start, tested])).toThrow("'tested' event where the run is baseline");
  });
});

/** What the batches of an effect cut at the end of `prefix` have charged: real work that is done anew. */
function noUsageBut(prefix: readonly RepairEvent[], settled: boolean) {
  if (settled) return { ...noUsage };
  const start = prefix.findLastIndex((event) => event.type === 'effect_started');
  return prefix
    .slice(start)
    .reduce(
      (sum, event) =>
        event.type === 'candidates'
          ? addUsage(sum, { ...noUsage, candidates: event.tried, wallMs: event.wallMs })
          : sum,
      { ...noUsage },
    );
}
