import type { SubtaskEnd } from '../../core/index.ts';
import type { Fence } from '../../propose/index.ts';
import { cellLine, clip } from './cell-text.ts';
import { artifactsText, countOf, lastLines, lineOf, variablesText } from './listings.ts';
import { type AnalysisState, type Part, partOf, type RanCell } from './state.ts';

/** Characters for what may be shortened. */
export type OpeningRoom = { summaries: number; digest: number };

/** What must be told whole, whatever else is left out: the task, the subtask with its instructions. */
export function mustText(state: AnalysisState): string {
  const { spec, subtasks } = state;
  const { subtask } = partOf(state);
  const position = `${state.parts.length} of ${subtasks.length}`;
  const whole = subtasks.length === 1 && subtask.prompt.trim() === spec.task.trim();
  return [
    `# The task\n\n${spec.task.trim()}`,
    ...(whole
      ? []
      : [`# The subtask that you work on now (${position}): ${subtask.title}\n\n${subtask.prompt.trim()}`]),
    ...(subtask.instructions === null ? [] : [`# Instructions for it\n\n${subtask.instructions.trim()}`]),
  ].join('\n\n');
}

/** All that the user said to the run, but for the last messages that the conversation still holds. */
export function steeringText({ steering }: AnalysisState, inConversation: number): string {
  const said = steering.slice(0, Math.max(0, steering.length - inConversation));
  if (said.length === 0) return '';
  return `# What the user said meanwhile\n\n${said.map((text) => `- ${text.trim()}`).join('\n')}`;
}

/** Where the subtask stands among the others, and what those before it found. */
export function planText(state: AnalysisState, fence: Fence, maxChars: number): string {
  const { subtasks, parts } = state;
  if (subtasks.length === 1) return '';
  const lines = subtasks.map((subtask, index) => {
    const part = parts[index];
    const end = part?.end;
    const now = index === parts.length - 1 ? 'now' : end == null ? 'later' : endWords(end);
    return `${index + 1}. ${lineOf(subtask.title, 120)} (${now})`;
  });
  const list = clip(lines.join('\n'), Math.floor(maxChars / 2));
  const done = parts.filter(({ end }) => end !== null);
  const share = Math.floor((maxChars - list.length) / Math.max(1, done.length)) - 120;
  const found = done.map((part) => summaryOf(part, fence, share));
  return [`# The subtasks\n\n${list}`, ...found.filter((text) => text !== '')].join('\n\n');
}

function summaryOf({ subtask, summary }: Part, fence: Fence, maxChars: number): string {
  if (summary === '' || maxChars < 100) return '';
  return fence
    .block(`what you said at the end of: ${lineOf(subtask.title, 60)}`, clip(summary.trim(), maxChars - 80))
    .trimEnd();
}

/** An end for a reader who knows nothing of the loop. */
export function endWords(end: SubtaskEnd): string {
  switch (end.status) {
    case 'complete':
      return 'done';
    case 'checks_failed':
      return 'said to be done, and the checks failed';
    case 'retry_limit':
    case 'turn_limit':
    case 'budget_exhausted':
      return 'not finished, its limit was reached';
    case 'stuck':
      return 'not finished, nothing new came';
    case 'kernel_lost':
    case 'aborted':
    case 'error':
      return 'not finished';
  }
}

/** One line for each cell that the conversation does not hold any more, the latest whole, the others counted. */
export function digestText(cells: readonly RanCell[], fence: Fence, maxChars: number): string {
  if (cells.length === 0 || maxChars < 200) return '';
  const failed = cells.filter(({ result }) => result.end.status !== 'ok').length;
  const others = (count: number) => `[${countOf(count, 'earlier cell')} left out]`;
  const text = lastLines(cells, { line: cellLine, maxChars: maxChars - 160, others });
  const heading = `# Cells before (${countOf(cells.length, 'cell')}, ${failed} of them not ok), in short`;
  return `${heading}\n\n${fence.block('cells in short', text)}`.trimEnd();
}

/** What is there now and what is left, at the end of every request. */
export function statusText(
  state: AnalysisState,
  fence: Fence,
  room: { variables: number; artifacts: number },
): string {
  const { turns, failures } = partOf(state);
  const { limits } = state.spec;
  const left = limits.turns - turns;
  return [
    '# As it stands',
    fence.block('variables', variablesText(state, room.variables)).trimEnd(),
    fence.block('data files and artifacts', artifactsText(state, room.artifacts)).trimEnd(),
    `${countOf(left, 'reply').replace('replys', 'replies')} left in this subtask${left <= 2 ? ': come to an end, and say what you found' : ''}.${failures === 0 ? '' : ` ${countOf(failures, 'cell')} failed in a row, and ${limits.retries + 1} end it.`}`,
  ].join('\n');
}
