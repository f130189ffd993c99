import type { AnalysisEvent, CellResult, SubtaskEnd } from '../../core/index.ts';
import { aboutText } from './about.ts';
import type { NotebookItem } from './notebook.ts';
import type { NotebookKernel } from './serialise.ts';

/** What is known of an analysis while its notebook is written down. */
export type Story = {
  kernel: NotebookKernel | null;
  titles: Readonly<Record<string, { title: string; prompt: string }>>;
  /** Names of the user's checks by their code. */
  checks: Readonly<Record<string, string>>;
  /** The subtask that the last heading is of. */
  subtask: string | null;
};

export const noStory: Story = { kernel: null, titles: {}, checks: {}, subtask: null };

/**
 * The cells of the notebook that an event of an analysis makes: a heading for the task and for each subtask, what the
 * model and the user say, notes on what a reader has to know, and the code with its outputs. Pure: the same events give
 * the same notebook.
 */
export function tell(story: Story, event: AnalysisEvent): { story: Story; items: NotebookItem[] } {
  switch (event.type) {
    case 'run_started':
      return {
        story: { ...withTitles(story, event.spec.subtasks), checks: namesOf(event.spec.checks) },
        items: [markdown(heading(introOf(event.spec)), 'task'), markdown(aboutText(event.spec), 'about')],
      };
    case 'planned':
      if (event.subtasks.length === 0) return { story, items: [] };
      return {
        story: withTitles(story, event.subtasks),
        items: [markdown(planOf(event.subtasks), 'plan')],
      };
    case 'replied':
      return under(
        story,
        event.subtask,
        event.reply.text.trim() === '' ? [] : [markdown(event.reply.text, 'model')],
      );
    case 'kernel_opened':
      return { story: { ...story, kernel: event.kernel }, items: openedNotes(event) };
    case 'kernel_restarted':
      return { story, items: [note(`The kernel was restarted, and its state is lost: ${event.because}`)] };
    case 'kernel_lost':
      return { story, items: [note(`The kernel is lost: ${event.detail}`)] };
    case 'cell_ran':
      return under(story, event.subtask, [
        ...(event.purpose === 'check' ? checkNote(story.checks[event.code]) : []),
        {
          kind: 'code',
          code: event.code,
          result: event.result,
          artifacts: event.artifacts,
          tags: [...(event.purpose === 'check' ? ['check'] : []), ...runTags(event.result)],
        },
        ...endNote(event.result),
      ]);
    case 'checked':
      return under(
        story,
        event.subtask,
        event.missing.length === 0
          ? []
          : [note(`Named but not there: ${event.missing.map(code).join(', ')}`)],
      );
    case 'subtask_ended':
      return under(story, event.subtask, subtaskNote(event.end));
    case 'steered':
      return { story, items: [markdown(quoted(`**From the user:** ${event.text}`), 'user')] };
    case 'stopped':
      return { story, items: [note(`The run was interrupted: ${event.detail}`)] };
    case 'resumed':
      return { story, items: [note('The run was taken up again.')] };
    case 'effect_failed':
      return { story, items: [note(`The run could not go on: ${event.detail}`)] };
    case 'effect_started':
    case 'model_calling':
    case 'model_called':
    case 'exhausted':
    case 'tool_answered':
    case 'run_ended':
      return { story, items: [] };
  }
}

/** With a heading before the first cell of each subtask, also where the run comes back to it. */
function under(
  story: Story,
  subtask: string,
  items: NotebookItem[],
): { story: Story; items: NotebookItem[] } {
  if (items.length === 0 || story.subtask === subtask) return { story, items };
  const known = story.titles[subtask];
  const title = known?.title ?? subtask;
  const isSaid = story.subtask === null && Object.keys(story.titles).length === 1;
  // A task of one part has been written down as a whole already.
  const text = isSaid ? `## ${title}` : [`## ${title}`, known?.prompt ?? ''].join('\n\n').trim();
  return { story: { ...story, subtask }, items: [markdown(text, 'subtask'), ...items] };
}

