import { describe, expect, it } from 'vitest';
import { AssayError } from '../core/index.ts';
import { type DriveOptions, drive } from './drive.ts';
import { createInbox } from './inbox.ts';
import type { DriveEvent, Machine } from './machine.ts';
import { startOf } from './resume.ts';
import { fakeClock, memoryJournal } from './testing.ts';

/** A machine that wants `steps` effects and remembers what it was told. */
type State = { left: number; told: string[]; stopped: string | null; end: string | null };
type Event = { type: 'stepped' } | { type: 'partly' };
type Effect = 'step';
const machine: Machine<number, State, Event, Effect, string> = {
  start: (steps) => ({ left: steps, told: [], stopped: null, end: null }),
  next: ({ left, stopped, end }) => {
    if (end !== null) return { kind: 'end', end };
    if (stopped !== null) return { kind: 'pause', end: stopped };
    return left === 0 ? { kind: 'end', end: 'finished' } : { kind: 'effect', effect: 'step' };
  },
  evolve(state, event) {
    const told = [...state.told, event.type === 'steered' ? event.text : event.type];
    switch (event.type) {
      case 'stepped':
        return { ...state, told, left: state.left - 1 };
      case 'stopped':
        return { ...state, told, stopped: event.detail };
      case 'effect_failed':
        return { ...state, told, end: event.detail };
      default:
        return { ...state, told };
    }
  },
  settles: (event) => event.type === 'stepped',
};

type Options = DriveOptions<number, State, Event, Effect, string>;

function setUp(steps: number, options: Partial<Options> = {}) {
  const journal = memoryJournal<Event | DriveEvent<Effect, string>>();
  const inbox = createInbox();
  const clock = fakeClock();
  const all: Options = {
    machine,
    position: startOf(machine, steps),
    effects: { perform: async () => [{ type: 'stepped' }] },
    journal,
    budget: { project: () => ({}), refuse: () => null },
    inbox,
    signal: new AbortController().signal,
    clock,
    ...options,
  };
  return { journal, inbox, clock, all, types: () => journal.events.map(({ type }) => type) };
}

