import { z } from 'zod';
import { enforcementSchema } from './outcome.ts';
import { usageSchema } from './proposal.ts';
import { summarySchema } from './report.ts';

/** What `assay fix --json` prints. */
export const repairResultSchema = z.object({
  schema: z.literal('assay-fix/1'),
  run: z.string(),
  status: z.string(),
  reason: z.string(),
  /** What to do now, where the run is not done. */
  fix: z.string().nullable(),
  rounds: z.number().int(),
  /** The patch of a `done` run, else the best patch so far (`bestEffort` true), else null. */
  patch: z.string().nullable(),
  bestEffort: z.boolean(),
  motivation: z.string().nullable(),
  alternatives: z.array(z.object({ motivation: z.string(), diff: z.string() })),
  tests: summarySchema.nullable(),
  flaky: z.array(z.string()),
  holdout: z.object({ total: z.number().int(), passed: z.number().int() }).nullable(),
  confirmations: z.number().int(),
  usage: usageSchema,
  enforcement: enforcementSchema.nullable(),
  warnings: z.array(z.string()),
  dir: z.string(),
});
export type RepairResult = z.infer<typeof repairResultSchema>;

/** What every command prints with `--json` where it cannot give its own object. */
export const errorResultSchema = z.object({
  schema: z.literal('assay-error/1'),
  status: z.literal('error'),
  /** The run it happened to, where there is one: its folder keeps what was done. */
  run: z.string().nullable(),
  error: z.object({
    code: z.enum([
      'usage',
      'environment',
      'provider',
      'input',
      'locked',
      'changed',
      'internal',
      'interrupted',
    ]),
    message: z.string(),
    because: z.string().nullable(),
    fix: z.string(),
  }),
});
export type ErrorResult = z.infer<typeof errorResultSchema>;
