import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import {
  AssayError,
  type Clock,
  type RepairEffect,
  type RepairEnd,
  type RepairEvent,
  type RepairResult,
  type RepairSpec,
} from '../core/index.ts';
import { collect, openEvaluator, openProject, type Project, packProject, runLab } from '../lab/index.ts';
import type { Proposer } from '../propose/index.ts';
import type { Run } from '../store/index.ts';
import { changedFiles } from './changed-files.ts';
import { drive, type Inbox } from './drive.ts';
import { createInbox } from './inbox.ts';
import { labEffects } from './lab-effects.ts';
import type { Lab, RepairProgress } from './lab-port.ts';
import { repairMachine } from './repair.ts';
import { eventsOf, repairBudget } from './repair-effects.ts';
import type { RepairState } from './repair-state.ts';
import { resultOf } from './result.ts';
import { positionAfter, takeUp } from './resume.ts';
import { foldRepair } from './view.ts';

export type RepairOptions = {
  /** The run's folder, open for writing; it stays open. */
  run: Run<RepairEvent>;
  /** One for each of `stagesOf(spec)`; of a resumed run, each made with its part of `repliesIn(events)`. */
  proposers: readonly Proposer[];
  /** Aborts the effect in flight; the run can then be resumed. */
  signal: AbortSignal;
  inbox?: Inbox;
  clock?: Clock;
  /** Default: the real one. */
  lab?: Lab;
  onEvent?: (event: RepairEvent, state: RepairState) => void;
  onProgress?: (progress: RepairProgress) => void;
};

/** `resumable`: the run was stopped and has no end yet; `end` is then `aborted`. `state`: what the result was made of. */
export type RepairRun = { result: RepairResult; end: RepairEnd; resumable: boolean; state: RepairState };

/** What a run leaves in its folder beside the journal and the artifacts. */
export const repairFiles = {
  /** The patch of a `done` run, or the best one so far. */
  patch: 'patch.diff',
  /** The whole report of the last test run. */
  report: 'report.json',
  result: 'result.json',
  /**
   * sha256 of every file of the project at the start, which `--write` and `apply` compare, and the artifact that
   * `resume` opens the project from.
   */
  files: 'files.json',
} as const;

const realLab: Lab = { openProject, packProject, collect, runLab, openEvaluator };
const systemClock: Clock = { monotonicMs: () => performance.now(), now: () => new Date() };

/**
 * Repairs a project from the start: journals into `run`, and leaves result, patch and report there. What goes wrong
 * with the project or the machine is an end of the run; a journal that cannot be written rejects.
 */
export async function runRepair(options: RepairOptions & { spec: RepairSpec }): Promise<RepairRun> {
  const { run, spec, onEvent } = options;
  const { event } = await run.append({ type: 'run_started', spec }, { sync: true });
  const events = [event];
  onEvent?.(event, repairMachine.start(spec));
  return withScratch(run, (scratch) => go({ options, spec, scratch, position: takeUp(events).position }));
}

/**
 * Takes a cut or stopped run up again from its folder alone, whatever has become of the user's files. A run that has
 * ended gives its result again.
 * @throws AssayError `locked` where another process writes to the run; `environment` where an environment of the
 * project is gone; `input` on a damaged run folder. Nothing is journaled then.
 */
export async function resumeRepair(options: RepairOptions): Promise<RepairRun> {
  const { run, signal, onEvent } = options;
  run.lock();
  const events = run.events().map((record) => record.event);
  const { position, resumed } = takeUp(events);
  const { state } = position;
  if (position.ended && state.phase.at === 'ended') {
    const folded = resultOf({ state, run: run.id, dir: run.dir });
    const result = { ...folded, warnings: (await keptWarnings(run)) ?? folded.warnings };
    // The process may have died between the last event and the files.
    await leave(run, result);
    return { result, end: state.phase.end, resumable: false, state };
  }
  return withScratch(run, async (scratch) => {
    const parts = { options, spec: state.spec, scratch };
    const effects = effectsOf(parts);
    // A run that is decided, and was cut before it said so, needs no project any more.
    if (repairMachine.next(state).kind !== 'end') await effects.open(signal);
    const changed = await changedSince(run);
    const { event } = await run.append(
      { ...resumed, ...(changed.length > 0 && { changed }) },
      { sync: true },
    );
    const from = positionAfter(repairMachine, position, [event]);
    onEvent?.(event, from.state);
    return go({ ...parts, position: from, effects });
  });
}

/** How many replies a run has journaled of the proposer of each stage; a stage that has not begun is left out. */
export function repliesIn(events: readonly RepairEvent[]): number[] {
  const counts: number[] = [];
  let state: RepairState | null = null;
  for (const event of events) {
    const stage: number = state?.stage ?? 0;
    if (event.type === 'proposed') counts[stage] = (counts[stage] ?? 0) + 1;
    state = foldRepair(state, event);
    counts[state.stage] ??= 0;
  }
  return counts;
}

