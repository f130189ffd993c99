import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AssayError,
  type BudgetLimits,
  type ModelResult,
  type Proposed,
  type RepairEffect,
  type RepairEnd,
  type RepairEvent,
  type Report,
} from '../core/index.ts';
import type { CallLog } from '../propose/index.ts';
import { addUsage, leftOf, noUsage, type Spent } from './budget.ts';
import { drive } from './drive.ts';
import { createInbox } from './inbox.ts';
import type { DriveEvent } from './machine.ts';
import { madeProposal, madeReport, madeSpec } from './made.ts';
import { repairMachine } from './repair.ts';
import { eventsOf, type RepairEffects, repairBudget } from './repair-effects.ts';
import type { RepairState } from './repair-state.ts';
import { positionAfter, startOf, takeUp } from './resume.ts';
import { fakeClock, memoryJournal } from './testing.ts';

/** A world that always answers the same question in the same way, so that a cut run can be compared with a whole one. */
type World = {
  limits: BudgetLimits;
  baselines: Report[];
  reports: Report[];
  proposals: Proposed[];
  /** Candidate batches before each reply. */
  batches: number;
  /** Of 4 patches, how many are refused. */
  refused: number;
  agreeing: number;
  /** Active time of each effect. */
  effectMs: number;
  projectedTokens: number;
  /** Calls to a model in each proposal. */
  modelCalls: number;
  /** A reply's usage counts the calls of earlier attempts too, whose results were given again. */
  countsPast: boolean;
  /** How often the model cannot be had, from the first call on. */
  outages: number;
  /** Proposers that take over from one another. */
  stages: number;
};

const ids = ['a', 'b', 'c'];
const reportOf = (failing: string[], message: string): Report => {
  const red = Object.fromEntries(failing.map((id) => [id, message]));
  return madeReport({ passing: ids.filter((id) => !failing.includes(id)), failing: red });
};
const message = fc.constantFrom('is 3', 'is 4');
const tested = fc.tuple(fc.subarray(ids), message).map(([failing, text]) => reportOf(failing, text));
const red = fc
  .tuple(fc.subarray(ids, { minLength: 1 }), message)
  .map(([failing, text]) => reportOf(failing, text));
const odd = fc
  .tuple(tested, fc.constantFrom('timeout', 'tampered', 'error', 'unavailable', 'no_tests', 'oom'))
  .map(([report, verdict]) => ({ ...report, verdict }) as Report);
const usually = (common: fc.Arbitrary<Report>) =>
  fc.oneof({ weight: 9, arbitrary: common }, { weight: 1, arbitrary: odd });
const usage = fc.record({
  tokens: fc.nat({ max: 300 }),
  costUsd: fc.option(fc.nat({ max: 3 }), { freq: 9 }),
  candidates: fc.nat({ max: 60 }),
});
const proposed: fc.Arbitrary<Proposed> = fc
  .oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(fc.constantFrom('x', 'y', 'z', 'u', 'v'), fc.subarray(['p', 'q']), usage),
    },
    { weight: 1, arbitrary: fc.tuple(fc.constant('malformed'), fc.constant([]), usage) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('none'), fc.constant([]), usage) },
  )
  .map(([text, alternatives, spent]) => {
    const all = { ...noUsage, ...spent };
    if (text === 'malformed') return { kind: 'malformed', problem: 'no tool call', usage: all };
    if (text === 'none') return { kind: 'no_proposal', reason: 'nothing left', exhausted: null, usage: all };
    return madeProposal(text, { alternatives, usage: all });
  });
const limit = (max: number) => fc.option(fc.integer({ min: 1, max }));
const world: fc.Arbitrary<World> = fc.record({
  limits: fc.record({
    rounds: fc.integer({ min: 1, max: 6 }),
    tokens: limit(2000),
    costUsd: limit(20),
    candidates: limit(300),
    wallMs: fc.integer({ min: 1, max: 9000 }),
  }),
  baselines: fc.array(usually(red), { minLength: 1, maxLength: 2 }),
  reports: fc.array(usually(tested), { minLength: 1, maxLength: 12 }),
  proposals: fc.array(proposed, { minLength: 1, maxLength: 8 }),
  batches: fc.nat({ max: 3 }),
  refused: fc.nat({ max: 3 }),
  agreeing: fc.nat({ max: 4 }),
  effectMs: fc.constantFrom(1, 100, 300),
  projectedTokens: fc.nat({ max: 200 }),
  modelCalls: fc.nat({ max: 3 }),
  countsPast: fc.boolean(),
  outages: fc.nat({ max: 2 }),
  stages: fc.integer({ min: 1, max: 3 }),
});

/** A number made of a text, so that the same question finds the same answer. */
const hash = (text: string) => [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) >>> 0, 7);
const pick = <T>(list: readonly T[], text: string): T => {
  const value = list[hash(text) % list.length];
  if (value === undefined) throw new Error('nothing to pick');
  return value;
};

const perCall = { ...noUsage, tokens: 11, costUsd: 1, wallMs: 5 };
const callUsage = {
  inputTokens: 10,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 1,
  estimated: false,
};
const answer: ModelResult = {
  ok: true,
  reply: { text: 'yes', toolCalls: [], finish: 'stop', usage: callUsage },
};
const outage: ModelResult = {
  ok: false,
  failure: {
    kind: 'overloaded',
    message: 'overloaded',
    fix: 'wait',
    retryAfterMs: null,
    usage: callUsage,
  },
};

