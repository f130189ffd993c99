import { z } from 'zod';
import { editSchema } from './edits.ts';

/** What was spent on proposing. Unknown prices give null, never a made-up number. */
export const usageSchema = z.object({
  tokens: z.number().int().nonnegative(),
  costUsd: z.number().nonnegative().nullable(),
  candidates: z.number().int().nonnegative(),
  wallMs: z.number().nonnegative(),
});
export type Usage = z.infer<typeof usageSchema>;

/** What the next call to a model takes at most, where what is left does not pay for it. */
export const callNeedSchema = z.object({
  /** Those of the longest reply included. */
  tokens: z.number().int().nonnegative(),
  /** null: at a price that is not known. */
  costUsd: z.number().nonnegative().nullable(),
  replyTokens: z.number().int().nonnegative(),
  /** The longest reply that what is left would pay for. */
  payableReplyTokens: z.number().int().nonnegative(),
});
export type CallNeed = z.infer<typeof callNeedSchema>;

export const alternativeSchema = z.object({ motivation: z.string(), edits: z.array(editSchema) });
export type Alternative = z.infer<typeof alternativeSchema>;

/** The answer of a proposer to one feedback. */
export const proposedSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('proposal'),
    motivation: z.string(),
    edits: z.array(editSchema).min(1),
    /** Other patches that the proposer's own evaluation let pass, best first: tried next when this one fails cold. */
    alternatives: z.array(alternativeSchema),
    usage: usageSchema,
  }),
  /** Nothing (more) to try. `exhausted`: its own budget ran out, so more budget may find something. */
  z.object({
    kind: z.literal('no_proposal'),
    reason: z.string(),
    exhausted: z.enum(['candidates', 'wall', 'tokens', 'cost']).nullable(),
    /** What the time that ran out went by with: a model that was silent, say. */
    because: z.string().optional(),
    /** Of tokens or cost that ran out. */
    need: callNeedSchema.optional(),
    usage: usageSchema,
  }),
  /** A reply that is no proposal: costs no test round, three in a row end the run as `unpatchable`. */
  /** `problem`: what is wrong in its first line, for a person; further lines show a model how it is right. */
  z.object({ kind: z.literal('malformed'), problem: z.string(), usage: usageSchema }),
]);
export type Proposed = z.infer<typeof proposedSchema>;
export type Proposal = Extract<Proposed, { kind: 'proposal' }>;
