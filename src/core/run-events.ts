import { z } from 'zod';

/**
 * An effect that could not be performed at all · `environment`: the machine or the project lacks something (no sandbox,
 * a full disk, no kernel) · `provider`: a model that cannot be had now, after which the run can be taken up again ·
 * `internal`: a bug in assay.
 */
export const effectFailedSchema = z.object({
  type: z.literal('effect_failed'),
  id: z.number().int(),
  code: z.enum(['environment', 'provider', 'internal']),
  detail: z.string(),
  fix: z.string(),
  /** The stack trace of a bug. */
  trace: z.string().optional(),
  /** Active time until it failed. */
  wallMs: z.number().optional(),
});

/** From the inbox. */
export const steeredSchema = z.object({ type: z.literal('steered'), text: z.string() });

/**
 * The run was interrupted in good order and can be taken up again: it has no `run_ended`. `wallMs`: active time
 * of the effect that was cut, 0 between two effects.
 */
export const stoppedSchema = z.object({ type: z.literal('stopped'), detail: z.string(), wallMs: z.number() });
