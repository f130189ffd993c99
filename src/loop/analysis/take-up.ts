import type { AnalysisEffect, AnalysisEvent, Usage } from '../../core/index.ts';
import { noUsage } from '../budget.ts';
import { type Position, positionAfter, positionOf } from '../resume.ts';
import { analysisMachine } from './machine.ts';
import type { AnalysisState, EventOf } from './state.ts';

export type AnalysisPosition = Position<AnalysisState, AnalysisEffect>;

/**
 * Where an analysis stands by its journal, and the event that takes it up again: to be journaled and folded before
 * `drive` goes on, unless the run has ended.
 * @throws AssayError `input` for a journal that is not one of an analysis, or is damaged
 */
export function takeUpAnalysis(events: readonly AnalysisEvent[]): {
  position: AnalysisPosition;
  resumed: EventOf<'resumed'>;
} {
  const position = positionOf(analysisMachine, events);
  return { position, resumed: { type: 'resumed', lost: lostBy(position) } };
}

/** What a call that has no result in the journal may have cost; everything else is charged or costs nothing. */
function lostBy({ state, pending }: AnalysisPosition): Usage | null {
  const inFlight = state.calls.inFlight;
  if (inFlight === null || pending === null || pending.charged) return null;
  const { tokens = 0, costUsd = 0 } = inFlight;
  return tokens === 0 && costUsd === 0 ? null : { ...noUsage, tokens, costUsd };
}

/**
 * The position after `resumed`: a cut effect that is not what is due now, such as a cell, is not begun again under its
 * own id.
 */
export function positionResumed(position: AnalysisPosition, resumed: EventOf<'resumed'>): AnalysisPosition {
  const from = positionAfter(analysisMachine, position, [resumed]);
  const next = analysisMachine.next(from.state);
  const same =
    next.kind === 'effect' &&
    from.pending !== null &&
    JSON.stringify(next.effect) === JSON.stringify(from.pending.effect);
  return same ? from : { ...from, pending: null };
}
