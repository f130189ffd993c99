import type {
  AnalysisEffect,
  AnalysisEvent,
  CellResult,
  Output,
  ReplayDifference,
} from '../../core/index.ts';
import { type Keep, keepCell, type Seen } from '../../kernel/index.ts';
import type { ProposeProgress } from '../../propose/index.ts';
import type { Effects } from '../drive.ts';
import { type AskOptions, ask } from './ask.ts';
import { missingOf } from './claims.ts';
import type { EvidenceOf } from './evidence-port.ts';
import { noEvidence } from './holdings.ts';
import { dueJob } from './jobs.ts';
import { type KernelHolder, lossOf, type Spilled } from './kernel-holder.ts';
import { bytesText } from './listings.ts';
import { readForModel } from './read-file.ts';
import { differenceOf, replayOf } from './replay.ts';
import { type AnalysisState, partOf } from './state.ts';

/** Shown while an effect goes on, never folded. */
export type AnalysisProgress =
  | ProposeProgress
  | { kind: 'output'; cell: number; output: Output }
  | { kind: 'replay'; done: number; total: number };

export type AnalysisEffectsOptions = Omit<AskOptions, 'onProgress'> & {
  holder: KernelHolder;
  evidenceOf: EvidenceOf;
  keep: Keep;
  /** Compares the files that the kernel begins with to those of the first time; gives what a person should know. */
  compareInputs: (files: readonly { path: string; sha256: string }[]) => Promise<string[]>;
  onProgress?: ((progress: AnalysisProgress) => void) | undefined;
};

type Perform = Parameters<Effects<AnalysisState, AnalysisEvent, AnalysisEffect>['perform']>[0];
type Of<K extends AnalysisEffect['kind']> = Omit<Perform, 'effect'> & {
  effect: Extract<AnalysisEffect, { kind: K }>;
  wallMs: () => number;
};

/** The analysis' effects on a real kernel and real models. */
export function analysisEffects(
  options: AnalysisEffectsOptions,
): Effects<AnalysisState, AnalysisEvent, AnalysisEffect> {
  return {
    async perform(request) {
      const { effect, state } = request;
      const startedMs = options.clock.monotonicMs();
      const wallMs = () => Math.max(0, options.clock.monotonicMs() - startedMs);
      switch (effect.kind) {
        case 'plan':
        case 'ask':
          return [await ask(options, { ...request, effect })];
        case 'open':
          return [await open(options, { ...request, effect, wallMs })];
        case 'restart':
          return [await restart(options, { ...request, effect, wallMs })];
        case 'cell':
          return [await runCell(options, { ...request, effect, wallMs })];
        case 'read': {
          const { path, from, subtask } = effect;
          const kernel = options.holder.kernel();
          const text = await readForModel({ path, from, state, kernel, readArtifact: options.readArtifact });
          return [{ type: 'tool_answered', subtask, tool: toolOf(state), text, wallMs: wallMs() }];
        }
        case 'check':
          return [await checkClaims(options, { ...request, effect, wallMs })];
        case 'close': {
          const { phase } = state;
          if (phase.at !== 'closing') throw new Error(`nothing is to be closed while ${phase.at}`);
          const { summary, subtask } = partOf(state);
          return [{ type: 'subtask_ended', subtask: subtask.id, end: phase.end, summary, wallMs: wallMs() }];
        }
      }
    },
  };
}

function toolOf(state: AnalysisState): string {
  const want = dueJob(state)?.want;
  return want?.kind === 'read' ? `read_file ${want.path}` : 'read_file';
}

