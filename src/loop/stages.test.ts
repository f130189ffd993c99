import { describe, expect, it } from 'vitest';
import type { Proposed, RepairEvent } from '../core/index.ts';
import { madeProposal, madeReport, madeSpec } from './made.ts';
import { repairMachine } from './repair.ts';
import { resultOf } from './result.ts';
import { positionAfter, startOf } from './resume.ts';
import { repliesIn } from './run-repair.ts';
import { stageLeft, stagesOf, stageWall } from './stages.ts';
import { type EffectsScript, runScript } from './testing.ts';
import { viewOf } from './view.ts';

const green = madeReport({ passing: ['a', 'b'] });
const red = (failing: Record<string, string>) =>
  madeReport({ passing: ['a', 'b'].filter((id) => !(id in failing)), failing });
const both = red({ a: 'is 3', b: 'is 4' });
const agreed = { agreed: true, report: green, whole: green, heldOut: null };
const { usage } = madeProposal('x');
const nothing: Proposed = { kind: 'no_proposal', reason: 'no template is left', exhausted: null, usage };
const malformed: Proposed = { kind: 'malformed', problem: 'no tool call', usage };
const chain = { proposer: 'search, some/model' };

const run = (script: Partial<EffectsScript>, spec = {}) =>
  runScript(
    { baseline: [both], propose: [nothing], test: [green], confirm: [agreed], ...script },
    { ...chain, ...spec },
  );
const stateAfter = (events: readonly RepairEvent[], spec = chain) =>
  positionAfter(repairMachine, startOf(repairMachine, madeSpec(spec)), events).state;

describe('several proposers', () => {
  it('are named by their ids, divided by commas', () => {
    expect(stagesOf(madeSpec(chain))).toEqual(['search', 'some/model']);
    expect(stagesOf(madeSpec({ proposer: 'search' }))).toEqual(['search']);
  });

  it('take over when there is nothing to propose', async () => {
    const { end, state, events } = await run({ propose: [nothing, madeProposal('x')] });
    expect(end).toEqual({ status: 'done' });
    expect(state.stage).toBe(1);
    expect(viewOf(state)).toMatchObject({
      proposer: 'some/model',
      stage: 2,
      stages: 2,
      handover: 'search: no template is left',
    });
    expect(repliesIn(events)).toEqual([1, 1]);
  });

  it('take over when the tests stay as they are, on the pristine project, and hear of the attempt', async () => {
    const { end, events, state } = await run({
      propose: [madeProposal('x'), madeProposal('y')],
      test: [both, both, green],
    });
    expect(end).toEqual({ status: 'done' });
    expect(state.best?.layers).toEqual([madeProposal('y').edits]);
    const second = events.findLastIndex(
      (event) => event.type === 'effect_started' && event.effect.kind === 'propose',
    );
    const before = stateAfter(events.slice(0, second));
    expect(before.phase).toMatchObject({ at: 'proposing', base: { diff: '', layers: [] } });
    expect(before.tried.map(({ outcome }) => outcome)).toEqual(['the tests fail exactly as before']);
    expect(viewOf(before).handover).toBe('search: round 1 fails exactly as the round before, twice');
  });

  it('go on from the best patch that was kept', async () => {
    const { end, state } = await run({
      propose: [madeProposal('x'), nothing, madeProposal('y')],
      test: [red({ b: 'is 4' }), green],
    });
    expect(end).toEqual({ status: 'done' });
    expect(state.best?.layers).toEqual([madeProposal('x').edits, madeProposal('y').edits]);
  });

  it('take over from replies of no use, and have three of their own', async () => {
    const propose = [malformed, malformed, malformed, malformed, malformed, madeProposal('x')];
    expect((await run({ propose })).end).toEqual({ status: 'done' });
    const { end, state } = await run({ propose: [malformed] });
    expect(end).toMatchObject({ status: 'unpatchable' });
    expect(state.stage).toBe(1);
  });

  it('take over when the candidates are used up', async () => {
    const exhausted: Proposed = {
      ...nothing,
      exhausted: 'candidates',
      usage: { ...usage, candidates: 64 },
    };
    const limits = { ...madeSpec().limits, candidates: 64 };
    const { end, state } = await run({ propose: [exhausted, madeProposal('x')] }, { limits });
    expect(state.handedOver).toMatchObject([{ status: 'budget_exhausted', which: 'candidates' }]);
    expect(end).toEqual({ status: 'done' });
    const { end: none } = await run({ propose: [exhausted] }, { limits });
    expect(none).toMatchObject({ status: 'budget_exhausted', which: 'candidates' });
  });

  it('leave a limit of the whole run as the end of the run', async () => {
    const limits = { ...madeSpec().limits, rounds: 1 };
    const { end, state } = await run(
      { propose: [madeProposal('x')], test: [red({ a: 'other' })] },
      { limits },
    );
    expect(end).toMatchObject({ status: 'budget_exhausted', which: 'rounds' });
    expect(state.stage).toBe(0);
    const cost = await run({ propose: [{ ...nothing, exhausted: 'cost' }] });
    expect(cost.end).toMatchObject({ status: 'budget_exhausted', which: 'cost' });
    expect(cost.state.stage).toBe(0);
  });

  it('tell at the end what those before came to', async () => {
    const { state } = await run({ propose: [nothing, { ...nothing, reason: 'it gave up' }] });
    const { status, reason } = resultOf({ state, run: 'r', dir: '/r' });
    expect({ status, reason }).toEqual({
      status: 'stuck',
      reason: 'it gave up; before that search: no template is left',
    });
  });
});

describe('the wall time of a stage', () => {
  const limits = { ...madeSpec().limits, wallMs: 9_000 };

  it('is a third of the limit, and what is left for the last', async () => {
    const events = (await run({}, { limits })).events.slice(1);
    const proposing = events.findIndex(({ type }) => type === 'proposed');
    const first = stateAfter(events.slice(0, proposing), { ...chain, limits } as typeof chain);
    expect(stageWall(first)).toEqual({ used: 0, limit: 3_000 });
    expect(stageLeft(first).wallMs).toBe(3_000);
    const second = stateAfter(events.slice(0, proposing + 1), { ...chain, limits } as typeof chain);
    expect(second.stage).toBe(1);
    expect(stageLeft(second).wallMs).toBe(9_000 - second.spent.wallMs);
  });

  it('ends the stage when it is used up, before the proposer is asked again', async () => {
    const slow = red({ a: 'other' });
    const { events } = await run({ propose: [madeProposal('x')], test: [slow] }, { limits });
    const cut = events.findIndex(({ type }) => type === 'tested');
    const tested = events[cut];
    if (tested?.type !== 'tested') throw new Error('no test');
    const state = stateAfter([...events.slice(0, cut), { ...tested, wallMs: 3_500 }]);
    expect(state.stage).toBe(1);
    expect(state.handedOver).toMatchObject([{ status: 'budget_exhausted', which: 'wall', limit: 3_000 }]);
    expect(state.phase.at).toBe('proposing');
  });
});
