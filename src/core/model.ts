import { z } from 'zod';

/** `inputTokens`: all of them, those read from and written to the provider's cache included. */
export const modelUsageSchema = z.object({
  inputTokens: z.number().int().nonnegative(),
  cacheReadTokens: z.number().int().nonnegative(),
  cacheWriteTokens: z.number().int().nonnegative(),
  /** Reasoning included. */
  outputTokens: z.number().int().nonnegative(),
  /** The provider gave no figures: these are estimated from the text. */
  estimated: z.boolean(),
});
export type ModelUsage = z.infer<typeof modelUsageSchema>;

/** `input`: the arguments as the model wrote them, which need not be JSON. */
export const toolCallSchema = z.object({ id: z.string(), name: z.string(), input: z.string() });
export type ToolCall = z.infer<typeof toolCallSchema>;

export const modelReplySchema = z.object({
  text: z.string(),
  toolCalls: z.array(toolCallSchema),
  finish: z.enum(['stop', 'tool_calls', 'length', 'refused', 'other']),
  usage: modelUsageSchema,
});
export type ModelReply = z.infer<typeof modelReplySchema>;

/** Why a call gave no reply. */
export const modelFailureSchema = z.object({
  kind: z.enum([
    // These may go away by themselves.
    'rate_limit',
    'overloaded',
    'network',
    'timeout',
    // These stay until something is changed.
    'context_too_long',
    'key',
    'no_credit',
    'unknown_model',
    'refused',
    'bad_request',
    /** What came is no reply of such an interface. */
    'garbage',
    /** A recording has no more replies. */
    'recording_over',
    'aborted',
  ]),
  /** One sentence with what the provider said, secrets taken out, at most 500 characters. */
  message: z.string(),
  /** What the user can do now. */
  fix: z.string(),
  /** As the provider asked. */
  retryAfterMs: z.number().nonnegative().nullable(),
  /** What the call cost all the same, as far as is known: a stream that was cut has been paid for. */
  usage: modelUsageSchema,
});
export type ModelFailure = z.infer<typeof modelFailureSchema>;

export const modelResultSchema = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    reply: modelReplySchema,
    /** Which reply of a recording it is, from 1, where that was recorded for a request that says something else. */
    recordedForAnother: z.number().int().positive().optional(),
  }),
  z.object({ ok: z.literal(false), failure: modelFailureSchema }),
]);
export type ModelResult = z.infer<typeof modelResultSchema>;

/** US dollars for a million tokens. */
export const priceSchema = z.object({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  /** Default: as `input`. */
  cacheRead: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
});
export type Price = z.infer<typeof priceSchema>;
