import { z } from 'zod';
import { refusalSchema } from './edits.ts';
import { repairEndSchema } from './ends.ts';
import { modelResultSchema } from './model.ts';
import { proposedSchema, usageSchema } from './proposal.ts';
import { reportSchema } from './report.ts';
import { effectFailedSchema, steeredSchema, stoppedSchema } from './run-events.ts';
import { repairSpecSchema } from './spec.ts';

/** What an effect will cost at most, compared with what is left before it starts. */
export const projectionSchema = usageSchema.partial();
export type Projection = z.infer<typeof projectionSchema>;

/** The one thing a machine wants done next. Tests are repeated after a crash; apply is decided by file hashes. */
export const repairEffectSchema = z.discriminatedUnion('kind', [
  /** Tests with no patch. `again`: once more, to find tests that differ by themselves. */
  z.object({ kind: z.literal('baseline'), again: z.boolean() }),
  z.object({ kind: z.literal('propose'), round: z.number().int() }),
  z.object({ kind: z.literal('apply'), round: z.number().int() }),
  /** `again`: the report equals an earlier one; is that flakiness? */
  z.object({ kind: z.literal('test'), round: z.number().int(), again: z.boolean() }),
  /** Held-out tests and a fresh cold sandbox. */
  z.object({ kind: z.literal('confirm'), round: z.number().int() }),
]);
export type RepairEffect = z.infer<typeof repairEffectSchema>;

/** The artifact with the whole report: in the journal passing tests carry no output and long texts are cut. */
const artifactName = z.string().optional();

export const repairEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run_started'), spec: repairSpecSchema }),
  z.object({
    type: z.literal('effect_started'),
    id: z.number().int(),
    attempt: z.number().int().positive(),
    effect: repairEffectSchema,
    projection: projectionSchema,
  }),
  z.object({
    type: z.literal('baseline_tested'),
    report: reportSchema,
    again: z.boolean(),
    wallMs: z.number(),
    artifact: artifactName,
  }),
  z.object({ type: z.literal('proposed'), round: z.number().int(), proposed: proposedSchema }),
  /** A batch of candidates judged inside one `propose`; for display and accounting, one event and one sync per batch. */
  z.object({
    type: z.literal('candidates'),
    round: z.number().int(),
    tried: z.number().int(),
    passed: z.number().int(),
    hung: z.number().int(),
    wallMs: z.number(),
  }),
  /**
   * A call to a model begins, inside one `propose`; synced, so that a crash while it goes on charges `projection`:
   * what it costs at most.
   */
  z.object({
    type: z.literal('model_calling'),
    round: z.number().int(),
    model: z.string(),
    projection: projectionSchema,
  }),
  /** Its reply or failure: paid for, and given again instead of being asked for again when the run is resumed. */
  z.object({
    type: z.literal('model_called'),
    round: z.number().int(),
    model: z.string(),
    /** sha256 of the request: a recorded reply answers no other. */
    request: z.string(),
    result: modelResultSchema,
    usage: usageSchema,
  }),
  z.object({
    type: z.literal('applied'),
    round: z.number().int(),
    motivation: z.string(),
    /** The whole patch so far against the user's files, as one canonical diff. */
    diff: z.string(),
    /** sha256 of the patched state: equal states are equal trees. */
    state: z.string(),
    /** The proposal's other patches as whole diffs, for the result; present on its first patch only. */
    alternatives: z.array(z.object({ motivation: z.string(), diff: z.string() })).optional(),
    wallMs: z.number(),
  }),
  z.object({
    type: z.literal('refused'),
    round: z.number().int(),
    refusals: z.array(refusalSchema),
    wallMs: z.number(),
  }),
  z.object({
    type: z.literal('tested'),
    round: z.number().int(),
    report: reportSchema,
    again: z.boolean(),
    wallMs: z.number(),
    artifact: artifactName,
  }),
  z.object({
    type: z.literal('confirmed'),
    round: z.number().int(),
    agreed: z.boolean(),
    /** The cold run of the visible tests. */
    report: reportSchema,
    /** Counts only: names of held-out tests stay out of everything a proposer may read. */
    heldOut: z.object({ total: z.number().int(), passed: z.number().int() }).nullable(),
    wallMs: z.number(),
    artifact: artifactName,
  }),
  effectFailedSchema,
  steeredSchema,
  stoppedSchema,
  /** A process took the run up again; `lost`: what the cut effect may have cost, at its projected maximum. */
  z.object({
    type: z.literal('resumed'),
    lost: usageSchema.nullable(),
    /** Files of the user's project, twenty at most, that have changed since the start: the run goes on without that. */
    changed: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal('run_ended'), end: repairEndSchema }),
]);
export type RepairEvent = z.infer<typeof repairEventSchema>;
