import { z } from 'zod';
import { callNeedSchema } from './proposal.ts';

/** How a repair run ends. Exactly one end per run; DESIGN.md, "The loops are pure machines". */
export const repairEndSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('done') }),
  z.object({ status: z.literal('already_green') }),
  z.object({
    status: z.literal('stuck'),
    why: z.enum(['same_report', 'seen_state', 'no_proposal', 'unconfirmed']),
    detail: z.string(),
  }),
  z.object({
    status: z.literal('budget_exhausted'),
    which: z.enum(['rounds', 'tokens', 'cost', 'wall', 'candidates']),
    used: z.number(),
    limit: z.number(),
    /** What it went by with, where that was nothing of the run's own. */
    because: z.string().optional(),
    /** Of tokens or cost: what the next call takes. */
    need: callNeedSchema.optional(),
  }),
  z.object({ status: z.literal('unpatchable'), detail: z.string() }),
  z.object({ status: z.literal('tampered'), detail: z.string() }),
  z.object({ status: z.literal('environment_error'), detail: z.string(), fix: z.string() }),
  z.object({ status: z.literal('aborted'), detail: z.string() }),
  z.object({ status: z.literal('error'), detail: z.string(), fix: z.string() }),
]);
export type RepairEnd = z.infer<typeof repairEndSchema>;
export type RepairStatus = RepairEnd['status'];