/** Asks a model `at.modelCalls` times; gives what that cost now, and what it cost in all. */
async function converse(options: {
  at: World;
  key: string;
  log: CallLog;
  ask: (request: string) => ModelResult;
}) {
  const { at, key, log, ask } = options;
  let [own, all] = [noUsage, noUsage];
  for (let turn = 0; turn < at.modelCalls; turn++) {
    const request = `${key} ${turn}`;
    let result = log.past(request);
    if (result === null) {
      await log.calling({ model: 'some/model', projection: { tokens: 50, costUsd: 3 } });
      result = ask(request);
      await log.called({ model: 'some/model', request, result, usage: perCall });
      own = addUsage(own, perCall);
    }
    all = addUsage(all, perCall);
    if (!result.ok)
      throw new AssayError({ code: 'provider', message: result.failure.message, fix: result.failure.fix });
  }
  return { own, all };
}

function inWorld(
  at: World,
  from: readonly RepairEvent[] = [],
): {
  effects: RepairEffects;
  calls: string[];
  asked: string[];
  clock: ReturnType<typeof fakeClock>;
} {
  const calls: string[] = [];
  const asked: string[] = [];
  let outages = at.outages - from.filter(isOutage).length;
  const clock = fakeClock();
  const call = (name: string) => {
    calls.push(name);
    clock.advance(at.effectMs);
  };
  const effects: RepairEffects = {
    async baseline({ again }) {
      call(`baseline ${again}`);
      return pick(at.baselines, `baseline ${again}`);
    },
    async propose({ feedback, stage, onBatch, calls: log }) {
      call(`propose ${feedback.round}`);
      for (let batch = 0; batch < at.batches; batch++)
        await onBatch({ tried: 7, passed: 0, hung: 1, wallMs: Math.floor(at.effectMs / 4) });
      const key = `${stage} ${feedback.round} ${feedback.attempts.length} ${feedback.refusals.length}`;
      const ask = (request: string) => {
        asked.push(request);
        clock.advance(perCall.wallMs);
        return outages-- > 0 ? outage : answer;
      };
      const { own, all } = await converse({ at, key, log, ask });
      const picked = pick(at.proposals, key);
      if (at.modelCalls === 0) return picked;
      return { ...picked, usage: { ...(at.countsPast ? all : own), candidates: picked.usage.candidates } };
    },
    async apply({ layers, edits, alternatives }) {
      const made = JSON.stringify([...layers, edits]);
      call(`apply ${made}`);
      if (hash(made) % 4 < at.refused)
        return {
          kind: 'refused',
          refusals: [{ code: 'no_match', path: 'src/a.py', edit: 0, message: 'not there', near: [] }],
        };
      const others = alternatives.map(({ motivation, edits: other }) => ({
        motivation,
        diff: `diff ${JSON.stringify([...layers, other])}`,
      }));
      return { kind: 'applied', diff: `diff ${made}`, state: `state ${made}`, alternatives: others };
    },
    async test({ state }) {
      call(`test ${state}`);
      return pick(at.reports, `test ${state}`);
    },
    async confirm({ state }) {
      call(`confirm ${state}`);
      const agreed = hash(state) % 4 < at.agreeing;
      const visible = agreed ? madeReport({ passing: ids }) : pick(at.reports, `confirm ${state}`);
      return { agreed, report: visible, whole: visible, heldOut: { total: 2, passed: agreed ? 2 : 1 } };
    },
  };
  return { effects, calls, asked, clock };
}

const isOutage = (event: RepairEvent) => event.type === 'model_called' && !event.result.ok;

const specOf = ({ limits, stages }: World) =>
  madeSpec({ limits, proposer: Array(stages).fill('scripted').join(',') });

type Went = {
  end: RepairEnd;
  state: RepairState;
  events: RepairEvent[];
  calls: string[];
  asked: string[];
};

/** To the end, taken up again as often as the model cannot be had. */
async function go(at: World, from: readonly RepairEvent[] = []): Promise<Went> {
  const went = await goOn(at, from);
  if (!went.resumable) return went;
  expect(went.end).toEqual({ status: 'environment_error', detail: 'overloaded', fix: 'wait' });
  expect(went.events.at(-1)).toMatchObject({ type: 'effect_failed', code: 'provider' });
  const rest = await go(at, went.events);
  return { ...rest, calls: [...went.calls, ...rest.calls], asked: [...went.asked, ...rest.asked] };
}

async function goOn(at: World, from: readonly RepairEvent[]): Promise<Went & { resumable: boolean }> {
  const { effects, calls, asked, clock } = inWorld(at, from);
  const journal = memoryJournal<RepairEvent | DriveEvent<RepairEffect, RepairEnd>>();
  const events = [...from];
  if (events.length === 0) events.push({ type: 'run_started', spec: specOf(at) });
  const start = takeUp(events);
  let { position } = start;
  if (from.length > 0 && !position.ended) {
    events.push(start.resumed);
    position = positionAfter(repairMachine, position, [start.resumed]);
  }
  const { end, state, resumable } = await drive({
    machine: repairMachine,
    position,
    effects: eventsOf({ effects, clock }),
    journal,
    budget: repairBudget(
      Array(at.stages).fill({ project: () => ({ tokens: at.projectedTokens, costUsd: 0 }) }),
    ),
    inbox: createInbox(),
    signal: new AbortController().signal,
    clock,
  });
  const all = [...events, ...(journal.events as RepairEvent[])];
  return { end, state, events: all, calls, asked, resumable };
}

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

const fixed = (): World => ({
  limits: madeSpec().limits,
  baselines: [reportOf(['a'], 'is 3')],
  reports: [reportOf(['a'], 'is 3')],
  proposals: [madeProposal('x')],
  batches: 0,
  refused: 0,
  agreeing: 4,
  effectMs: 50,
  projectedTokens: 100,
  modelCalls: 0,
  countsPast: false,
  outages: 0,
  stages: 1,
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
