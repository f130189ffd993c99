import type { AnalysisEffect, CellEvidence, CellResult } from '../../core/index.ts';
import { onCheckCell } from './checking.ts';
import { applyEvidence, noEvidence } from './holdings.ts';
import { answerJobs, dueJob } from './jobs.ts';
import { artifactsText, variablesText } from './listings.ts';
import { repeats, signatureOfCell } from './repeats.ts';
import {
  type AnalysisState,
  type Answer,
  closing,
  type EventOf,
  isFailed,
  partOf,
  type RanCell,
  withNote,
  withPart,
} from './state.ts';
import { toAsk } from './turns.ts';

/** Cells in a row that may end the kernel's process. */
const maxDeaths = 3;

export function onCell(state: AnalysisState, event: EventOf<'cell_ran'>): AnalysisState {
  const { subtask, cell, purpose, code, result, evidence, artifacts } = event;
  const ran: RanCell = { subtask, cell, purpose, code, result, evidence, artifacts, cut: false };
  const held = heldAfter({ ...state, cells: [...state.cells, ran] }, ran);
  return purpose === 'check' ? onCheckCell(held, ran) : onWork(held, ran);
}

/** What the kernel holds after a cell: files and variables as the evidence says, nothing where its state is lost. */
function heldAfter(state: AnalysisState, ran: RanCell): AnalysisState {
  const { end } = ran.result;
  const held = applyEvidence(state, ran);
  const lost = end.status === 'died' || ('stateLost' in end && end.stateLost);
  if (!lost) return end.status === 'ok' ? withKernelAlive(held) : held;
  const { kernel } = state;
  if (end.status !== 'died') return { ...held, variables: {} };
  const because = `the kernel's process ended (${end.cause}) in cell ${ran.cell}: ${end.detail}`;
  return {
    ...held,
    variables: {},
    kernel: { ...kernel, is: 'gone', because, deaths: kernel.deaths + 1 },
  };
}

const withKernelAlive = (state: AnalysisState): AnalysisState => ({
  ...state,
  kernel: { ...state.kernel, deaths: 0, losses: 0 },
});

function onWork(state: AnalysisState, ran: RanCell): AnalysisState {
  const { result, cell } = ran;
  const part = partOf(state);
  const failed = isFailed(result);
  const ok = result.end.status === 'ok';
  const { again, signatures } = repeats(part.signatures, signatureOfCell(ran));
  const counted = withPart(answerCell(state, cell, !ok), {
    cells: part.cells + 1,
    failed: part.failed + (failed ? 1 : 0),
    succeeded: part.succeeded + (ok ? 1 : 0),
    failures: ok ? 0 : part.failures + (failed ? 1 : 0),
    signatures,
    toldRepeat: again,
  });
  const end = endAfter(counted, ran, again && part.toldRepeat);
  if (end !== null) return closing(counted, end);
  const { failures } = partOf(counted);
  const reflected = failed ? withReflection(counted, cell, failures) : counted;
  const told = again ? withNote(reflected, repeatNote(cell, ok)) : reflected;
  return answerPure({ ...told, phase: { at: ok ? 'artifact_captured' : 'error_observed' } });
}

function endAfter(state: AnalysisState, { result, cell }: RanCell, isStuck: boolean) {
  const { limits } = state.spec;
  const { failures, failed } = partOf(state);
  const { end } = result;
  if (end.status === 'died' && state.kernel.deaths >= maxDeaths) {
    const detail = `${maxDeaths} cells in a row ended the kernel's process, the last one: ${end.detail}`;
    const fix =
      end.cause === 'oom'
        ? 'give the kernel more memory (--memory), or the task less data at once'
        : 'look at the last cells in the notebook: another model, or a task that says how to do without them';
    return { status: 'kernel_lost', detail, fix } as const;
  }
  const what = end.status === 'error' ? `${end.ename}: ${end.evalue}`.slice(0, 300) : end.status;
  const detail = `cell ${cell} ended with ${what}`;
  if (isFailed(result) && failures > limits.retries)
    return { status: 'retry_limit', which: 'consecutive', limit: limits.retries, detail } as const;
  if (isFailed(result) && failed > limits.totalRetries)
    return { status: 'retry_limit', which: 'total', limit: limits.totalRetries, detail } as const;
  if (!isStuck) return null;
  return end.status === 'ok'
    ? ({
        status: 'stuck',
        why: 'same_output',
        detail: `cell ${cell} gave the same as an equal cell before`,
      } as const)
    : ({
        status: 'stuck',
        why: 'same_error',
        detail: `the same code failed in the same way again: ${detail}`,
      } as const);
}