type Parts = { options: RepairOptions; spec: RepairSpec; scratch: string };

function effectsOf({ options, spec, scratch }: Parts) {
  const { run, proposers, lab = realLab, clock = systemClock, onProgress } = options;
  return labEffects({
    spec,
    proposers,
    lab,
    clock,
    scratch,
    packed: () => keptProject(run),
    onProject: (project) => keepProject(run, project, lab),
    ...(onProgress && { onProgress }),
  });
}

async function go(
  parts: Parts & { position: ReturnType<typeof takeUp>['position']; effects?: ReturnType<typeof effectsOf> },
): Promise<RepairRun> {
  const { options, position, effects = effectsOf(parts) } = parts;
  const { run, proposers, signal, inbox = createInbox(), clock = systemClock, onEvent } = options;
  const keep = async (report: unknown) => {
    const as = { name: 'report.json', mediaType: 'application/json' };
    return (await run.artifact(JSON.stringify(report), as)).sha256;
  };
  const { state, end, resumable } = await drive<
    RepairSpec,
    RepairState,
    RepairEvent,
    RepairEffect,
    RepairEnd
  >({
    machine: repairMachine,
    position,
    effects: eventsOf({ effects, clock, keep }),
    journal: { append: async (event, { sync }) => (await run.append(event, { sync })).event },
    budget: repairBudget(proposers),
    inbox,
    signal,
    clock,
    ...(onEvent && { onEvent }),
  });
  const folded = resultOf({ state, run: run.id, dir: run.dir });
  const result = { ...folded, warnings: [...folded.warnings, ...scrubWarning(run)] };
  await leave(run, result);
  return { result, end, resumable, state };
}

/** The snapshot and the environment live for as long as a process works on the run. */
async function withScratch<T>(run: Run<RepairEvent>, work: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = path.join(run.dir, 'scratch');
  // What a killed process left may be half a snapshot.
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  try {
    return await work(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function leave(run: Run<RepairEvent>, result: RepairResult): Promise<void> {
  if (result.patch !== null) await run.writeFile(repairFiles.patch, result.patch);
  const artifact = run
    .events()
    .map(({ event }) => ('artifact' in event ? event.artifact : undefined))
    .findLast((name) => name !== undefined);
  if (artifact !== undefined) await run.writeFile(repairFiles.report, await run.readArtifact(artifact));
  await run.writeFile(repairFiles.result, `${JSON.stringify(result, null, 2)}\n`);
}

/** A patch that goes through such a text cannot be made again from the run folder. */
function scrubWarning(run: Run<RepairEvent>): string[] {
  if (run.scrubbed.size === 0) return [];
  return [`secrets were left out of the run folder: ${[...run.scrubbed].toSorted().join(', ')}`];
}

/** Those of a run that has ended, which names also what only its own process saw: the secrets it left out. */
async function keptWarnings(run: Run<RepairEvent>): Promise<string[] | null> {
  const text = await run.readFile(repairFiles.result);
  if (text === null) return null;
  try {
    return z.object({ warnings: z.array(z.string()) }).parse(JSON.parse(text.toString('utf8'))).warnings;
  } catch {
    // Damaged: it is made anew.
    return null;
  }
}

const filesSchema = z.object({
  dir: z.string(),
  packed: z.string(),
  files: z.record(z.string(), z.string()),
});

/** What of the user's files is not what the run works on. */
async function changedSince(run: Run<RepairEvent>): Promise<string[]> {
  const text = await run.readFile(repairFiles.files);
  return text === null ? [] : changedFiles(filesIn(text.toString('utf8')));
}

/**
 * Keeps what the project was at the start, once: the hashes of its files, and the files themselves, exactly as they are.
 */
async function keepProject(run: Run<RepairEvent>, project: Project, lab: Lab): Promise<void> {
  if ((await run.readFile(repairFiles.files)) !== null) return;
  const as = { name: 'project.zst', mediaType: 'application/zstd' };
  const { sha256: packed } = await run.artifact(await lab.packProject(project), as);
  const files = Object.fromEntries([...project.hashes].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const kept = { schema: 'assay-files/1', dir: project.dir, packed, files };
  await run.writeFile(repairFiles.files, `${JSON.stringify(kept, null, 2)}\n`);
}

/** What `keepProject` kept; null where a run was cut before, and so before any test. */
async function keptProject(run: Run<RepairEvent>): Promise<Uint8Array | null> {
  const text = await run.readFile(repairFiles.files);
  return text === null ? null : run.readArtifact(filesIn(text.toString('utf8')).packed);
}

function filesIn(text: string): z.infer<typeof filesSchema> {
  try {
    return filesSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new AssayError({
      code: 'input',
      message: `${repairFiles.files} in the run folder is damaged`,
      because: cause instanceof Error ? cause.message : String(cause),
      fix: 'restore the run folder from a backup, or start a new run',
      cause,
    });
  }
}
