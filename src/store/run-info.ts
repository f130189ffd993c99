import { z } from 'zod';

/** `run.json`: what a run was asked to do, and by what it was done. Written once, before anything else. */
export const runInfoSchema = z.object({
  schema: z.literal('assay-run/1'),
  id: z.string(),
  kind: z.string(),
  createdAt: z.iso.datetime(),
  spec: z.unknown(),
  /** assay, node, and whatever else the run depends on, by name. */
  versions: z.record(z.string(), z.string()),
  /** The machine: platform, architecture, and what the caller adds. No environment variables. */
  environment: z.record(z.string(), z.unknown()),
});
export type RunInfo = z.infer<typeof runInfoSchema>;