const withReflection = (state: AnalysisState, cell: number, failures: number): AnalysisState => ({
  ...state,
  entries: [...state.entries, { kind: 'reflection', cell, failures }],
});

const repeatNote = (cell: number, ok: boolean): string =>
  ok
    ? `Cell ${cell} is the same code as one of the last cells and gave the same. Do something new, or say what you found; once more the same ends this subtask.`
    : `Cell ${cell} is the same code as one of the last cells and failed in the same way. Change the approach; once more the same ends this subtask.`;

/** The cell's own call, and, where it did not succeed, the cells of the same reply that were written to come after it. */
function answerCell(state: AnalysisState, cell: number, stop: boolean): AnalysisState {
  const due = dueJob(state);
  return answerJobs(state, (job) => {
    if (job === due) return { kind: 'cell', cell };
    if (!stop || job.want.kind !== 'cell') return pureAnswer(state, job.want);
    return {
      kind: 'text',
      text: `Not run: cell ${cell}, which comes before it in your reply, did not succeed.`,
    };
  });
}

/** Answers what needs no effect, up to the next call that does; when none is left, the model is asked. */
export function answerPure(state: AnalysisState): AnalysisState {
  const answered = answerJobs(state, ({ want }) => pureAnswer(state, want));
  if (dueJob(answered) !== null) return answered;
  return toAsk(answered, answered.phase.at === 'error_observed' ? 'reflection_retry' : 'prompted');
}

function pureAnswer(
  state: AnalysisState,
  want: NonNullable<ReturnType<typeof dueJob>>['want'],
): Answer | null {
  switch (want.kind) {
    case 'nothing':
      return { kind: 'text', text: want.because };
    case 'artifacts':
      return { kind: 'data', label: 'data files and artifacts', text: artifactsText(state) };
    case 'variables':
      return { kind: 'data', label: 'variables', text: variablesText(state) };
    case 'cell':
    case 'read':
      return null;
  }
}

export function onRead(state: AnalysisState, { tool, text }: EventOf<'tool_answered'>): AnalysisState {
  const due = dueJob(state);
  return answerPure(answerJobs(state, (job) => (job === due ? { kind: 'data', label: tool, text } : null)));
}

/** The process was killed while this cell ran. It is told to the model, and not run again by itself. */
export function onCut(state: AnalysisState, cut: Extract<AnalysisEffect, { kind: 'cell' }>): AnalysisState {
  const { subtask, cell, purpose, code } = cut;
  const ran: RanCell = {
    ...{ subtask, cell, purpose, code, artifacts: [], cut: true },
    result: cutResult,
    evidence: noEvidence satisfies CellEvidence,
  };
  const part = partOf(state);
  const noted = withPart({ ...state, cells: [...state.cells, ran] }, { cells: part.cells + 1 });
  return answerPure({ ...answerCell(noted, cell, true), phase: { at: 'artifact_captured' } });
}

const cutResult: CellResult = {
  end: { status: 'interrupted', stateLost: true },
  executionCount: null,
  outputs: [],
  streamBytes: { stdout: 0, stderr: 0 },
  truncated: false,
  durationMs: 0,
  warnings: ['assay was killed while this cell ran'],
};
