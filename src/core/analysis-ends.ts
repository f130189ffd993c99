import { z } from 'zod';

/** Whether running the cells again in a fresh kernel gave the same: a claim of the model is no proof. */
export const verificationSchema = z.enum(['reproduced', 'diverged', 'not_run']);
export type Verification = z.infer<typeof verificationSchema>;

const complete = z.object({ status: z.literal('complete'), verification: verificationSchema });
/** After the checks' answer went back to the model once. */
const checksFailed = z.object({ status: z.literal('checks_failed'), detail: z.string() });
/** `consecutive`: failed cells in a row · `total`: of the whole subtask. */
const retryLimit = z.object({
  status: z.literal('retry_limit'),
  which: z.enum(['consecutive', 'total']),
  limit: z.number().int(),
  detail: z.string(),
});
const turnLimit = z.object({ status: z.literal('turn_limit'), limit: z.number().int() });
const stuck = z.object({
  status: z.literal('stuck'),
  why: z.enum(['same_error', 'same_output']),
  detail: z.string(),
});
const budgetExhausted = z.object({
  status: z.literal('budget_exhausted'),
  which: z.enum(['tokens', 'cost', 'wall']),
  used: z.number(),
  limit: z.number(),
});
const kernelLost = z.object({ status: z.literal('kernel_lost'), detail: z.string(), fix: z.string() });
const aborted = z.object({ status: z.literal('aborted'), detail: z.string() });
const error = z.object({ status: z.literal('error'), detail: z.string(), fix: z.string() });

/** How a subtask ends. Exactly one end per subtask that was begun; DESIGN.md, "analysis". */
export const subtaskEndSchema = z.discriminatedUnion('status', [
  complete,
  checksFailed,
  retryLimit,
  turnLimit,
  stuck,
  budgetExhausted,
  kernelLost,
  aborted,
  error,
]);
export type SubtaskEnd = z.infer<typeof subtaskEndSchema>;

/** The subtask that decided the end of the run; null where none had begun. */
const of = { subtask: z.string().nullable() };

/**
 * How an analysis ends: `complete` where every subtask is, else as the first subtask that is not.
 * `environment_error`: it could not go on for want of a kernel or a model, and can be taken up again.
 */
export const analysisEndSchema = z.discriminatedUnion('status', [
  complete,
  checksFailed.extend(of),
  retryLimit.extend(of),
  turnLimit.extend(of),
  stuck.extend(of),
  budgetExhausted.extend(of),
  kernelLost.extend(of),
  aborted.extend(of),
  error.extend(of),
  z.object({ status: z.literal('environment_error'), detail: z.string(), fix: z.string(), ...of }),
]);
export type AnalysisEnd = z.infer<typeof analysisEndSchema>;
export type AnalysisStatus = AnalysisEnd['status'];
