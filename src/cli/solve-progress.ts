import type { AnalysisEvent, Clock } from '../core/index.ts';
import { type AnalysisProgress, type AnalysisState, analysisViewOf } from '../loop/index.ts';
import { printable } from '../sandbox/index.ts';
import { describeSpent } from './describe-spent.ts';
import { indentedLine, oneLine } from './one-line.ts';
import { lastLine } from './solve-describe.ts';
import { solveStory } from './solve-story.ts';
import type { Terminal } from './terminal.ts';

/** Shows an analysis on stderr while it goes on: a line per step, and on a terminal one live line below. */
export type SolveProgress = {
  onEvent: (event: AnalysisEvent, state: AnalysisState) => void;
  onProgress: (progress: AnalysisProgress) => void;
  stop: () => void;
};

export type SolveProgressOptions = {
  terminal: Terminal;
  clock: Clock;
  /** Also each event as a line of JSON on stdout. */
  events: boolean;
  /** What is typed and not sent yet: shown instead of the rest. */
  typed: () => string;
};

/** What goes on now, and since when. */
type Doing = { what: string; sinceMs: number; output: string };

export function startSolveProgress(options: SolveProgressOptions): SolveProgress {
  const { terminal, clock, events, typed } = options;
  const startedMs = clock.monotonicMs();
  let state: AnalysisState | null = null;
  const tell = solveStory();
  let doing: Doing = { what: 'starting', sinceMs: startedMs, output: '' };

  const redraw = () => {
    const now = clock.monotonicMs();
    const text = typed();
    if (text !== '') terminal.live(`> ${printable(text)}`);
    else if (state !== null && analysisViewOf(state).end === null)
      terminal.live(liveLine(state, doing, { now, startedMs }));
  };
  const begin = (what: string) => {
    doing = { what, sinceMs: clock.monotonicMs(), output: '' };
  };
  // The time must go on where nothing else happens: a person has to see that it is alive, and what is typed.
  const timer = setInterval(redraw, 200);
  timer.unref();
  return {
    onEvent: (event, now) => {
      state = now;
      if (events) terminal.result(JSON.stringify(event));
      if (event.type === 'effect_started') begin(effectWords(event.effect));
      for (const line of tell(event, now)) terminal.step(indentedLine(line));
      redraw();
    },
    onProgress: (progress) => {
      if (progress.kind === 'output') {
        const line = lastLine({ outputs: [progress.output] });
        if (line !== '') doing = { ...doing, output: line };
      } else if (progress.kind === 'replay')
        begin(`runs cell ${progress.done + 1} of ${progress.total} again`);
      else if (progress.kind === 'model') {
        doing = { ...doing, output: modelWords(progress) };
        // A wait that can take minutes is worth a line also where there is no live one.
        if (progress.at === 'retrying') terminal.step(doing.output);
      }
    },
    stop: () => {
      clearInterval(timer);
      terminal.clear();
    },
  };
}

type Effect = Extract<AnalysisEvent, { type: 'effect_started' }>['effect'];

function effectWords(effect: Effect): string {
  switch (effect.kind) {
    case 'plan':
      return 'the model plans';
    case 'ask':
      return 'the model thinks';
    case 'open':
      return 'the kernel starts';
    case 'restart':
      return 'the kernel starts anew';
    case 'cell':
      return effect.purpose === 'check' ? 'a check runs' : `cell ${effect.cell} runs`;
    case 'read':
      return `reads ${effect.path}`;
    case 'check':
      return 'looks for the files it names';
    case 'close':
      return 'done';
  }
}

function modelWords(progress: Extract<AnalysisProgress, { kind: 'model' }>): string {
  switch (progress.at) {
    case 'waiting':
      return '';
    case 'streaming':
      return `${progress.outputChars.toLocaleString('en-US')} characters`;
    case 'retrying':
      return oneLine(`${progress.model} again in ${Math.ceil(progress.inMs / 1000)} s: ${progress.because}`);
  }
}

function liveLine(state: AnalysisState, doing: Doing, at: { now: number; startedMs: number }): string {
  const { subtask, subtasks, turn, turns, failures, retries, usage } = analysisViewOf(state);
  const parts = [clockTime(at.now - at.startedMs)];
  if (subtasks > 1 && subtask > 0) parts.push(`subtask ${subtask}/${subtasks}`);
  if (subtask > 0) parts.push(`turn ${Math.max(1, turn)}/${turns}`);
  if (failures > 0) parts.push(`${failures} failed, ${Math.max(0, retries - failures + 1)} tries left`);
  parts.push(`${doing.what} ${Math.floor((at.now - doing.sinceMs) / 1000)} s`);
  if (usage.tokens > 0) parts.push(describeSpent(usage));
  if (doing.output !== '') parts.push(printable(doing.output));
  return parts.join(' · ');
}

function clockTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
