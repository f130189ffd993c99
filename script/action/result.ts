import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** What the action reads of the one object that `assay fix --json` prints, an error included. */
const resultSchema = z.object({
  status: z.string(),
  run: z.string().nullish(),
  reason: z.string().optional(),
  fix: z.string().nullish(),
  patch: z.string().nullish(),
  bestEffort: z.boolean().optional(),
  motivation: z.string().nullish(),
  tests: z.object({ total: z.number(), passed: z.number() }).nullish(),
  usage: z.object({ tokens: z.number(), costUsd: z.number().nullable(), wallMs: z.number() }).optional(),
  warnings: z.array(z.string()).optional(),
  error: z.object({ message: z.string(), because: z.string().nullable(), fix: z.string() }).optional(),
});
export type Result = z.infer<typeof resultSchema>;

/** Where nothing of the kind was printed: the log of the step tells what was. */
const nothing: Result = {
  status: 'error',
  error: {
    message: 'assay fix printed no result of one run',
    because: null,
    fix: 'look at the log of the step; give one folder, and no option that only prints something',
  },
};

/** The object in `file`, or an error that says there is none: of several folders each has its own, and none is this. */
export function readResult(file: string): Result {
  try {
    return resultSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return nothing;
  }
}
