import { z } from 'zod';
import { analysisEndSchema, subtaskEndSchema } from './analysis-ends.ts';
import { analysisSpecSchema, subtaskSchema } from './analysis-spec.ts';
import { cellResultSchema } from './cell.ts';
import { cellArtifactSchema, cellEvidenceSchema } from './cell-evidence.ts';
import { projectionSchema } from './events.ts';
import { modelReplySchema, modelResultSchema } from './model.ts';
import { enforcementSchema } from './outcome.ts';
import { usageSchema } from './proposal.ts';
import { effectFailedSchema, steeredSchema, stoppedSchema } from './run-events.ts';

/** `work`: asked for by the model · `check`: one of the user's checks. */
export const cellPurposeSchema = z.enum(['work', 'check']);
export type CellPurpose = z.infer<typeof cellPurposeSchema>;

/** The one thing the analysis wants done next. */
export const analysisEffectSchema = z.discriminatedUnion('kind', [
  /** Let the model split the task. */
  z.object({ kind: z.literal('plan'), attempt: z.number().int().positive() }),
  /** One reply of the model. */
  z.object({ kind: z.literal('ask'), subtask: z.string(), turn: z.number().int().positive() }),
  /** Have a kernel on the initial files, and run again there the cells that are done. */
  z.object({ kind: z.literal('open'), replay: z.number().int().nonnegative() }),
  /** The kernel's process is gone: start another on the files as they are. */
  z.object({ kind: z.literal('restart'), because: z.string() }),
  /** `cell`: 1-based, counted through the whole run. */
  z.object({
    kind: z.literal('cell'),
    subtask: z.string(),
    cell: z.number().int().positive(),
    purpose: cellPurposeSchema,
    code: z.string(),
  }),
  /** `from`: the first line, from 1. */
  z.object({
    kind: z.literal('read'),
    subtask: z.string(),
    path: z.string(),
    from: z.number().int().positive(),
  }),
  /** Are the files there that the model's last text names? */
  z.object({ kind: z.literal('check'), subtask: z.string() }),
  /** Write down how the subtask ended. */
  z.object({ kind: z.literal('close'), subtask: z.string() }),
]);
export type AnalysisEffect = z.infer<typeof analysisEffectSchema>;

/** How a cell that was run again differs from what it gave at first. */
export const replayDifferenceSchema = z.object({ cell: z.number().int().positive(), detail: z.string() });
export type ReplayDifference = z.infer<typeof replayDifferenceSchema>;

export const analysisEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run_started'), spec: analysisSpecSchema }),
  z.object({
    type: z.literal('effect_started'),
    id: z.number().int(),
    attempt: z.number().int().positive(),
    effect: analysisEffectSchema,
    projection: projectionSchema,
  }),
  /** `problem`: why the reply is no plan; `subtasks` is empty then. */
  z.object({
    type: z.literal('planned'),
    subtasks: z.array(subtaskSchema),
    problem: z.string().nullable(),
    wallMs: z.number(),
  }),
  /**
   * A call to a model begins; synced, so that a crash while it goes on charges `projection`: what it costs at most.
   * `subtask` null: while planning.
   */
  z.object({
    type: z.literal('model_calling'),
    subtask: z.string().nullable(),
    model: z.string(),
    projection: projectionSchema,
  }),
  /** Its reply or failure: paid for, and given again instead of being asked for again when the run is resumed. */
  z.object({
    type: z.literal('model_called'),
    subtask: z.string().nullable(),
    model: z.string(),
    /** sha256 of the request: a recorded reply answers no other. */
    request: z.string(),
    result: modelResultSchema,
    usage: usageSchema,
  }),
  /** What the model said, paid for by the `model_called` before it. */
  z.object({
    type: z.literal('replied'),
    subtask: z.string(),
    turn: z.number().int().positive(),
    reply: modelReplySchema.omit({ usage: true }),
    wallMs: z.number(),
  }),
  /** What is left of a budget does not cover the next call. */
  z.object({
    type: z.literal('exhausted'),
    which: z.enum(['tokens', 'cost', 'wall']),
    wallMs: z.number(),
  }),
  /** `replayed`: cells that were run again after a resume. `files`: how many the working folder has. */
  z.object({
    type: z.literal('kernel_opened'),
    kernel: z.object({
      name: z.string(),
      language: z.string(),
      languageVersion: z.string(),
      implementation: z.string(),
    }),
    enforcement: enforcementSchema.nullable(),
    files: z.number().int().nonnegative(),
    replayed: z.number().int().nonnegative(),
    differences: z.array(replayDifferenceSchema),
    warnings: z.array(z.string()),
    wallMs: z.number(),
  }),
  /** Started anew: variables are gone, files stay. */
  z.object({ type: z.literal('kernel_restarted'), because: z.string(), wallMs: z.number() }),
  /** It could not be started anew. */
  z.object({ type: z.literal('kernel_lost'), detail: z.string(), fix: z.string(), wallMs: z.number() }),
  z.object({
    type: z.literal('cell_ran'),
    subtask: z.string(),
    cell: z.number().int().positive(),
    purpose: cellPurposeSchema,
    code: z.string(),
    /** Long texts cut to head and tail, images and other large data an `ArtifactRef`. */
    result: cellResultSchema,
    evidence: cellEvidenceSchema,
    artifacts: z.array(cellArtifactSchema),
    wallMs: z.number(),
  }),
  /** What a tool that looks at the outside said. `tool`: its name and what it was asked. */
  z.object({
    type: z.literal('tool_answered'),
    subtask: z.string(),
    tool: z.string(),
    text: z.string(),
    wallMs: z.number(),
  }),
  /** `missing`: files the model names that are not there. */
  z.object({
    type: z.literal('checked'),
    subtask: z.string(),
    missing: z.array(z.string()),
    wallMs: z.number(),
  }),
  /** `summary`: what the model said last. */
  z.object({
    type: z.literal('subtask_ended'),
    subtask: z.string(),
    end: subtaskEndSchema,
    summary: z.string(),
    wallMs: z.number(),
  }),
  effectFailedSchema,
  steeredSchema,
  stoppedSchema,
  /** A process took the run up again; `lost`: what the cut effect may have cost, at its projected maximum. */
  z.object({ type: z.literal('resumed'), lost: usageSchema.nullable() }),
  z.object({ type: z.literal('run_ended'), end: analysisEndSchema }),
]);
export type AnalysisEvent = z.infer<typeof analysisEventSchema>;