function withTitles(story: Story, subtasks: readonly { id: string; title: string; prompt: string }[]): Story {
  return {
    ...story,
    titles: Object.fromEntries(subtasks.map(({ id, title, prompt }) => [id, { title, prompt }])),
  };
}

const namesOf = (checks: readonly { name: string; code: string }[]): Record<string, string> =>
  Object.fromEntries(checks.map(({ name, code }) => [code, name]));

/** The code of a check says little of what it is for. */
function checkNote(name = ''): NotebookItem[] {
  return name === '' ? [] : [markdown(quoted(`**Check:** ${name}`), 'check')];
}

function openedNotes(event: Extract<AnalysisEvent, { type: 'kernel_opened' }>): NotebookItem[] {
  if (event.replayed === 0) return [];
  const differ = event.differences.map(({ cell, detail }) => `\n- cell ${cell}: ${detail}`).join('');
  const outcome = differ === '' ? 'with the same results' : `and gave other results:${differ}`;
  return [note(`A new kernel ran the ${event.replayed} cells before this line again, ${outcome}`)];
}

/**
 * What the programs that run a notebook are to do with a cell. By the first tag they go on after its error; by the second
 * nbclient leaves it out, and JupyterLab, which knows no such tag, runs it.
 */
function runTags({ end }: CellResult): string[] {
  switch (end.status) {
    case 'ok':
      return [];
    case 'error':
      return ['raises-exception'];
    case 'timeout':
    case 'interrupted':
      return ['raises-exception', 'skip-execution'];
    case 'died':
    case 'aborted':
    case 'unavailable':
      return ['skip-execution'];
  }
}

function endNote({ end }: CellResult): NotebookItem[] {
  const lost = 'stateLost' in end && end.stateLost ? ' The kernel was restarted: state lost.' : '';
  const skip = ' Leave it out when you run the notebook again.';
  switch (end.status) {
    case 'ok':
    case 'error':
      return [];
    case 'timeout':
      return [note(`This cell was interrupted after ${end.deadlineMs / 1000} s.${lost}${skip}`)];
    case 'interrupted':
      return [note(`This cell was interrupted.${lost}${skip}`)];
    case 'died':
      return [note(`The kernel died while this cell ran (${end.cause}): ${end.detail}. State lost.${skip}`)];
    case 'aborted':
      return [note('The kernel did not run this cell.')];
    case 'unavailable':
      return [note(`There was no kernel to run this cell: ${end.detail}`)];
  }
}

function subtaskNote(end: SubtaskEnd): NotebookItem[] {
  if (end.status === 'complete') return [];
  const detail = 'detail' in end && end.detail !== '' ? `: ${end.detail}` : '';
  return [note(`This part ended as \`${end.status}\`${detail}`)];
}

function planOf(subtasks: readonly { title: string }[]): string {
  return ['**Plan**', '', ...subtasks.map(({ title }, index) => `${index + 1}. ${title}`)].join('\n');
}

/** What stands before the parts of a task, which are told under headings of their own. */
function introOf({ task, subtasks }: { task: string; subtasks: readonly { title: string }[] }): string {
  if (subtasks.length < 2) return task;
  const lines = task.split('\n');
  const titles = subtasks.map(({ title }) => title);
  const first = lines.findIndex((line) =>
    titles.includes(line.replace(/^ {0,3}#{1,6}\s+|(?:\s+#+)?\s*$/g, '')),
  );
  return first > 0 ? lines.slice(0, first).join('\n').trim() : task;
}

/** A task that has no heading of its own gets one. */
function heading(task: string): string {
  return /^#{1,6} /.test(task) ? task : `# Analysis\n\n${task}`;
}

const code = (text: string): string => `\`${text}\``;
const quoted = (text: string): string => text.replaceAll(/^/gm, '> ');

function markdown(text: string, tag: string): NotebookItem {
  return { kind: 'markdown', text, tags: [tag] };
}

function note(text: string): NotebookItem {
  return markdown(quoted(`**Note:** ${text}`), 'note');
}
