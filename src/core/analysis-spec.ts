import { z } from 'zod';
import { modelSettingsSchema } from './spec.ts';

/** One part of a task, with a prompt, a budget of turns and an end of its own; all share one kernel. */
export const subtaskSchema = z.object({
  /** Unique in its run, e.g. `2-forecast`. */
  id: z.string().min(1),
  title: z.string(),
  prompt: z.string(),
  /** What to keep to in this subtask only: the text of its instruction file. */
  instructions: z.string().nullable().default(null),
  /** Instead of the run's model. */
  model: z.string().nullable().default(null),
});
export type Subtask = z.infer<typeof subtaskSchema>;

/** What an analysis may spend. null: no limit of that kind. */
export const analysisLimitsSchema = z.object({
  /** New tries after a failed cell, in a row: one failure more ends the subtask. A cell that succeeds sets it back. */
  retries: z.number().int().nonnegative(),
  /** New tries after failed cells in one subtask. */
  totalRetries: z.number().int().nonnegative(),
  /** Model replies in one subtask. */
  turns: z.number().int().positive(),
  tokens: z.number().int().positive().nullable(),
  costUsd: z.number().positive().nullable(),
  /** Active time in milliseconds: a run that lies dead between a crash and its resume spends none. */
  wallMs: z.number().positive(),
  /** Of one cell. */
  cellMs: z.number().positive(),
});
export type AnalysisLimits = z.infer<typeof analysisLimitsSchema>;

/** A cell of assertions: fails when it ends in anything but `ok`. */
export const checkCellSchema = z.object({
  name: z.string(),
  code: z.string(),
  /** Run when this subtask is claimed to be complete; null: when the last one is. */
  subtask: z.string().nullable(),
});
export type CheckCell = z.infer<typeof checkCellSchema>;

/** Everything an analysis needs to be started, and to be taken up again from its folder alone. */
export const analysisSpecSchema = z.object({
  kind: z.literal('solve'),
  /** The whole task as the user wrote it. */
  task: z.string(),
  subtasks: z.array(subtaskSchema).min(1),
  /** The model splits the task first; `subtasks` then holds the task as one, for a model that cannot. */
  plan: z.boolean(),
  /** Splits the task instead of the run's model. */
  planModel: z.string().nullable().default(null),
  /** The user's data, absolute. Read once for the kernel's working folder; never written by the loop. */
  dataDir: z.string().nullable(),
  /** What the data folder held at the start: its first files by path, and how many there were; null without one. */
  data: z
    .object({
      files: z.array(z.object({ path: z.string(), bytes: z.number().int().nonnegative() })),
      total: z.number().int().nonnegative(),
    })
    .nullable()
    .default(null),
  /** A kernelspec's name, e.g. `python3`. */
  kernel: z.string(),
  runtime: z.enum(['jupyter', 'e2b']),
  /** `replay:FILE` or `provider/model`. */
  model: z.string(),
  settings: modelSettingsSchema,
  /** Figures go to the model as images, beside their description in words. */
  images: z.boolean().default(false),
  limits: analysisLimitsSchema,
  /** Memory of the kernel with all its processes; null: the kernel's default. */
  memoryBytes: z.number().int().positive().nullable().default(null),
  /** Only a remote kernel can have one. */
  network: z.boolean().default(false),
  checks: z.array(checkCellSchema),
  /** Refuse to run where a limit cannot be enforced. */
  strict: z.boolean().default(true),
  seed: z.number().int(),
});
export type AnalysisSpec = z.infer<typeof analysisSpecSchema>;
