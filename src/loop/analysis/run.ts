import type {
  AnalysisEffect,
  AnalysisEnd,
  AnalysisEvent,
  AnalysisResult,
  AnalysisSpec,
  Clock,
} from '../../core/index.ts';
import type { Run } from '../../store/index.ts';
import { drive, type Inbox } from '../drive.ts';
import { createInbox } from '../inbox.ts';
import { analysisBudget } from './budget.ts';
import { type AnalysisProgress, analysisEffects } from './effects.ts';
import { type EvidenceOf, wholeEvidence } from './evidence-port.ts';
import { inputsOf } from './inputs.ts';
import { holdKernel, type OpenKernel } from './kernel-holder.ts';
import { analysisMachine } from './machine.ts';
import { askedOf, type ModelOf } from './models.ts';
import { analysisResultOf } from './result.ts';
import { type AnalysisState, startAnalysis } from './state.ts';
import { type AnalysisPosition, positionResumed, takeUpAnalysis } from './take-up.ts';
import { watchedInbox } from './watched-inbox.ts';

export type AnalysisOptions = {
  /** The run's folder, open for writing; it stays open. */
  run: Run<AnalysisEvent>;
  /** The model of each id that the spec names. */
  modelOf: ModelOf;
  /** Called once, when the run begins or goes on, and awaited when the first cell is due. The kernel is closed at the end. */
  openKernel: OpenKernel;
  /** Aborts the effect in flight; the run can then be resumed. */
  signal: AbortSignal;
  /** `steer` reaches the model at its next turn; `stop` and `interrupt` act at once. */
  inbox?: Inbox;
  clock?: Clock;
  /** Default: files, variables and figures, as far as the kernel's language allows. */
  evidenceOf?: EvidenceOf;
  onEvent?: (event: AnalysisEvent, state: AnalysisState) => void;
  onProgress?: (progress: AnalysisProgress) => void;
};

/** `resumable`: the run stands still and has no end yet. */
export type AnalysisRun = { result: AnalysisResult; end: AnalysisEnd; resumable: boolean };

/** What an analysis leaves in its folder beside the journal, the artifacts and the notebook. */
export const analysisFiles = {
  result: 'result.json',
  /** sha256 of every file that the kernel's working folder held at the start. */
  inputs: 'inputs.json',
  notebook: 'notebook.ipynb',
} as const;

const systemClock: Clock = { monotonicMs: () => performance.now(), now: () => new Date() };

/**
 * Runs an analysis from the start: journals into `run`, writes the notebook after every event, and leaves the result
 * there. What goes wrong with the task, a model or the kernel is an end of the run, or lets it stand still until it is
 * resumed; a journal that cannot be written rejects.
 */
export async function runAnalysis(options: AnalysisOptions & { spec: AnalysisSpec }): Promise<AnalysisRun> {
  const { run, spec, onEvent } = options;
  const { event } = await run.append({ type: 'run_started', spec }, { sync: true });
  onEvent?.(event, startAnalysis(spec));
  return go(options, [event], takeUpAnalysis([event]).position);
}

/**
 * Takes a cut or stopped analysis up again from its folder alone: in a fresh kernel on the initial files, where the cells
 * that are done are run again and compared. A run that has ended gives its result again.
 * @throws AssayError `locked` where another process writes to the run; `input` on a damaged run folder
 */
export async function resumeAnalysis(options: AnalysisOptions): Promise<AnalysisRun> {
  const { run, onEvent } = options;
  run.lock();
  const events = run.events().map((record) => record.event);
  const { position, resumed } = takeUpAnalysis(events);
  const { state } = position;
  if (position.ended && state.phase.at === 'ended') {
    const result = analysisResultOf({ state, run: run.id, dir: run.dir });
    // The process may have died between the last event and the files.
    await leave(run, result);
    await follow(run, events).finish();
    return { result, end: state.phase.end, resumable: false };
  }
  const { event } = await run.append(resumed, { sync: true });
  if (event.type !== 'resumed') throw new Error('the journal gave another event back');
  const from = positionResumed(position, event);
  onEvent?.(event, from.state);
  return go(options, [...events, event], from);
}

async function go(
  options: AnalysisOptions,
  events: readonly AnalysisEvent[],
  position: AnalysisPosition,
): Promise<AnalysisRun> {
  const { run, modelOf, clock = systemClock, evidenceOf = wholeEvidence, onEvent, onProgress } = options;
  const stopping = new AbortController();
  const signal = AbortSignal.any([options.signal, stopping.signal]);
  const holder = holdKernel(options.openKernel);
  const { inbox, end: endWatch } = watchedInbox(options.inbox ?? createInbox(), {
    onStop: () => stopping.abort(new Error('stopped')),
    onInterrupt: () => void holder.interrupt().catch(() => undefined),
  });
  const notebook = follow(run, events);
  const asked = askedOf(modelOf, position.state.spec);
  // What has come to its end needs no kernel any more.
  if (analysisMachine.next(position.state).kind === 'effect') holder.start(signal);
  try {
    const { state, end, resumable } = await drive<
      AnalysisSpec,
      AnalysisState,
      AnalysisEvent,
      AnalysisEffect,
      AnalysisEnd
    >({
      machine: analysisMachine,
      position,
      effects: analysisEffects({
        asked,
        clock,
        holder,
        evidenceOf,
        keep: (data, as) => run.artifact(data, as),
        readArtifact: (sha256) => run.readArtifact(sha256),
        compareInputs: inputsOf(run, analysisFiles.inputs),
        onProgress,
      }),
      journal: { append: async (event, { sync }) => (await run.append(event, { sync })).event },
      budget: analysisBudget(asked),
      inbox,
      signal,
      clock,
      onEvent: (event, state) => {
        notebook.take(event);
        onEvent?.(event, state);
      },
    });
    const folded = analysisResultOf({ state, run: run.id, dir: run.dir });
    const warnings = [...folded.warnings, ...(await notebook.finish()), ...scrubWarning(run)];
    const result = { ...folded, warnings };
    await leave(run, result);
    return { result, end, resumable };
  } finally {
    endWatch();
    await holder.close();
  }
}

/** Writes the notebook behind the run. One that cannot be written is told of, and does not end the run. */
function follow(run: Run<AnalysisEvent>, events: readonly AnalysisEvent[]) {
  const notebook = run.openNotebook();
  let problem: string | null = null;
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      problem ??= error instanceof Error ? error.message : String(error);
    }
  };
  let last = attempt(() => notebook.take(events));
  return {
    take(event: AnalysisEvent): void {
      last = last.then(() => attempt(() => notebook.take([event])));
    },
    /** Waits until all is written; gives what went wrong. */
    async finish(): Promise<string[]> {
      await last;
      await attempt(() => notebook.finish());
      return problem === null ? [] : [`the notebook could not be written whole: ${problem}`];
    },
  };
}

async function leave(run: Run<AnalysisEvent>, result: AnalysisResult): Promise<void> {
  await run.writeFile(analysisFiles.result, `${JSON.stringify(result, null, 2)}\n`);
}

function scrubWarning(run: Run<AnalysisEvent>): string[] {
  if (run.scrubbed.size === 0) return [];
  return [`secrets were left out of the run folder: ${[...run.scrubbed].toSorted().join(', ')}`];
}
