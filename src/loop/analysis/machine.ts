import {
  type AnalysisEffect,
  type AnalysisEnd,
  type AnalysisEvent,
  type AnalysisSpec,
  AssayError,
} from '../../core/index.ts';
import { addUsage, noUsage } from '../budget.ts';
import type { Machine, Next } from '../machine.ts';
import { onChecked } from './checking.ts';
import { dueJob } from './jobs.ts';
import { onCell, onRead } from './on-cell.ts';
import { onKernelLost, onOpened, onRestarted } from './on-kernel.ts';
import { onPlanned } from './on-plan.ts';
import { onReply } from './on-reply.ts';
import { addSpent, charge, idOf, onExhausted, onFailed, onResumed, onSteered } from './on-run.ts';
import { type AnalysisState, type EventOf, isToolTrouble, noCalls, partOf, startAnalysis } from './state.ts';
import { onSubtaskEnded, runEnded } from './subtask-end.ts';

/**
 * The analysis loop, with the states of DESIGN.md under "analysis": prompted -> tool_call_issued -> code_executing ->
 * error_observed -> reflection_retry -> ... | artifact_captured -> prompted | subtask_complete. What a reply does to the
 * state is in on-reply.ts, a cell in on-cell.ts, the model's claim to be done in checking.ts, what happens to the run as a
 * whole in on-run.ts.
 */
export const analysisMachine: Machine<
  AnalysisSpec,
  AnalysisState,
  AnalysisEvent,
  AnalysisEffect,
  AnalysisEnd
> = { start: startAnalysis, next, evolve, settles: ({ type }) => settling.has(type) };

const settling: ReadonlySet<AnalysisEvent['type']> = new Set([
  'planned',
  'replied',
  'exhausted',
  'kernel_opened',
  'kernel_restarted',
  'kernel_lost',
  'cell_ran',
  'tool_answered',
  'checked',
  'subtask_ended',
]);

function next(state: AnalysisState): Next<AnalysisEffect, AnalysisEnd> {
  const { phase } = state;
  if (phase.at === 'ended') return { kind: 'end', end: phase.end };
  if (state.halted !== null) return { kind: 'pause', end: state.halted };
  if (phase.at === 'planning') return effect({ kind: 'plan', attempt: phase.attempt });
  const { subtask, turns } = partOf(state);
  switch (phase.at) {
    case 'prompted':
    case 'reflection_retry':
      return effect({ kind: 'ask', subtask: subtask.id, turn: turns + 1 });
    case 'tool_call_issued':
    case 'code_executing':
    case 'artifact_captured':
    case 'error_observed':
      return nextJob(state);
    case 'subtask_complete': {
      if (phase.claims !== null) return withKernel(state, { kind: 'check', subtask: subtask.id });
      const check = state.spec.checks[phase.checks[0] ?? -1];
      if (check === undefined) throw new Error('nothing is left to check');
      return withKernel(state, cellOf(state, 'check', check.code));
    }
    case 'closing':
      return effect({ kind: 'close', subtask: subtask.id });
  }
}

const effect = (wanted: AnalysisEffect): Next<AnalysisEffect, AnalysisEnd> => ({
  kind: 'effect',
  effect: wanted,
});

function nextJob(state: AnalysisState): Next<AnalysisEffect, AnalysisEnd> {
  const want = dueJob(state)?.want;
  if (want?.kind === 'cell') return withKernel(state, cellOf(state, 'work', want.code));
  if (want?.kind !== 'read') throw new Error('no tool call is due');
  const { path, from } = want;
  return withKernel(state, { kind: 'read', subtask: partOf(state).subtask.id, path, from });
}

const cellOf = (state: AnalysisState, purpose: 'work' | 'check', code: string): AnalysisEffect => ({
  kind: 'cell',
  subtask: partOf(state).subtask.id,
  cell: state.cells.length + 1,
  purpose,
  code,
});