describe('drive', () => {
  it('journals a synced start before each effect, then its events, then one end', async () => {
    const before: string[][] = [];
    const { journal, all, types } = setUp(2, {
      effects: {
        perform: async () => {
          before.push(types());
          return [{ type: 'stepped' }];
        },
      },
    });
    expect(await drive(all)).toMatchObject({ end: 'finished', resumable: false });
    expect(types()).toEqual(['effect_started', 'stepped', 'effect_started', 'stepped', 'run_ended']);
    expect(before).toEqual([['effect_started'], ['effect_started', 'stepped', 'effect_started']]);
    expect(journal.events.filter(({ type }) => type === 'effect_started')).toMatchObject([
      { id: 1, attempt: 1 },
      { id: 2, attempt: 1 },
    ]);
    expect(journal.synced.every(Boolean)).toBe(true);
  });

  it('folds partial results while the effect runs, without a sync, and none that come late', async () => {
    let late: (() => Promise<void>) | undefined;
    const { journal, all, types } = setUp(1, {
      effects: {
        perform: async ({ emit }) => {
          await Promise.all([emit({ type: 'partly' }), emit({ type: 'partly' })]);
          late = () => emit({ type: 'partly' });
          return [{ type: 'stepped' }];
        },
      },
    });
    await drive(all);
    await late?.();
    expect(types()).toEqual(['effect_started', 'partly', 'partly', 'stepped', 'run_ended']);
    expect(journal.synced).toEqual([true, false, false, true, true]);
  });

  it('folds what stands in the journal, so that a resume folds the same', async () => {
    const { inbox, all } = setUp(1, {
      journal: {
        append: async (event) => (event.type === 'steered' ? { ...event, text: '[scrubbed]' } : event),
      },
    });
    inbox.put({ kind: 'steer', text: 'the password is hunter2' });
    expect((await drive(all)).state.told[0]).toBe('[scrubbed]');
  });

  it('starts nothing that the budget refuses', async () => {
    const asked: unknown[] = [];
    const { all, types } = setUp(3, {
      budget: {
        project: ({ left }) => ({ tokens: left }),
        refuse: ({ left }, projection) => {
          asked.push(projection);
          return left === 2 ? 'no budget' : null;
        },
      },
    });
    expect(await drive(all)).toMatchObject({ end: 'no budget', resumable: false });
    expect(types()).toEqual(['effect_started', 'stepped', 'run_ended']);
    expect(asked).toEqual([{ tokens: 3 }, { tokens: 2 }]);
  });

  it('turns a failure into its cause and fix, and a bug into a bug', async () => {
    const failing = (error: unknown) => setUp(1, { effects: { perform: () => Promise.reject(error) } });
    const full = new AssayError({ code: 'environment', message: 'the disk is full', fix: 'free some space' });
    const expected = failing(full);
    expect(await drive(expected.all)).toMatchObject({ end: 'the disk is full' });
    expect(expected.journal.events[1]).toMatchObject({ code: 'environment', fix: 'free some space' });
    const raw = failing(
      Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
    );
    expect(await drive(raw.all)).toMatchObject({ end: expect.stringMatching(/^The disk is full/) });
    expect(raw.journal.events[1]).toMatchObject({ code: 'environment' });
    const bug = failing(new TypeError('x is not a function'));
    expect(await drive(bug.all)).toMatchObject({ end: 'x is not a function' });
    expect(bug.journal.events[1]).toMatchObject({
      code: 'internal',
      trace: expect.stringContaining('drive.test.ts'),
    });
    expect(bug.types()).toEqual(['effect_started', 'effect_failed', 'run_ended']);
  });

  it('throws when the journal cannot be written, and starts nothing', async () => {
    const calls: string[] = [];
    const { all } = setUp(1, {
      journal: { append: () => Promise.reject(new Error('no space left')) },
      effects: {
        perform: async () => {
          calls.push('step');
          return [];
        },
      },
    });
    await expect(drive(all)).rejects.toThrow('no space left');
    expect(calls).toEqual([]);
  });

  it('journals an abort without an end, with the time of the effect it cut', async () => {
    const stop = new AbortController();
    const { journal, clock, all } = setUp(2, {
      signal: stop.signal,
      effects: {
        perform: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
            clock.advance(1234);
            stop.abort();
          }),
      },
    });
    expect(await drive(all)).toMatchObject({ end: 'interrupted', resumable: true });
    expect(journal.events.at(-1)).toEqual({ type: 'stopped', detail: 'interrupted', wallMs: 1234 });
  });

  it('keeps the result of an effect that was done when the abort came', async () => {
    const stop = new AbortController();
    const { all, types } = setUp(2, {
      signal: stop.signal,
      effects: {
        perform: async () => {
          stop.abort();
          return [{ type: 'stepped' }];
        },
      },
    });
    expect(await drive(all)).toMatchObject({ resumable: true });
    expect(types()).toEqual(['effect_started', 'stepped', 'stopped']);
  });

  it('ends for good when the abort came with the last effect', async () => {
    const stop = new AbortController();
    const { all } = setUp(1, {
      signal: stop.signal,
      effects: {
        perform: async () => {
          stop.abort();
          return [{ type: 'stepped' }];
        },
      },
    });
    expect(await drive(all)).toMatchObject({ end: 'finished', resumable: false });
  });

  it('does not wait for ever for an effect that ignores the abort', async () => {
    const stop = new AbortController();
    const { all, types } = setUp(1, {
      signal: stop.signal,
      graceMs: 5,
      effects: {
        perform: () => {
          stop.abort();
          return new Promise(() => undefined);
        },
      },
    });
    expect(await drive(all)).toMatchObject({ end: 'interrupted', resumable: true });
    expect(types()).toEqual(['effect_started', 'stopped']);
  });

  it('takes messages between two effects', async () => {
    const { inbox, all } = setUp(3, {
      effects: {
        perform: async ({ state }) => {
          if (state.left === 3) inbox.put({ kind: 'steer', text: 'look at prices' });
          if (state.left === 2) inbox.put({ kind: 'stop', detail: 'enough' });
          return [{ type: 'stepped' }];
        },
      },
    });
    const { state, end, resumable } = await drive(all);
    expect({ end, resumable }).toEqual({ end: 'enough', resumable: true });
    expect(state.told).toEqual([
      'effect_started',
      'stepped',
      'look at prices',
      'effect_started',
      'stepped',
      'stopped',
    ]);
  });

  it('waits for an approval where one is needed, once for each effect', async () => {
    const order: string[] = [];
    const { inbox, all } = setUp(2, {
      needsApproval: () => true,
      effects: {
        perform: async () => {
          order.push('step');
          return [{ type: 'stepped' }];
        },
      },
    });
    const driven = drive(all);
    for (const _ of [1, 2]) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push('approve');
      inbox.put({ kind: 'approve' });
    }
    expect((await driven).end).toBe('finished');
    expect(order).toEqual(['approve', 'step', 'approve', 'step']);
  });

  it('stops while it waits for an approval', async () => {
    const stop = new AbortController();
    const { all, types } = setUp(1, { needsApproval: () => true, signal: stop.signal });
    const driven = drive(all);
    stop.abort();
    expect(await driven).toMatchObject({ end: 'interrupted', resumable: true });
    expect(types()).toEqual(['stopped']);
  });
});
