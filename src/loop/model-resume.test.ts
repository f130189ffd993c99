import { describe, expect, it } from 'vitest';
import type { BudgetLimits, RepairEnd, RepairEvent } from '../core/index.ts';
import {
  type Model,
  modelProposer,
  requestHash,
  type ScriptedModel,
  scriptedModel,
} from '../propose/index.ts';
import { drive } from './drive.ts';
import { createInbox } from './inbox.ts';
import { madeReport, madeSpec } from './made.ts';
import { repairMachine } from './repair.ts';
import { eventsOf, type RepairEffects, repairBudget } from './repair-effects.ts';
import type { RepairState } from './repair-state.ts';
import { startOf, takeUp } from './resume.ts';
import { fakeClock, fakeEffects, memoryJournal } from './testing.ts';

const edit = { op: 'replace', path: 'src/a.py', search: 'x = 1\n', replace: 'x = 2\n' };
const patchText = 'It is 2.\n\nsrc/a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n';
const call = (name: string, input: unknown) => ({
  toolCalls: [{ id: 'c', name, input: JSON.stringify(input) }],
});
const usage = {
  inputTokens: 4000,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 500,
  estimated: false,
};
const failed = (kind: 'bad_request' | 'context_too_long', message: string) => ({
  failure: { kind, message },
});

/** More than a first message holds, so that the model reads before it proposes. */
const files: Record<string, string> = { 'src/a.py': 'x = 1\n' };
for (let index = 0; index < 60; index += 1) files[`lib/m${index}.py`] = `# module ${index}\n`.repeat(200);

const trace = (id: string) => `Traceback of ${id}\n${'  somewhere deep in the code\n'.repeat(300)}`;
const ids = Array.from({ length: 30 }, (_, index) => `test_${index}`);
const report = madeReport({ failing: Object.fromEntries(ids.map((id) => [id, `wrong in ${id}`])) });
for (const { failure, id } of report.tests) if (failure !== null) failure.trace = trace(id);
const green = madeReport({ passing: ids });

/** A model for each of which the same request is answered in the same way. */
type World = { limits?: Partial<BudgetLimits>; model: () => ScriptedModel };

const worlds: Record<string, World> = {
  'replies by tool that are no patch, then text': {
    model: () =>
      scriptedModel({
        replies: [
          (request) => (request.tools.length > 0 ? 'It is x that is wrong.' : { text: patchText, usage }),
        ],
        repeatLast: true,
      }),
  },
  'a server that takes no tools': {
    model: () =>
      scriptedModel({
        replies: [
          (request) => {
            if (request.tools.length > 0) {
              const failure = { ...failed('bad_request', 'q does not support tools').failure };
              return { ok: false, failure: { ...failure, fix: '', retryAfterMs: null, usage: noUsage } };
            }
            const told = JSON.stringify(request.messages);
            return { text: told.includes('round 1') || told.includes('refused') ? patchText : 'Hm.', usage };
          },
        ],
        repeatLast: true,
      }),
  },
  'a tight budget, reading, and a context that is smaller than said': {
    limits: { tokens: 39_500 },
    model: () =>
      scriptedModel({
        replies: [
          (request) => {
            const long = JSON.stringify(request.messages).length > 30_000;
            if (long) {
              const failure = { ...failed('context_too_long', 'too long').failure };
              return { ok: false, failure: { ...failure, fix: '', retryAfterMs: null, usage: noUsage } };
            }
            if (request.messages.length < 3 && request.tools.length > 1)
              return { ...call('read_file', { path: 'lib/m1.py' }), usage };
            return { ...call('propose_patch', { motivation: 'It is 2.', edits: [edit] }), usage };
          },
        ],
        repeatLast: true,
      }),
  },
};
const noUsage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  estimated: false,
};

function specOf({ limits }: World) {
  return madeSpec({ limits: { ...madeSpec().limits, ...limits } });
}

/** Drives a run to its end in a process of its own, from what `journal` holds. */
async function run(
  world: World,
  before: readonly RepairEvent[],
): Promise<{ end: RepairEnd; state: RepairState; events: RepairEvent[]; asked: string[] }> {
  const model = world.model();
  const clock = fakeClock();
  const proposer = modelProposer({
    model: model as Model,
    settings,
    env: {},
    price: { input: 1, output: 2 },
    clock,
  });
  const effects: RepairEffects = {
    ...fakeEffects({ baseline: [report], propose: [], test: [green], confirm: [confirmed] }),
    propose: ({ feedback, left, calls, signal }) =>
      proposer.propose(feedback, {
        files: Object.keys(files),
        read: (path) => files[path] ?? null,
        protectedBecause: () => null,
        evaluate: async () => [],
        coverage: () => Promise.reject(new Error('cannot be traced')),
        budget: left,
        signal,
        calls,
        seed: 1,
      }),
  };
  const journal = memoryJournal<RepairEvent>();
  const spec = specOf(world);
  let position = startOf(repairMachine, spec);
  if (before.length === 0) await journal.append({ type: 'run_started', spec }, { sync: true });
  else {
    const taken = takeUp(before);
    for (const event of before) await journal.append(event, { sync: true });
    await journal.append(taken.resumed, { sync: true });
    position = { ...taken.position, state: repairMachine.evolve(taken.position.state, taken.resumed) };
  }
  const { end, state } = await drive({
    machine: repairMachine,
    position,
    effects: eventsOf({ effects, clock }),
    journal,
    budget: repairBudget([proposer]),
    inbox: createInbox(),
    signal: new AbortController().signal,
    clock,
  });
  return { end, state, events: journal.events, asked: model.requests.map((request) => requestHash(request)) };
}

const settings = {
  baseUrl: null,
  transport: 'auto' as const,
  prices: {},
  contextTokens: 60_000,
  maxOutputTokens: 3000,
};
const confirmed = { agreed: true, report: green, whole: green, heldOut: null };
const answeredIn = (events: readonly RepairEvent[]) => events.filter(({ type }) => type === 'model_called');

describe.each(Object.entries(worlds))('a run that meets %s', (_, world) => {
  it('asks as it would have asked, wherever it is cut, and pays for no reply twice', async () => {
    const whole = await run(world, []);
    expect(whole.end).toEqual({ status: 'done' });
    expect(whole.asked.length).toBeGreaterThanOrEqual(2);
    expect(answeredIn(whole.events)).toHaveLength(whole.asked.length);
    let cuts = 0;
    for (let at = 1; at < whole.events.length - 1; at += 1) {
      const before = whole.events.slice(0, at);
      const resumed = await run(world, before);
      const when = `cut after ${at} events, at ${before.at(-1)?.type}`;
      const answered = answeredIn(before).length;
      for (const hash of whole.asked.slice(0, answered)) expect(resumed.asked, when).not.toContain(hash);
      // A call that was cut in flight is charged at its most: a tight budget may not leave as much as it did.
      if (resumed.state.lost.tokens > 0 && world.limits !== undefined) continue;
      expect(resumed.end, when).toEqual(whole.end);
      // What was answered is not asked for again, and all else is asked in the very same words.
      expect(resumed.asked, when).toEqual(whole.asked.slice(answered));
      cuts += 1;
    }
    expect(cuts).toBeGreaterThan(8);
  });
});
