import { z } from 'zod';
import { priceSchema } from './model.ts';

/** What a repair run may spend. null: no limit of that kind. */
export const budgetLimitsSchema = z.object({
  rounds: z.number().int().positive(),
  tokens: z.number().int().positive().nullable(),
  costUsd: z.number().positive().nullable(),
  /** Active time in milliseconds: a run that lies dead between a crash and its resume spends none. */
  wallMs: z.number().positive(),
  candidates: z.number().int().positive().nullable(),
});
export type BudgetLimits = z.infer<typeof budgetLimitsSchema>;

export const modelSettingsSchema = z.object({
  /** Of an OpenAI-compatible server, or instead of the provider's own. */
  baseUrl: z.string().nullable(),
  /** How edits are asked for · `auto`: by tool, and by text from the second malformed call on. */
  transport: z.enum(['auto', 'tool', 'text']),
  /** Prices by model id that go before the table's. */
  prices: z.record(z.string(), priceSchema),
  /** Tokens of context the model takes; null: the table's, or a cautious guess. */
  contextTokens: z.number().int().positive().nullable(),
  /** Most tokens of one reply. */
  maxOutputTokens: z.number().int().positive(),
});
export type ModelSettings = z.infer<typeof modelSettingsSchema>;

/** Everything a repair run needs to be started, and to be taken up again from its folder alone. */
export const repairSpecSchema = z.object({
  kind: z.literal('fix'),
  /** The user's project, absolute. Read once for the snapshot; never written by the loop. */
  dir: z.string(),
  framework: z.string().nullable(),
  testCommand: z.array(z.string()).nullable(),
  task: z.string().nullable(),
  /** `search`, `replay:FILE` or `provider/model`; several, divided by commas, take over from one another when stuck. */
  proposer: z.string(),
  /** How models are asked; null where none is. */
  model: modelSettingsSchema.nullable().default(null),
  limits: budgetLimitsSchema,
  /** Wall limit of one test run in milliseconds; null: derived from the baseline. */
  testTimeoutMs: z.number().positive().nullable(),
  /** Wall limit of one test in milliseconds; null: the lab's, and for a patched project derived from the baseline. */
  perTestMs: z.number().positive().nullable().default(null),
  protect: z.array(z.string()),
  holdout: z.array(z.string()),
  setup: z.string().nullable(),
  trustCollected: z.boolean(),
  /** Refuse to run where a limit cannot be enforced. */
  strict: z.boolean().default(true),
  seed: z.number().int(),
});
export type RepairSpec = z.infer<typeof repairSpecSchema>;
