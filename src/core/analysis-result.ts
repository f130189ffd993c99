import { z } from 'zod';
import { subtaskEndSchema } from './analysis-ends.ts';
import { cellArtifactSchema } from './cell-evidence.ts';
import { enforcementSchema } from './outcome.ts';
import { usageSchema } from './proposal.ts';

/** What `assay solve --json` prints. */
export const analysisResultSchema = z.object({
  schema: z.literal('assay-solve/1'),
  run: z.string(),
  status: z.string(),
  reason: z.string(),
  /** What to do now, where the run could not go on. */
  fix: z.string().nullable(),
  subtasks: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      /** null: not ended, or not begun. */
      end: subtaskEndSchema.nullable(),
      turns: z.number().int().nonnegative(),
      /** Cells that ran, and how many of them failed; checks left out. */
      cells: z.number().int().nonnegative(),
      failed: z.number().int().nonnegative(),
      /** What the model said last. */
      summary: z.string(),
    }),
  ),
  turns: z.number().int().nonnegative(),
  cells: z.number().int().nonnegative(),
  /** The newest of each name, in the order they came. */
  artifacts: z.array(cellArtifactSchema.extend({ cell: z.number().int().positive() })),
  kernel: z
    .object({
      name: z.string(),
      language: z.string(),
      languageVersion: z.string(),
      implementation: z.string(),
    })
    .nullable(),
  usage: usageSchema,
  enforcement: enforcementSchema.nullable(),
  warnings: z.array(z.string()),
  dir: z.string(),
});
export type AnalysisResult = z.infer<typeof analysisResultSchema>;
