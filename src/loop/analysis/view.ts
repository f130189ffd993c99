import type { AnalysisEnd, AnalysisEvent, Usage } from '../../core/index.ts';
import { cellLine } from './cell-text.ts';
import { analysisMachine } from './machine.ts';
import { type AnalysisState, startAnalysis } from './state.ts';

/** What a terminal or a page shows of an analysis: a fold of its events. */
export type AnalysisView = {
  /** `stopped`: stands still until it is resumed. */
  phase: AnalysisState['phase']['at'] | 'stopped';
  /** The subtask that is worked on, from 1, of `subtasks`; 0 while the task is split. */
  subtask: number;
  subtasks: number;
  title: string;
  /** Replies in this subtask, and how many it may have. */
  turn: number;
  turns: number;
  /** Cells in all, and failed ones in a row. */
  cells: number;
  failures: number;
  retries: number;
  variables: number | null;
  artifacts: number;
  /** The last cell in one line. */
  lastCell: string | null;
  usage: Usage;
  end: AnalysisEnd | null;
};

/** Folds one event more into the state that views are made of. The first event must be `run_started`. */
export function foldAnalysis(state: AnalysisState | null, event: AnalysisEvent): AnalysisState {
  if (state !== null) return analysisMachine.evolve(state, event);
  if (event.type === 'run_started') return startAnalysis(event.spec);
  throw new Error(`the first event of a run is '${event.type}'`);
}

export function analysisViewOf(state: AnalysisState): AnalysisView {
  const { phase, parts, subtasks, spec, cells, variables } = state;
  const part = parts.at(-1);
  const last = cells.at(-1);
  return {
    phase: state.halted === null ? phase.at : 'stopped',
    subtask: parts.length,
    subtasks: subtasks.length,
    title: part?.subtask.title ?? '',
    turn: part?.turns ?? 0,
    turns: spec.limits.turns,
    cells: cells.length,
    failures: part?.failures ?? 0,
    retries: spec.limits.retries,
    variables: variables === null ? null : Object.keys(variables).length,
    artifacts: new Set(cells.flatMap(({ artifacts }) => artifacts.map(({ sha256 }) => sha256))).size,
    lastCell: last === undefined ? null : cellLine(last),
    usage: state.spent,
    end: phase.at === 'ended' ? phase.end : null,
  };
}
