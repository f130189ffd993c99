import type { AnalysisEnd, AnalysisResult, SubtaskEnd } from '../../core/index.ts';
import { noUsage, overshoots } from '../budget.ts';
import { asLimits } from './budget.ts';
import type { AnalysisState } from './state.ts';

/**
 * The result of an analysis from the fold of its events alone. A run without an end can be resumed: stopped or cut by a
 * crash it is `aborted`, `environment_error` or `kernel_lost` where it waits for a model or a kernel.
 * @param options.run the run's id; `dir`: its folder, absolute
 */
export function analysisResultOf(options: {
  state: AnalysisState;
  run: string;
  dir: string;
}): AnalysisResult {
  const { state, run, dir } = options;
  const end = endOf(state);
  const going = state.phase.at === 'ended' ? '' : `; go on with: assay resume ${run}`;
  return {
    schema: 'assay-solve/1',
    run,
    status: end.status,
    reason: going === '' ? reasonOf(end, state) : `${reasonOf(end, state).replace(/\.$/, '')}${going}`,
    fix: 'fix' in end ? end.fix : null,
    subtasks: state.subtasks.map(({ id, title }, index) => {
      const part = state.parts[index];
      const { turns = 0, cells = 0, failed = 0, summary = '' } = part ?? {};
      return { id, title, end: part?.end ?? null, turns, cells, failed, summary };
    }),
    turns: state.parts.reduce((sum, { turns }) => sum + turns, 0),
    cells: state.cells.filter(({ purpose }) => purpose === 'work').length,
    artifacts: artifactsOf(state),
    kernel: state.kernel.info,
    usage: state.spent,
    enforcement: state.enforcement,
    warnings: warningsOf(state),
    dir,
  };
}

const endOf = ({ phase, halted, parts }: AnalysisState): AnalysisEnd => {
  if (phase.at === 'ended') return phase.end;
  const subtask = parts.at(-1)?.subtask.id ?? null;
  return halted ?? { status: 'aborted', detail: 'the process was cut', subtask };
};

/**
 * The newest of each name: a file that was made again is its last content. One that is no longer there is none, nor one
 * whose last content was not kept.
 */
function artifactsOf({ cells, files }: AnalysisState): AnalysisResult['artifacts'] {
  const newest = new Map<string, AnalysisResult['artifacts'][number]>();
  for (const { cell, artifacts } of cells) {
    for (const artifact of artifacts) {
      const { source } = artifact;
      if (source.kind === 'file' && files[source.path]?.cell !== cell) continue;
      const key = source.kind === 'file' ? `file ${source.path}` : artifact.name;
      newest.delete(key);
      newest.set(key, { ...artifact, cell });
    }
  }
  return [...newest.values()];
}

/** One sentence that a person understands without the status. */
export function reasonOf(end: AnalysisEnd | SubtaskEnd, state: AnalysisState): string {
  const where = 'subtask' in end && state.subtasks.length > 1 ? placeOf(end.subtask, state) : '';
  return `${where}${sentenceOf(end, state)}`;
}

function placeOf(id: string | null, { subtasks }: AnalysisState): string {
  const title = subtasks.find((subtask) => subtask.id === id)?.title;
  return title === undefined ? '' : `"${title}": `;
}

function sentenceOf(end: AnalysisEnd | SubtaskEnd, state: AnalysisState): string {
  switch (end.status) {
    case 'complete': {
      const cells = state.cells.filter(({ purpose }) => purpose === 'work').length;
      const runs = {
        not_run: 'not run again yet',
        reproduced: 'run again with the same result',
        diverged: 'run again with another result',
      };
      return `complete by the model's word and the checks, after ${cells} ${cells === 1 ? 'cell' : 'cells'}; ${runs[end.verification]}`;
    }
    case 'checks_failed':
      return `said to be complete, and the checks failed: ${end.detail}`;
    case 'retry_limit': {
      const which = end.which === 'consecutive' ? 'in a row' : 'in all';
      return `gave up after more than ${end.limit} retries ${which}: ${end.detail}`;
    }
    case 'turn_limit':
      return `not finished in ${end.limit} replies of the model`;
    case 'budget_exhausted': {
      const name = { tokens: 'token', cost: 'cost', wall: 'time' }[end.which];
      return `the ${name} limit leaves no room for the next step: ${amountOf(end.which, end.used)} of ${amountOf(end.which, end.limit)} used`;
    }
    case 'stuck':
    case 'kernel_lost':
    case 'environment_error':
    case 'aborted':
    case 'error':
      return end.detail;
  }
}

/** Of a budget, as people write it. */
function amountOf(which: 'tokens' | 'cost' | 'wall', value: number): string {
  if (which === 'wall') return `${(value / 1000).toFixed(1)} s`;
  return which === 'cost' ? `$${value.toFixed(4)}` : `${value}`;
}

function warningsOf(state: AnalysisState): string[] {
  const { spec, spent, lost, cells } = state;
  const ofCells = cells.flatMap(({ cell, result, evidence }) =>
    [...result.warnings, ...evidence.warnings].map((text) => `cell ${cell}: ${text}`),
  );
  const over = overshoots(asLimits(spec.limits), { ...spent, rounds: 0 }).map(({ which, used, limit }) => {
    const kind = which === 'costUsd' ? 'cost' : which === 'wallMs' ? 'wall' : 'tokens';
    const [spentThen, allowed] = [amountOf(kind, used), amountOf(kind, limit)];
    return `the last step went over its limit: ${spentThen} of ${allowed}${kind === 'tokens' ? ' tokens' : ''}`;
  });
  const charged = Object.entries(lost).filter(
    ([key, value]) => value !== noUsage[key as keyof typeof noUsage],
  );
  const what = charged.map(([key, value]) => `${value ?? 'unknown'} ${key}`).join(', ');
  const crash = what === '' ? [] : [`the usage includes what a cut call may have cost at most: ${what}`];
  return [...new Set([...state.warnings, ...ofCells, ...over, ...crash])];
}
