import { applyEvidence } from './holdings.ts';
import { lineOf } from './listings.ts';
import { type ReplayStep, replayOf } from './replay.ts';
import { type AnalysisState, type EventOf, withNote } from './state.ts';

/** Times in a row that the kernel may not be to be had, with a new start between them. */
const maxLosses = 2;

/** After a resume, what is not as it was is told to the model. */
export function onOpened(state: AnalysisState, event: EventOf<'kernel_opened'>): AnalysisState {
  const { kernel: info, enforcement, replayed, differences, warnings } = event;
  const kernel = { ...state.kernel, is: 'ready' as const, because: '', info };
  const told = differences.map(({ cell, detail }) => `cell ${cell}, run again: ${detail}`);
  const opened = { ...state, kernel, enforcement, warnings: [...state.warnings, ...warnings, ...told] };
  if (state.cells.length === 0 || state.parts.length === 0) return opened;
  const again = replayOf(state);
  const left = state.cells.filter(({ cut, cell }) => !cut && !again.some((step) => isOf(step, cell)));
  const cut = state.cells.findLast((ran) => ran.cut);
  const lines = [
    'The run was interrupted and taken up again in a fresh kernel on the initial files.',
    `${replayed} earlier cells were run again there${told.length === 0 ? ', and gave the same' : ''}.`,
    ...told.map((line) => `- Not as before: ${line}`),
    ...(left.length === 0
      ? []
      : [
          `Not run again, for they did not come to an end by themselves: ${left.map(({ cell }) => `cell ${cell}`).join(', ')}. Nothing they did is there.`,
        ]),
    ...(cut === undefined || cut.cell !== state.cells.at(-1)?.cell
      ? []
      : [
          `Cell ${cut.cell} was cut while it ran and was not run again: nothing it did is there. Run it again if it is needed.`,
        ]),
    'What cells did to the outside world could not be taken back or done again.',
    ...warnings.map((warning) => `- ${warning}`),
  ];
  return withNote(heldAgain(opened, again), lines.join('\n'));
}

const isOf = (step: ReplayStep, cell: number) => step.kind === 'cell' && step.ran.cell === cell;

/** What the fresh kernel holds: files and variables of the cells that were run again in it, and no others. */
function heldAgain(state: AnalysisState, steps: readonly ReplayStep[]): AnalysisState {
  let held: AnalysisState = { ...state, files: {}, variables: {} };
  for (const step of steps)
    held = step.kind === 'cell' ? applyEvidence(held, step.ran) : { ...held, variables: {} };
  return held;
}

export function onRestarted(state: AnalysisState, { because }: EventOf<'kernel_restarted'>): AnalysisState {
  const kernel = { ...state.kernel, is: 'ready' as const, because: '' };
  // It may quote what the code wrote: that must not look like a message of its own.
  const note = `The kernel was started anew, because ${lineOf(because, 300)}. All variables and imports are gone; files are still there.`;
  return withNote({ ...state, kernel, variables: {} }, note);
}

/** Says nothing of the code: the cell is still due, and is run when there is a kernel again. */
export function onKernelLost(state: AnalysisState, { detail, fix }: EventOf<'kernel_lost'>): AnalysisState {
  const losses = state.kernel.losses + 1;
  const lost = { ...state, kernel: { ...state.kernel, is: 'gone' as const, because: detail, losses } };
  if (losses < maxLosses) return lost;
  const subtask = state.parts.at(-1)?.subtask.id ?? null;
  return { ...lost, halted: { status: 'kernel_lost', detail, fix, subtask } };
}
