import { expect } from 'vitest';
import {
  AssayError,
  type ModelResult,
  type RepairEffect,
  type RepairEnd,
  type RepairEvent,
} from '../core/index.ts';
import type { CallLog } from '../propose/index.ts';
import { addUsage, noUsage } from './budget.ts';
import { drive } from './drive.ts';
import { createInbox } from './inbox.ts';
import type { DriveEvent } from './machine.ts';
import { madeReport, madeSpec } from './made.ts';
import { repairMachine } from './repair.ts';
import { eventsOf, type RepairEffects, repairBudget } from './repair-effects.ts';
import type { RepairState } from './repair-state.ts';
import { positionAfter, takeUp } from './resume.ts';
import { fakeClock, memoryJournal } from './testing.ts';
import { ids, type World } from './world.fixture.ts';

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

export function inWorld(
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

export const specOf = ({ limits, stages }: World) =>
  madeSpec({ limits, proposer: Array(stages).fill('scripted').join(',') });

type Went = {
  end: RepairEnd;
  state: RepairState;
  events: RepairEvent[];
  calls: string[];
  asked: string[];
};

/** To the end, taken up again as often as the model cannot be had. */
export async function go(at: World, from: readonly RepairEvent[] = []): Promise<Went> {
  const went = await goOn(at, from);
  if (!went.resumable) return went;
  expect(went.end).toEqual({ status: 'environment_error', detail: 'overloaded', fix: 'wait' });
  expect(went.events.at(-1)).toMatchObject({ type: 'effect_failed', code: 'provider' });
  const rest = await go(at, went.events);
  return { ...rest, calls: [...went.calls, ...rest.calls], asked: [...went.asked, ...rest.asked] };
}

export async function goOn(at: World, from: readonly RepairEvent[]): Promise<Went & { resumable: boolean }> {
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
