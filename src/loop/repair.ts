import {
  AssayError,
  type RepairEffect,
  type RepairEnd,
  type RepairEvent,
  type RepairSpec,
  type Usage,
} from '../core/index.ts';
import { refusesTools } from '../propose/index.ts';
import { addUsage, leftOf, noUsage, restOf } from './budget.ts';
import type { Machine, Next } from './machine.ts';
import { onConfirmed, onTested } from './repair-judging.ts';
import { onApplied, onProposed, onRefused } from './repair-proposing.ts';
import { type EventOf, noCalls, type PastCall, type RepairState, startRepair } from './repair-state.ts';
import { ask, ended } from './repair-steps.ts';
import { endOfBaseline, environment, unsteadyIds } from './standing.ts';

/** A baseline this quick, or this small a share of the wall budget, is run twice to find flaky tests. */
const cheapBaseline = { wallMs: 5_000, share: 0.05 };

/**
 * The repair loop: baseline -> proposing -> applying -> testing -> confirming -> end, as DESIGN.md says under
 * "repair". What a proposal does to the state is in
 * repair-proposing.ts, what a test run does in repair-judging.ts.
 */
export const repairMachine: Machine<RepairSpec, RepairState, RepairEvent, RepairEffect, RepairEnd> = {
  start: startRepair,
  next,
  evolve,
  settles: (event) =>
    ['baseline_tested', 'proposed', 'applied', 'refused', 'tested', 'confirmed'].includes(event.type),
};

function next(state: RepairState): Next<RepairEffect, RepairEnd> {
  const { phase, round } = state;
  if (phase.at === 'ended') return { kind: 'end', end: phase.end };
  if (state.halted !== null) return { kind: 'pause', end: state.halted };
  switch (phase.at) {
    case 'baseline':
      return effect({ kind: 'baseline', again: phase.first !== null });
    case 'proposing':
      return effect({ kind: 'propose', round });
    case 'applying':
      return effect({ kind: 'apply', round });
    case 'testing':
      return effect({ kind: 'test', round, again: phase.first !== null });
    case 'confirming':
      return effect({ kind: 'confirm', round });
  }
}

const effect = (wanted: RepairEffect): Next<RepairEffect, RepairEnd> => ({ kind: 'effect', effect: wanted });

function evolve(state: RepairState, event: RepairEvent): RepairState {
  const { phase } = state;
  switch (event.type) {
    case 'run_started':
      return startRepair(event.spec);
    case 'effect_started': {
      const { id, attempt, effect, projection } = event;
      return { ...state, pending: { id, attempt, effect, projection }, counted: countedBefore(state) };
    }
    case 'baseline_tested':
      return phase.at === 'baseline'
        ? onBaseline(settle(state, event.wallMs), event)
        : misplaced(state, event);
    case 'candidates':
      return phase.at === 'proposing' ? onCandidates(state, event) : misplaced(state, event);
    case 'model_calling': {
      if (phase.at !== 'proposing') return misplaced(state, event);
      const { tokens, costUsd } = leftOf(state.spec.limits, state.spent);
      const left = { tokens, costUsd };
      return { ...state, calls: { ...state.calls, inFlight: event.projection, any: true, left } };
    }
    case 'model_called':
      return phase.at === 'proposing' ? onCalled(state, event) : misplaced(state, event);
    case 'proposed': {
      if (phase.at !== 'proposing') return misplaced(state, event);
      const spent = spend(state, restOf(event.proposed.usage, state.counted));
      // Not before its end: a proposal that is made again has to begin as it did.
      const toolsRefused = state.toolsRefused || state.calls.past.some(foundNoTools);
      return onProposed({ ...spent, toolsRefused, calls: noCalls }, phase, event.proposed);
    }
    case 'applied':
      if (phase.at !== 'applying') return misplaced(state, event);
      return onApplied(settle(state, event.wallMs), phase, event);
    case 'refused':
      if (phase.at !== 'applying') return misplaced(state, event);
      return onRefused(settle(state, event.wallMs), phase, event);
    case 'tested':
      if (phase.at !== 'testing') return misplaced(state, event);
      return onTested(settle(state, event.wallMs), phase, event.report);
    case 'confirmed':
      if (phase.at !== 'confirming') return misplaced(state, event);
      return onConfirmed(settle(state, event.wallMs), phase, event);
    case 'effect_failed':
      return onFailed(settle(state, event.wallMs ?? 0), event);
    case 'steered':
      return { ...state, steering: [...state.steering, event.text] };
    case 'stopped': {
      const wallMs = Math.max(0, event.wallMs - state.counted.wallMs);
      return { ...charge(state, wallMs), halted: { status: 'aborted', detail: event.detail } };
    }
    case 'resumed': {
      const calls = { ...state.calls, inFlight: null };
      const changed = event.changed ?? [];
      return { ...(event.lost === null ? state : lose(state, event.lost)), calls, changed, halted: null };
    }
    case 'run_ended':
      return { ...state, phase: { at: 'ended', end: event.end }, halted: null };
  }
}

