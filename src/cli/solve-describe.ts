import type { AnalysisEvent, CellResult, CheckCell, SubtaskEnd } from '../core/index.ts';

/**
 * One event as lines of progress; none for those that say nothing to a person.
 * @param checks those of the user, whose names tell more than their numbers
 */
export function describeSolveEvent(event: AnalysisEvent, checks: readonly CheckCell[] = []): string[] {
  switch (event.type) {
    case 'run_started': {
      const { model, kernel, dataDir, subtasks, plan, data } = event.spec;
      const parts = plan ? 'the model splits the task' : countOf(subtasks.length, 'subtask');
      const files = dataDir === null ? 'no data' : `${countOf(data?.total ?? 0, 'file')} of ${dataDir}`;
      return [`solve with ${model} in ${kernel}: ${parts}, ${files}`];
    }
    case 'planned':
      if (event.problem !== null) return [`no plan yet: ${event.problem}`];
      return [
        `plan: ${countOf(event.subtasks.length, 'subtask')}${seconds(event.wallMs)}`,
        ...event.subtasks.map(({ title }, index) => `  ${index + 1}. ${title}`),
      ];
    case 'kernel_opened': {
      const { kernel, replayed, differences, warnings } = event;
      const again = replayed === 0 ? '' : `, ${countOf(replayed, 'cell')} run again`;
      const differing = differences.map(({ cell, detail }) => `  cell ${cell} differs: ${detail}`);
      return [
        `kernel: ${kernel.implementation}, ${kernel.language} ${kernel.languageVersion}${again}${seconds(event.wallMs)}`,
        ...differing,
        ...warnings.map((warning) => `  ${warning}`),
      ];
    }
    case 'kernel_restarted':
      return [`kernel started anew: ${event.because}`];
    case 'kernel_lost':
      return [`kernel lost: ${event.detail}`];
    // Its last word is told at the end.
    case 'replied': {
      const text = firstLine(event.reply.text);
      return text === '' || event.reply.toolCalls.length === 0 ? [] : [`turn ${event.turn}: ${text}`];
    }
    case 'cell_ran':
      return [cellLine(event, checks)];
    case 'checked':
      return event.missing.length === 0 ? [] : [`check: no such file: ${event.missing.join(', ')}`];
    case 'subtask_ended':
      return [`end: ${endWords(event.end)}`];
    case 'steered':
      return [`told: ${event.text}`];
    case 'resumed':
      return ['taken up again'];
    case 'effect_started':
    case 'model_calling':
    case 'model_called':
    case 'tool_answered':
    // The end tells why.
    case 'exhausted':
    case 'effect_failed':
    case 'stopped':
    case 'run_ended':
      return [];
  }
}

function cellLine(
  { cell, purpose, code, result, evidence, wallMs }: Extract<AnalysisEvent, { type: 'cell_ran' }>,
  checks: readonly CheckCell[],
): string {
  const check = checks.find((one) => one.code === code)?.name ?? '';
  const name =
    purpose === 'check' ? `check (cell ${cell}${check === '' ? '' : `, ${check}`})` : `cell ${cell}`;
  const { created, changed } = evidence.files;
  const made = [...created, ...changed].map(({ path }) => path);
  const files =
    made.length === 0 ? '' : ` -> ${made.slice(0, 4).join(', ')}${made.length > 4 ? ', ...' : ''}`;
  return `${name}: ${cellEnd(result)}${seconds(wallMs)}${files}`;
}

function cellEnd({ end }: CellResult): string {
  switch (end.status) {
    case 'ok':
      return 'ok';
    case 'error':
      return `${end.ename}: ${firstLine(end.evalue)}`;
    case 'timeout':
      return `stopped after ${(end.deadlineMs / 1000).toFixed(0)} s${end.stateLost ? ', its state is lost' : ''}`;
    case 'interrupted':
      return `interrupted${end.stateLost ? ', its state is lost' : ''}`;
    case 'died':
      return `the kernel died: ${end.detail}`;
    case 'aborted':
      return 'not run';
    case 'unavailable':
      return `no kernel: ${end.detail}`;
  }
}

/** How a subtask ended, in a few words. */
export function endWords(end: SubtaskEnd): string {
  switch (end.status) {
    case 'complete':
      return 'complete';
    case 'checks_failed':
      return `checks failed: ${firstLine(end.detail)}`;
    case 'retry_limit':
      return `retry limit (${end.limit} ${end.which === 'consecutive' ? 'in a row' : 'in all'}): ${firstLine(end.detail)}`;
    case 'turn_limit':
      return `turn limit: not finished in ${end.limit} replies`;
    case 'budget_exhausted':
      return `budget exhausted: ${end.which}`;
    case 'stuck':
      return `stuck: ${firstLine(end.detail)}`;
    case 'kernel_lost':
    case 'aborted':
    case 'error':
      return `${end.status.replace('_', ' ')}: ${firstLine(end.detail)}`;
  }
}

/** The last line that a cell printed, or its value. */
export function lastLine({ outputs }: Pick<CellResult, 'outputs'>): string {
  const last = outputs.findLast(
    ({ output_type }) => output_type === 'stream' || output_type === 'execute_result',
  );
  if (last === undefined) return '';
  const text =
    last.output_type === 'stream'
      ? last.text
      : 'data' in last && typeof last.data['text/plain'] === 'string'
        ? last.data['text/plain']
        : '';
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}

const firstLine = (text: string) => text.trim().split('\n')[0] ?? '';
export const countOf = (count: number, what: string) => `${count} ${count === 1 ? what : `${what}s`}`;
const seconds = (ms: number) => ` (${(ms / 1000).toFixed(1)} s)`;
