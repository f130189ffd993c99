import { describe, expect, it } from 'vitest';
import type { ModelResult, RepairEvent } from '../core/index.ts';
import { noUsage } from './budget.ts';
import { callLog } from './call-log.ts';
import { madeProposal, madeReport, madeSpec } from './made.ts';
import { repairMachine } from './repair.ts';
import type { RepairState } from './repair-state.ts';
import { positionAfter, startOf, takeUp } from './resume.ts';

const usage = { ...noUsage, tokens: 100, costUsd: 0.5, wallMs: 40 };
const counted = {
  inputTokens: 90,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 10,
  estimated: false,
};
const reply = (text: string): ModelResult => ({
  ok: true,
  reply: { text, toolCalls: [], finish: 'stop', usage: counted },
});
const overloaded: ModelResult = {
  ok: false,
  failure: { kind: 'overloaded', message: 'busy', fix: 'wait', retryAfterMs: null, usage: counted },
};

const red = madeReport({ failing: { a: 'is 3' }, usage: { ...madeReport().usage, wallMs: 60_000 } });
/** Up to a `propose` that has begun, projected at 700 tokens. */
const begun: RepairEvent[] = [
  { type: 'run_started', spec: madeSpec() },
  { type: 'baseline_tested', report: red, again: false, wallMs: 60_000 },
  {
    type: 'effect_started',
    id: 1,
    attempt: 1,
    effect: { kind: 'propose', round: 1 },
    projection: { ...noUsage, tokens: 700, costUsd: 7 },
  },
];
const calling: RepairEvent = {
  type: 'model_calling',
  round: 1,
  model: 'some/model',
  projection: { tokens: 300, costUsd: 3 },
};
const called = (request: string, result = reply(request)): RepairEvent => ({
  type: 'model_called',
  round: 1,
  model: 'some/model',
  request,
  result,
  usage,
});
const failed: RepairEvent = {
  type: 'effect_failed',
  id: 1,
  code: 'provider',
  detail: 'busy',
  fix: 'wait',
  wallMs: 50,
};
const stateAfter = (events: readonly RepairEvent[]): RepairState =>
  positionAfter(repairMachine, startOf(repairMachine, madeSpec()), events).state;
const spentOn = (events: readonly RepairEvent[]) => {
  const { spent } = stateAfter([...begun, ...events]);
  return { tokens: spent.tokens, costUsd: spent.costUsd, wallMs: spent.wallMs - 60_000 };
};

describe('callLog', () => {
  const past = [reply('one'), reply('two')].map((result, at) => {
    const left = { tokens: 1000 - 100 * at, costUsd: null };
    return { request: `r${at}`, result, usage, left };
  });

  it('tells what was left when the next of them was made', () => {
    const log = callLog({ round: 1, past, emit: async () => {} });
    expect(log.leftThen?.()).toEqual({ tokens: 1000, costUsd: null });
    log.past('r0');
    expect(log.leftThen?.()).toEqual({ tokens: 900, costUsd: null });
    log.past('other');
    expect(log.leftThen?.()).toBe(null);
  });

  it('gives past results again in their order, each once', () => {
    const log = callLog({ round: 1, past, emit: async () => {} });
    expect(log.past('r0')).toEqual(reply('one'));
    expect(log.past('r1')).toEqual(reply('two'));
    expect(log.past('r1')).toBe(null);
  });

  it('gives nothing more from the first request on that was another then', () => {
    const log = callLog({ round: 1, past, emit: async () => {} });
    expect(log.past('other')).toBe(null);
    expect(log.past('r0')).toBe(null);
    expect(past).toHaveLength(2);
  });

  it('puts a call on disk before it begins and after its end', async () => {
    const journal: [RepairEvent, { sync: boolean }][] = [];
    const log = callLog({
      round: 1,
      past: [],
      emit: async (event, options) => {
        journal.push([event, options]);
      },
    });
    await log.calling({ model: 'some/model', projection: { tokens: 300, costUsd: 3 } });
    await log.called({ model: 'some/model', request: 'r0', result: reply('r0'), usage });
    expect(journal).toEqual([
      [calling, { sync: true }],
      [called('r0'), { sync: true }],
    ]);
  });
});