const addSpent = (state: RepairState, usage: Usage): RepairState => ({
  ...state,
  spent: { ...addUsage(state.spent, usage), rounds: state.spent.rounds },
});
const lose = (state: RepairState, usage: Usage) => ({
  ...addSpent(state, usage),
  lost: addUsage(state.lost, usage),
});
const charge = (state: RepairState, wallMs: number) => addSpent(state, { ...noUsage, wallMs });
const spend = (state: RepairState, usage: Usage): RepairState => ({
  ...addSpent(state, usage),
  pending: null,
  counted: noUsage,
});
/** An effect is over that took `wallMs` in all. */
const settle = (state: RepairState, wallMs: number) =>
  spend(state, { ...noUsage, wallMs: Math.max(0, wallMs - state.counted.wallMs) });

/**
 * What a reply need not be charged for again: the calls of earlier attempts, whose results are given again. Their time is
 * not in it, for the reply tells the time of its own attempt only.
 */
function countedBefore({ calls }: RepairState): Usage {
  const { tokens, costUsd } = calls.past.map(({ usage }) => usage).reduce(addUsage, noUsage);
  return { ...noUsage, tokens, costUsd };
}

function onCandidates(state: RepairState, event: EventOf<'candidates'>): RepairState {
  const usage = { ...noUsage, candidates: event.tried, wallMs: event.wallMs };
  return { ...addSpent(state, usage), counted: addUsage(state.counted, usage) };
}

function onCalled(state: RepairState, { request, result, usage }: EventOf<'model_called'>): RepairState {
  const { past, left } = state.calls;
  const calls = { past: [...past, { request, result, usage, left }], inFlight: null, any: true, left };
  const other = result.ok ? result.recordedForAnother : undefined;
  const otherReplies = other === undefined ? state.otherReplies : [...state.otherReplies, other];
  return { ...addSpent(state, usage), counted: addUsage(state.counted, usage), calls, otherReplies };
}

const foundNoTools = ({ result }: PastCall) => !result.ok && refusesTools(result.failure);

/** Flaky tests are looked for here only: after a patch, a test that comes and goes may be the patch's doing. */
function onBaseline(state: RepairState, event: EventOf<'baseline_tested'>): RepairState {
  const { report } = event;
  const first = state.phase.at === 'baseline' ? state.phase.first : null;
  const flaky = first === null ? [] : unsteadyIds(first, report);
  // Of two runs the one that came to its end by itself says more.
  const chosen =
    first === null || (report.verdict === 'failed' && first.verdict !== 'failed') ? report : first;
  const known = { ...state, flaky, baseline: chosen, last: chosen };
  // The run's own time: the first baseline's event also counts making the snapshot and the environment.
  const testWallMs = Math.max(state.testWallMs, report.usage.wallMs);
  const tested = { ...known, testWallMs };
  const end = endOfBaseline(chosen, flaky);
  if (end !== null) return { ...tested, phase: { at: 'ended', end } };
  const { wallMs } = state.spec.limits;
  const cheap = testWallMs <= Math.max(cheapBaseline.wallMs, cheapBaseline.share * wallMs);
  // A run that was cut took its whole limit and would again.
  if (first === null && cheap && report.verdict === 'failed')
    return { ...tested, phase: { at: 'baseline', first: report } };
  const base = { layers: [], diff: '', motivation: null, report: chosen };
  return ask({ ...tested, round: 1, stageStart: tested.spent }, base);
}

function onFailed(state: RepairState, { code, detail, fix }: EventOf<'effect_failed'>): RepairState {
  switch (code) {
    case 'provider': {
      // The failures that led here are asked for again: they may have gone away by then.
      const answered = state.calls.past.findLastIndex(({ result }) => result.ok) + 1;
      const calls = { ...state.calls, past: state.calls.past.slice(0, answered), inFlight: null };
      return { ...state, calls, halted: environment(detail, fix) };
    }
    case 'environment':
      return ended(state, environment(detail, fix));
    case 'internal':
      return ended(state, { status: 'error', detail, fix });
  }
}

/** A journal that says so is damaged, or of another version; going on would be guessing. */
function misplaced(state: RepairState, event: RepairEvent): never {
  throw new AssayError({
    code: 'input',
    message: `the journal has a '${event.type}' event where the run is ${state.phase.at}`,
    fix: 'start a new run; this run folder can be read but not resumed',
  });
}