/** A kernel first, where there is none. */
function withKernel(state: AnalysisState, wanted: AnalysisEffect): Next<AnalysisEffect, AnalysisEnd> {
  const { is, because } = state.kernel;
  if (is === 'none') return effect({ kind: 'open', replay: state.cells.length });
  return effect(is === 'gone' ? { kind: 'restart', because } : wanted);
}

function evolve(state: AnalysisState, event: AnalysisEvent): AnalysisState {
  const { phase } = state;
  switch (event.type) {
    case 'run_started':
      return startAnalysis(event.spec);
    case 'effect_started': {
      const { id, attempt, effect: started, projection } = event;
      const pending = { id, attempt, effect: started, projection };
      return { ...onStarted(state, started), pending, counted: noUsage };
    }
    case 'model_calling':
      return { ...state, calls: { ...state.calls, inFlight: event.projection } };
    case 'model_called':
      return onCalled(state, event);
    case 'planned':
      if (phase.at !== 'planning') return misplaced(state, event);
      return onPlanned({ ...settle(state, event.wallMs), calls: noCalls }, phase, event);
    case 'replied':
      if (!isWorking(state)) return misplaced(state, event);
      return onReply({ ...settle(state, event.wallMs), calls: noCalls }, event);
    case 'exhausted':
      return onExhausted({ ...settle(state, event.wallMs), calls: noCalls }, event);
    case 'kernel_opened':
      return onOpened(settle(state, event.wallMs), event);
    case 'kernel_restarted':
      return onRestarted(settle(state, event.wallMs), event);
    case 'kernel_lost':
      return onKernelLost(settle(state, event.wallMs), event);
    case 'cell_ran':
      if (!isWorking(state) && phase.at !== 'subtask_complete') return misplaced(state, event);
      return onCell(settle(state, event.wallMs), event);
    case 'tool_answered':
      return isWorking(state) ? onRead(settle(state, event.wallMs), event) : misplaced(state, event);
    case 'checked':
      if (phase.at !== 'subtask_complete') return misplaced(state, event);
      return onChecked(settle(state, event.wallMs), phase, event);
    case 'subtask_ended':
      if (phase.at !== 'closing') return misplaced(state, event);
      return onSubtaskEnded(settle(state, event.wallMs), event);
    case 'effect_failed':
      return onFailed(settle(state, event.wallMs ?? 0), event);
    case 'steered':
      return onSteered(state, event.text);
    case 'stopped': {
      const stopped = charge(state, Math.max(0, event.wallMs - state.counted.wallMs));
      return { ...stopped, halted: { status: 'aborted', detail: event.detail, subtask: idOf(state) } };
    }
    case 'resumed':
      return onResumed(state, event);
    case 'run_ended':
      return runEnded(state, event.end);
  }
}

const isWorking = ({ phase }: AnalysisState): boolean =>
  phase.at !== 'planning' &&
  phase.at !== 'subtask_complete' &&
  phase.at !== 'closing' &&
  phase.at !== 'ended';

const onStarted = (state: AnalysisState, started: AnalysisEffect): AnalysisState =>
  started.kind === 'cell' && isWorking(state) ? { ...state, phase: { at: 'code_executing' } } : state;

/** An effect is over that took `wallMs` in all; what its calls cost is charged already. */
const settle = (state: AnalysisState, wallMs: number): AnalysisState => ({
  ...charge(state, Math.max(0, wallMs - state.counted.wallMs)),
  pending: null,
  counted: noUsage,
});

function onCalled(state: AnalysisState, { request, result, usage }: EventOf<'model_called'>): AnalysisState {
  const past = [...state.calls.past, { request, result, usage }];
  const counted = addUsage(state.counted, usage);
  const toolsFail = state.toolsFail || isToolTrouble(result);
  return { ...addSpent(state, usage), counted, calls: { past, inFlight: null }, toolsFail };
}

/** A journal that says so is damaged, or of another version; going on would be guessing. */
function misplaced(state: AnalysisState, event: AnalysisEvent): never {
  throw new AssayError({
    code: 'input',
    message: `the journal has a '${event.type}' event where the run is ${state.phase.at}`,
    fix: 'start a new run; this run folder can be read but not resumed',
  });
}