/** The kernel on the initial files, and in it what earlier processes had run. */
async function open(
  options: AnalysisEffectsOptions,
  { state, signal, wallMs }: Of<'open'>,
): Promise<AnalysisEvent> {
  const { holder, evidenceOf, compareInputs, onProgress } = options;
  const kernel = await holder.open(signal);
  const evidence = evidenceOf(kernel);
  holder.watch(evidence);
  const files = await evidence.ground();
  const warnings = await compareInputs(files);
  const steps = replayOf(state);
  const differences: ReplayDifference[] = [];
  let replayed = 0;
  for (const [done, step] of steps.entries()) {
    signal.throwIfAborted();
    onProgress?.({ kind: 'replay', done, total: steps.length });
    if (step.kind === 'restart') {
      await kernel.restart();
      await evidence.ground();
      continue;
    }
    const { code } = step.ran;
    const result = await kernel.execute(code, { signal, deadlineMs: state.spec.limits.cellMs });
    signal.throwIfAborted();
    const difference = differenceOf(step.ran, await evidence.after({ code, result }));
    if (difference !== null) differences.push(difference);
    replayed += 1;
    if (result.end.status !== 'died') continue;
    await kernel.restart();
    await evidence.ground();
  }
  const { name, language, languageVersion, implementation, enforcement } = kernel.info;
  return {
    type: 'kernel_opened',
    kernel: { name, language, languageVersion, implementation },
    enforcement,
    files: files.length,
    replayed,
    differences,
    warnings,
    wallMs: wallMs(),
  };
}

async function restart(
  { holder }: AnalysisEffectsOptions,
  { effect, wallMs }: Of<'restart'>,
): Promise<AnalysisEvent> {
  const { because } = effect;
  try {
    await holder.kernel().restart();
    await holder.evidence().ground();
    return { type: 'kernel_restarted', because, wallMs: wallMs() };
  } catch (error) {
    const { detail, fix } = lossOf(error);
    return { type: 'kernel_lost', detail, fix, wallMs: wallMs() };
  }
}

async function runCell(
  options: AnalysisEffectsOptions,
  { effect, state, signal, wallMs }: Of<'cell'>,
): Promise<AnalysisEvent> {
  const { holder, keep, onProgress } = options;
  const { subtask, cell, purpose, code } = effect;
  const kernel = holder.kernel();
  holder.beginCell();
  const { limits } = state.spec;
  const deadlineMs = Math.max(1, Math.min(limits.cellMs, limits.wallMs - state.spent.wallMs));
  const raw = await kernel.execute(code, {
    deadlineMs,
    signal,
    onOutput: (output) => onProgress?.({ kind: 'output', cell, output }),
  });
  if (raw.end.status === 'unavailable')
    return { type: 'kernel_lost', detail: raw.end.detail, fix: raw.end.fix, wallMs: wallMs() };
  const { result, evidence } = await evidenceAfter(options, { code, result: raw });
  const spilled = holder.spilled();
  const kept = await keepCell({ cell, result, evidence, kernel, keep, spilled });
  return {
    type: 'cell_ran',
    ...{ subtask, cell, purpose, code },
    result: kept.result,
    evidence: { ...evidence, warnings: [...evidence.warnings, ...kept.warnings, ...lostOf(spilled)] },
    artifacts: kept.artifacts,
    wallMs: wallMs(),
  };
}

const lostOf = ({ lostBytes }: Spilled): string[] =>
  lostBytes === 0
    ? []
    : [`What the cell printed is kept up to a limit: ${bytesText(lostBytes)} after it are lost.`];

/** A kernel that cannot be looked into does not take away what the cell gave. */
async function evidenceAfter(
  { holder }: AnalysisEffectsOptions,
  cell: { code: string; result: CellResult },
): Promise<Seen> {
  try {
    return await holder.evidence().after(cell);
  } catch (error) {
    const { detail } = lossOf(error);
    const warnings = [`what the cell changed is not known: ${detail}`];
    return { result: cell.result, evidence: { ...noEvidence, variables: null, warnings } };
  }
}

async function checkClaims(
  { holder }: AnalysisEffectsOptions,
  { state, effect, wallMs }: Of<'check'>,
): Promise<AnalysisEvent> {
  const { phase } = state;
  const claims = phase.at === 'subtask_complete' ? (phase.claims ?? []) : [];
  const folder = holder.kernel().files;
  // Names are enough: reading gigabytes of data to hash them is not.
  const files = (await (folder.stat?.() ?? folder.list())).map(({ path }) => path);
  // A file that a cell made and another took away is not there any more, though its bytes are kept.
  const kept = state.cells.flatMap(({ artifacts }) =>
    artifacts.flatMap(({ name, source }) => (source.kind === 'file' ? [] : [name])),
  );
  return {
    type: 'checked',
    subtask: effect.subtask,
    missing: missingOf(claims, [...files, ...kept]),
    wallMs: wallMs(),
  };
}