describe('calls in the journal', () => {
  it('are charged as they end, and not again by the reply they led to', () => {
    expect(spentOn([calling, called('r0'), calling, called('r1')])).toEqual({
      tokens: 200,
      costUsd: 1,
      wallMs: 80,
    });
    const all = { ...noUsage, tokens: 200, costUsd: 1, wallMs: 90 };
    const proposed: RepairEvent = { type: 'proposed', round: 1, proposed: madeProposal('x', { usage: all }) };
    expect(spentOn([calling, called('r0'), calling, called('r1'), proposed])).toEqual({
      tokens: 200,
      costUsd: 1,
      wallMs: 90,
    });
  });

  it('charge what a call costs at most where a crash leaves it without an end', () => {
    const { resumed, position } = takeUp([...begun, calling, called('r0'), calling]);
    expect(resumed.lost).toEqual({ ...noUsage, tokens: 300, costUsd: 3 });
    expect(position.state.calls.past).toMatchObject([{ request: 'r0' }]);
    expect(takeUp([...begun, calling, called('r0')]).resumed.lost).toBe(null);
    // Without a word of single calls the whole proposal may be lost.
    expect(takeUp(begun).resumed.lost).toEqual({ ...noUsage, tokens: 700, costUsd: 7 });
  });

  it('belong to one proposal', () => {
    const proposed: RepairEvent = { type: 'proposed', round: 1, proposed: madeProposal('x') };
    const { calls } = stateAfter([...begun, calling, called('r0'), proposed]);
    expect(calls).toMatchObject({ past: [], inFlight: null, any: false });
  });

  it('keep what was left when each began', () => {
    const spec = madeSpec({ limits: { ...madeSpec().limits, tokens: 5000, costUsd: 9 } });
    const events = [...begun.slice(1), calling, called('r0'), calling, called('r1')];
    const { calls } = positionAfter(repairMachine, startOf(repairMachine, spec), events).state;
    expect(calls.past.map(({ left }) => left)).toEqual([
      { tokens: 5000, costUsd: 9 },
      { tokens: 4900, costUsd: 8.5 },
    ]);
  });

  it('are out of place where nothing is being proposed', () => {
    expect(() => stateAfter([begun[0] as RepairEvent, calling])).toThrow("'model_calling' event where");
    expect(() => stateAfter([begun[0] as RepairEvent, called('r0')])).toThrow("'model_called' event where");
  });
});

describe('a model that cannot be had', () => {
  const stands = [...begun, calling, called('r0'), calling, called('r1', overloaded), failed];
  const end = { status: 'environment_error', detail: 'busy', fix: 'wait' };

  it('lets the run stand, and costs no round', () => {
    const state = stateAfter(stands);
    expect(repairMachine.next(state)).toEqual({ kind: 'pause', end });
    expect(state.phase.at).toBe('proposing');
    expect(state.spent).toMatchObject({ rounds: 0, tokens: 200, wallMs: 60_080 });
  });

  it('is asked again when the run is taken up, and what it had answered is not', () => {
    const { position, resumed } = takeUp(stands);
    expect(resumed.lost).toBe(null);
    const { state } = positionAfter(repairMachine, position, [resumed]);
    expect(repairMachine.next(state)).toEqual({ kind: 'effect', effect: { kind: 'propose', round: 1 } });
    expect(state.calls.past.map(({ request }) => request)).toEqual(['r0']);
    expect(position.pending).toBe(null);
  });

  it('ends the run where it failed for another reason', () => {
    const { phase } = stateAfter([...begun, { ...failed, code: 'environment' }]);
    expect(phase).toEqual({ at: 'ended', end });
  });
});
