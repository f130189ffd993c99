import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  AssayError,
  type RepairEvent,
  type RepairResult,
  type RepairSpec,
  repairEventSchema,
} from '../../core/index.ts';
import type { FrameworkId } from '../../lab/index.ts';
import { type RepairOptions, type RepairRun, repliesIn, resumeRepair, runRepair } from '../../loop/index.ts';
import { createProposer } from '../../propose/index.ts';
import type { Run } from '../../store/index.ts';
import { applyPatch, type Written } from '../apply-patch.ts';
import type { CliContext } from '../context.ts';
import { type ExitCode, exitCodeOfRepair } from '../exit-codes.ts';
import { OfRun } from '../of-run.ts';
import { startProgress } from '../progress.ts';
import { recordTo } from '../record-file.ts';
import { renderFix, summariseFix } from '../render-fix.ts';
import { splitCommand } from '../split-command.ts';
import { storeOf } from '../store-of.ts';

export type FixCliOptions = {
  framework?: FrameworkId;
  test?: string;
  task?: string;
  model: string;
  record?: string;
  rounds: number;
  timeout: number;
  testTimeout?: number;
  perTest?: number;
  maxCandidates?: number;
  maxTokens?: number;
  maxCost?: number;
  protect?: string[];
  holdout?: string[];
  setup?: string;
  trustCollected?: boolean;
  strict: boolean;
  write?: boolean;
  seed: number;
  json?: boolean;
  events?: boolean;
};

export type OutputOptions = { json?: boolean; events?: boolean; write?: boolean };

/** `assay fix [dir]` */
export async function fixCommand(
  context: CliContext,
  dir: string,
  options: FixCliOptions,
): Promise<ExitCode> {
  const spec = specOf(context, dir, options);
  // Made before the run is, so that a wrong id or file leaves no run behind.
  const proposer = recordTo(context, createProposer(spec.proposer, { cwd: context.cwd }), options.record);
  const run = await storeOf(context).create<RepairEvent>({
    kind: 'fix',
    spec,
    event: repairEventSchema,
    versions: { assay: context.version },
  });
  return perform(context, run, options, (shared) => runRepair({ ...shared, spec, proposer }));
}

/** `assay resume RUN` */
export async function resumeCommand(
  context: CliContext,
  id: string,
  options: OutputOptions,
): Promise<ExitCode> {
  const run = storeOf(context).open<RepairEvent>(id, { event: repairEventSchema });
  const events = run.events().map((record) => record.event);
  const [first] = events;
  if (first?.type !== 'run_started') {
    throw new AssayError({
      code: 'input',
      message: `${run.id} was cut before it began: its journal is empty.`,
      fix: 'start it again with assay fix',
    });
  }
  const proposer = createProposer(first.spec.proposer, {
    cwd: context.cwd,
    alreadyProposed: repliesIn(events),
  });
  return perform(context, run, options, (shared) => resumeRepair({ ...shared, proposer }));
}

/** Runs the loop with progress on stderr, then writes the patch where that was asked for, and prints the result. */
async function perform(
  context: CliContext,
  run: Run<RepairEvent>,
  options: OutputOptions,
  loop: (shared: Omit<RepairOptions, 'proposer'>) => Promise<RepairRun>,
): Promise<ExitCode> {
  const { terminal, signal, clock } = context;
  const progress = startProgress({ terminal, clock, events: options.events === true });
  const { onEvent, onProgress } = progress;
  let cut = true;
  try {
    terminal.say(terminal.paintProgress('dim', `run ${run.id}`));
    const { result, end } = await loop({ run, signal, clock, onEvent, onProgress });
    cut = false;
    progress.stop();
    const written = options.write === true && end.status === 'done' ? await tryToWrite(run, result) : null;
    const failed = written !== null && 'error' in written;
    // One object for each call: where writing failed, that is what has to be told.
    if (options.json && !failed) terminal.result(JSON.stringify(result));
    if (options.json || options.events) terminal.say(summariseFix(result));
    else {
      const before = progress.failedBefore();
      terminal.result(renderFix(result, { terminal, written: written !== null && !failed, before }));
    }
    if (failed) throw written.error;
    return exitCodeOfRepair(end.status);
  } catch (error) {
    throw new OfRun({ run: run.id, cut, cause: error });
  } finally {
    progress.stop();
    run.close();
  }
}

async function tryToWrite(
  run: Run<RepairEvent>,
  { patch }: RepairResult,
): Promise<Written | { error: unknown } | null> {
  try {
    return patch === null ? null : await applyPatch(run, patch);
  } catch (error) {
    return { error };
  }
}

function specOf({ cwd }: CliContext, dir: string, options: FixCliOptions): RepairSpec {
  const { model } = options;
  return {
    kind: 'fix',
    dir: projectFolder(path.resolve(cwd, dir)),
    framework: options.framework ?? null,
    testCommand: options.test === undefined ? null : splitCommand(options.test),
    task: options.task ?? null,
    // A relative file must still be found when the run is resumed from elsewhere.
    proposer: model.startsWith('replay:')
      ? `replay:${path.resolve(cwd, model.slice('replay:'.length))}`
      : model,
    model: null,
    limits: {
      rounds: options.rounds,
      tokens: options.maxTokens ?? null,
      costUsd: options.maxCost ?? null,
      wallMs: options.timeout * 1_000,
      candidates: options.maxCandidates ?? null,
    },
    testTimeoutMs: milliseconds(options.testTimeout),
    perTestMs: milliseconds(options.perTest),
    protect: options.protect ?? [],
    holdout: options.holdout ?? [],
    setup: options.setup ?? null,
    trustCollected: options.trustCollected === true,
    strict: options.strict,
    seed: options.seed,
  };
}

const milliseconds = (seconds: number | undefined) => (seconds === undefined ? null : seconds * 1_000);

function projectFolder(dir: string): string {
  const stats = statSync(dir, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return realpathSync(dir);
  throw new AssayError({
    code: 'usage',
    message: stats ? `${dir} is a file, not a project's folder.` : `There is no folder ${dir}.`,
    fix: 'give the folder of the project, e.g. assay fix path/to/project',
  });
}
