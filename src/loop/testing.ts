import type { Clock, Proposed, RepairEnd, RepairEvent, RepairSpec, Report } from '../core/index.ts';
import { drive, type Journal } from './drive.ts';
import { createInbox } from './inbox.ts';
import { madeSpec } from './made.ts';
import { repairMachine } from './repair.ts';
import {
  type ApplyOutcome,
  type Confirmation,
  eventsOf,
  type RepairEffects,
  repairBudget,
} from './repair-effects.ts';
import type { RepairState } from './repair-state.ts';
import { startOf } from './resume.ts';

/** A clock that moves only when told to. */
export function fakeClock(): Clock & { advance(ms: number): void } {
  let elapsedMs = 0;
  return {
    monotonicMs: () => elapsedMs,
    now: () => new Date(Date.UTC(2026, 0, 1) + elapsedMs),
    advance(ms) {
      elapsedMs += ms;
    },
  };
}

/** A journal in memory. */
export function memoryJournal<E>(): Journal<E> & { readonly events: E[]; readonly synced: boolean[] } {
  const events: E[] = [];
  const synced: boolean[] = [];
  return {
    events,
    synced,
    async append(event, { sync }) {
      // As a real journal would give it back, so that nothing that JSON loses can be relied upon.
      const journaled = JSON.parse(JSON.stringify(event)) as E;
      events.push(journaled);
      synced.push(sync);
      return journaled;
    },
  };
}

/** The answers fake effects give, in order; the last one of a list is given again and again. */
export type EffectsScript = {
  baseline: Report[];
  propose: Proposed[];
  /** Default: every patch applies, and its diff and digest are made of its edits. */
  apply?: (edits: string) => ApplyOutcome | null;
  test?: Report[];
  confirm?: Confirmation[];
  /** Called before each effect; may throw or advance a clock. */
  before?: (kind: 'baseline' | 'propose' | 'apply' | 'test' | 'confirm') => void | Promise<void>;
};

/** Repair effects without a sandbox, a file or a model: the test double of the loop. */
export function fakeEffects(script: EffectsScript): RepairEffects & { readonly calls: string[] } {
  const calls: string[] = [];
  const given: Record<string, number> = {};
  const answer = async <T>(
    kind: 'baseline' | 'propose' | 'test' | 'confirm',
    list: readonly T[] | undefined,
  ): Promise<T> => {
    calls.push(kind);
    await script.before?.(kind);
    const at = given[kind] ?? 0;
    given[kind] = at + 1;
    const value = list?.[Math.min(at, list.length - 1)];
    if (value === undefined) throw new Error(`the script has no answer for ${kind}`);
    return value;
  };
  return {
    calls,
    baseline: () => answer('baseline', script.baseline),
    propose: () => answer('propose', script.propose),
    async apply({ layers, edits, alternatives }) {
      calls.push('apply');
      await script.before?.('apply');
      const text = JSON.stringify(edits);
      const made = JSON.stringify([...layers, edits]);
      const diffOf = (patch: unknown) => `diff ${JSON.stringify([...layers, patch])}`;
      return (
        script.apply?.(text) ?? {
          kind: 'applied',
          diff: `diff ${made}`,
          state: `state ${made}`,
          alternatives: alternatives.map(({ motivation, edits: other }) => ({
            motivation,
            diff: diffOf(other),
          })),
        }
      );
    },
    test: () => answer('test', script.test),
    confirm: () => answer('confirm', script.confirm),
  };
}

/** Runs a script to its end, 100 ms of active time an effect. `events`: the whole journal. */
export async function runScript(
  script: EffectsScript,
  spec: Partial<RepairSpec>,
): Promise<{ end: RepairEnd; state: RepairState; events: RepairEvent[]; calls: readonly string[] }> {
  const clock = fakeClock();
  const effects = fakeEffects({
    ...script,
    before: async (kind) => {
      clock.advance(100);
      await script.before?.(kind);
    },
  });
  const journal = memoryJournal<RepairEvent>();
  await journal.append({ type: 'run_started', spec: madeSpec(spec) }, { sync: true });
  const { end, state } = await drive({
    machine: repairMachine,
    position: startOf(repairMachine, madeSpec(spec)),
    effects: eventsOf({ effects, clock }),
    journal,
    budget: repairBudget([]),
    inbox: createInbox(),
    signal: new AbortController().signal,
    clock,
  });
  return { end, state, events: journal.events, calls: effects.calls };
}
