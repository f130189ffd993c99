import { claimedPaths } from './claims.ts';
import { lineOf } from './listings.ts';
import {
  type AnalysisState,
  closing,
  dueChecks,
  type EventOf,
  type Phase,
  partOf,
  type RanCell,
  withNote,
  withPart,
} from './state.ts';
import { toAsk } from './turns.ts';

type Checking = Extract<Phase, { at: 'subtask_complete' }>;

/** The model says that it is done: a claim, which is looked at before it counts. */
export function beginChecks(state: AnalysisState, text: string): AnalysisState {
  const paths = claimedPaths(text);
  const problems =
    partOf(state).succeeded === 0
      ? ['No cell of this subtask has succeeded: nothing was computed in it.']
      : [];
  const claims = paths.length === 0 ? null : paths;
  return goOn({ ...state, phase: { at: 'subtask_complete', claims, checks: dueChecks(state), problems } });
}

export function onChecked(
  state: AnalysisState,
  phase: Checking,
  { missing }: EventOf<'checked'>,
): AnalysisState {
  const told = missing.map((path) => `The answer names ${JSON.stringify(path)}, and there is no such file.`);
  return goOn({ ...state, phase: { ...phase, claims: null, problems: [...phase.problems, ...told] } });
}

export function onCheckCell(state: AnalysisState, { cell, result }: RanCell): AnalysisState {
  const { phase } = state;
  if (phase.at !== 'subtask_complete') throw new Error(`no check is due while ${phase.at}`);
  const [index = -1, ...checks] = phase.checks;
  const name = state.spec.checks[index]?.name ?? String(index);
  const { end } = result;
  // A message may hold data: it must not take the place of what the loop says.
  const what =
    end.status === 'error' ? lineOf(`${end.ename}: ${end.evalue}`, 300) : `it ended as ${end.status}`;
  const told =
    end.status === 'ok' ? [] : [`The check ${JSON.stringify(name)} failed (cell ${cell}): ${what}`];
  return goOn({ ...state, phase: { ...phase, checks, problems: [...phase.problems, ...told] } });
}

/** When all is looked at: complete, or what is wrong goes back to the model once, or the end. */
function goOn(state: AnalysisState): AnalysisState {
  const { phase } = state;
  if (phase.at !== 'subtask_complete') throw new Error(`nothing was claimed while ${phase.at}`);
  const { claims, checks, problems } = phase;
  if (claims !== null || checks.length > 0) return state;
  if (problems.length === 0) return closing(state, { status: 'complete', verification: 'not_run' });
  const { toldChecks, turns } = partOf(state);
  if (toldChecks || turns >= state.spec.limits.turns)
    return closing(state, { status: 'checks_failed', detail: problems.join(' ') });
  const note = [
    'The subtask is not complete yet. assay checked what you say:',
    ...problems.map((problem) => `- ${problem}`),
    'Put this right with execute_code, then answer again; of a file that is not there, say so: "not made: NAME". This is the only time it is told.',
  ];
  return toAsk(withNote(withPart(state, { toldChecks: true }), note.join('\n')));
}
