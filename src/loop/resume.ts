import {
  AssayError,
  type Projection,
  type RepairEffect,
  type RepairEvent,
  type Usage,
} from '../core/index.ts';
import { noUsage, restOf } from './budget.ts';
import type { DriveEvent, Machine } from './machine.ts';
import { repairMachine } from './repair.ts';
import type { Calls, RepairState } from './repair-state.ts';

/** An effect that was started and did not come to its end. `charged`: an earlier resume charged its loss. */
export type Cut<Fx> = { id: number; attempt: number; effect: Fx; projection: Projection; charged: boolean };

/** Where a run stands: what `drive` goes on from. */
export type Position<S, Fx> = { state: S; lastId: number; pending: Cut<Fx> | null; ended: boolean };

/** The beginning of a run, before any event but the one that starts it. */
export function startOf<Spec, S, E, Fx, End>(
  machine: Machine<Spec, S, E, Fx, End>,
  spec: Spec,
): Position<S, Fx> {
  return { state: machine.start(spec), lastId: 0, pending: null, ended: false };
}

/** Folds a journal, or the part of it that a crash left, into the position to go on from. Pure. */
export function positionAfter<Spec, S, E extends { type: string }, Fx, End>(
  machine: Machine<Spec, S, E, Fx, End>,
  start: Position<S, Fx>,
  events: Iterable<E | DriveEvent<Fx, End>>,
): Position<S, Fx> {
  let { state, lastId, pending, ended } = start;
  for (const event of events) {
    if (ended) {
      throw new AssayError({
        code: 'input',
        message: `the journal goes on after its end with '${event.type}'`,
        fix: 'the journal is damaged: start a new run',
      });
    }
    state = machine.evolve(state, event);
    if (isStart(event)) {
      const { id, attempt, effect, projection } = event;
      [lastId, pending] = [id, { id, attempt, effect, projection, charged: false }];
    } else if (event.type === 'resumed') pending = pending && { ...pending, charged: true };
    else if (event.type === 'run_ended') ended = true;
    else if (event.type === 'effect_failed' || machine.settles(event as E)) pending = null;
  }
  return { state, lastId, pending, ended };
}

const isStart = <E extends { type: string }, Fx, End>(
  event: E | DriveEvent<Fx, End>,
): event is Extract<DriveEvent<Fx, End>, { type: 'effect_started' }> => event.type === 'effect_started';

/**
 * How a cut effect is taken up, by its kind. `repeat`: done again from its beginning; the lost attempt is charged
 * at its projected maximum, less what its batches charged already. `by_state`: the patched files are made again
 * from the journaled edits and must have the digest the journal names, so nothing is lost.
 */
const policies: Record<RepairEffect['kind'], 'repeat' | 'by_state'> = {
  baseline: 'repeat',
  propose: 'repeat',
  apply: 'by_state',
  test: 'repeat',
  confirm: 'repeat',
};

/**
 * What the cut effect of a repair run may have cost that no event tells, or null.
 * @param options.counted what its batches charged already
 * @param options.calls what the journal tells of its calls to models
 * @param options.stopped the run was stopped in good order: its active time is in the journal
 */
export function lostBy(options: {
  cut: Cut<RepairEffect> | null;
  counted: Usage;
  calls: Calls;
  stopped: boolean;
}): Usage | null {
  const { cut, counted, calls, stopped } = options;
  if (cut === null || cut.charged || policies[cut.effect.kind] === 'by_state') return null;
  const { tokens, costUsd, candidates, wallMs } = { ...noUsage, ...withoutUndefined(cut.projection) };
  const rest = restOf({ tokens, costUsd, candidates, wallMs: stopped ? 0 : wallMs }, counted);
  // Where the journal tells of each call, what has a result is charged, and only a call without one may be lost.
  const inFlight = { ...noUsage, ...withoutUndefined(calls.inFlight ?? {}) };
  const lost = calls.any ? { ...rest, tokens: inFlight.tokens, costUsd: inFlight.costUsd } : rest;
  return lost.tokens === 0 && lost.costUsd === 0 && lost.candidates === 0 && lost.wallMs === 0 ? null : lost;
}

const withoutUndefined = (projection: Projection): Partial<Usage> =>
  Object.fromEntries(Object.entries(projection).filter(([, value]) => value !== undefined));

/**
 * Folds a whole journal, the event that starts the run included. Pure.
 * @throws AssayError `input` for a journal that begins otherwise, or is damaged
 */
export function positionOf<Spec, S, E extends { type: string }, Fx, End>(
  machine: Machine<Spec, S, E, Fx, End>,
  events: readonly (E & StartsRun<Spec>)[],
): Position<S, Fx> {
  const [first, ...rest] = events;
  if (first?.type !== 'run_started' || first.spec === undefined) {
    throw new AssayError({
      code: 'input',
      message: 'the journal does not begin with the start of a run',
      fix: 'start a new run: this one was cut before it began',
    });
  }
  return positionAfter(machine, startOf(machine, first.spec), rest);
}

/** `spec`: there where `type` is `run_started`. */
type StartsRun<Spec> = { type: string; spec?: Spec };

/**
 * Where a repair run stands by its journal, and the event that takes it up again: to be journaled and folded
 * before `drive` goes on, unless the run has ended.
 * @throws AssayError `input` for a journal that is not one of a repair run, or is damaged.
 */
export function takeUp(events: readonly RepairEvent[]): {
  position: Position<RepairState, RepairEffect>;
  resumed: Extract<RepairEvent, { type: 'resumed' }>;
} {
  const position = positionOf(repairMachine, events);
  const { counted, calls, halted } = position.state;
  const lost = lostBy({ cut: position.pending, counted, calls, stopped: halted !== null });
  return { position, resumed: { type: 'resumed', lost } };
}
