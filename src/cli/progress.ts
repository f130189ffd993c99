import type { Clock, RepairEvent } from '../core/index.ts';
import { type RepairProgress, type RepairState, viewOf } from '../loop/index.ts';
import { describeEvent } from './describe-event.ts';
import { describeSpent } from './describe-spent.ts';
import { oneLine } from './one-line.ts';
import type { Terminal } from './terminal.ts';

/** Shows a run on stderr while it goes on: a line per step, and on a terminal one live line below. */
export type Progress = {
  onEvent: (event: RepairEvent, state: RepairState) => void;
  onProgress: (progress: RepairProgress) => void;
  stop: () => void;
};

/**
 * Shows events as lines on stderr and a live line below; with `events`, also each as a line of JSON on stdout. `stop`
 * before the result is written: a timer runs until then.
 */
export function startProgress(options: { terminal: Terminal; clock: Clock; events: boolean }): Progress {
  const { terminal, clock, events } = options;
  const startedMs = clock.monotonicMs();
  let state: RepairState | null = null;
  let stage = 1;
  let doing = '';

  const redraw = () => {
    if (state !== null && viewOf(state).end === null)
      terminal.live(liveLine(state, doing, clock.monotonicMs() - startedMs));
  };
  // The time must go on where nothing else happens: a person has to see that it is alive.
  const timer = setInterval(redraw, 500);
  timer.unref();
  return {
    onEvent: (event, now) => {
      state = now;
      if (event.type !== 'candidates') doing = '';
      if (events) terminal.result(JSON.stringify(event));
      // What a stopped run comes to is said at the end.
      const line = event.type === 'stopped' ? null : describeEvent(event);
      if (line !== null) terminal.step(oneLine(line));
      if (event.type === 'baseline_tested' && !event.again)
        for (const warning of event.report.warnings) terminal.step(`warning: ${oneLine(warning)}`);
      const taken = takeover(now, stage);
      if (taken !== null) terminal.step(oneLine(taken));
      stage = viewOf(now).stage;
      redraw();
    },
    onProgress: (progress) => {
      doing = describeProgress(progress);
      // A wait that can take minutes is worth a line also where there is no live one.
      if (progress.kind === 'setup' || (progress.kind === 'model' && progress.at === 'retrying'))
        terminal.step(doing);
      redraw();
    },
    stop: () => {
      clearInterval(timer);
      terminal.clear();
    },
  };
}

function describeProgress(progress: RepairProgress): string {
  switch (progress.kind) {
    case 'tests':
      return `${progress.seen} of ${progress.total} tests`;
    case 'setup':
      return `set-up: ${oneLine(progress.command)}`;
    case 'model':
      return describeModel(progress);
    case 'search': {
      const { tried, passing, hung, perSecond, at } = progress;
      const found = passing > 0 ? `, ${passing} pass` : '';
      const hanging = hung > 0 ? `, ${hung} hung` : '';
      return `${tried} candidates, ${Math.round(perSecond)}/s${found}${hanging} · ${oneLine(at)}`;
    }
  }
}

/** Another proposer of a chain has begun. */
function takeover(state: RepairState, before: number): string | null {
  const { stage, stages, proposer, handover } = viewOf(state);
  if (stage === before) return null;
  const why = handover === null ? '' : `${handover}; `;
  return `${why}now ${proposer} (${stage} of ${stages})`;
}

function describeModel({ model: id, ...progress }: Extract<RepairProgress, { kind: 'model' }>): string {
  // A project's configuration may have named it.
  const model = oneLine(id);
  switch (progress.at) {
    case 'waiting':
      return `waiting for ${model}`;
    case 'streaming':
      return `${model} writes, ${progress.outputChars.toLocaleString('en-US')} characters`;
    case 'retrying':
      return `${model} again in ${Math.ceil(progress.inMs / 1000)} s: ${oneLine(progress.because)}`;
  }
}

function liveLine(state: RepairState, doing: string, elapsedMs: number): string {
  const { phase, round, rounds, failing, stages, proposer, usage } = viewOf(state);
  const parts = [clockTime(elapsedMs), round > 0 ? `round ${round}/${rounds} ${phase}` : phase];
  // While a patch that passes is confirmed, the number is that of the tests it mends.
  if (failing !== null && phase !== 'confirming') parts.push(`${failing} failing`);
  // What it does names a model.
  if (doing !== '') parts.push(doing);
  else if (stages > 1 && phase === 'proposing') parts.push(oneLine(proposer));
  if (usage.tokens > 0) parts.push(describeSpent(usage));
  return parts.join(' · ');
}

function clockTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
