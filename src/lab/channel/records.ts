import { z } from 'zod';
import { failureSchema, testResultSchema } from '../../core/index.ts';

/**
 * The private channel: UTF-8 NDJSON, one record a line, written by the runner inside the sandbox to the descriptor
 * `ASSAY_CHANNEL_FD`. Every record carries the nonce (`n`, from standard input) and its place (`i`, from 0).
 * `start` is first. `end` is last and carries the number of records before it and the SHA-256 (lower-case hex) of
 * the nonce followed by every line before it, each with its newline.
 */
const envelope = { n: z.string(), i: z.number().int().nonnegative() };

export const startRecord = z.object({
  ...envelope,
  t: z.literal('start'),
  framework: z.string(),
  /** Version of the framework, e.g. `9.0.2`. */
  version: z.string(),
  /** Interpreter and version, e.g. `Python 3.11.7`. */
  runtime: z.string(),
});

/** Ids the framework collected, in its order; may come in several records. */
export const collectedRecord = z.object({
  ...envelope,
  t: z.literal('collected'),
  ids: z.array(z.string()),
  /** Those of `ids` that are marked to be skipped, or expected to fail, as far as the framework knows without running them. */
  skipped: z.array(z.string()),
  xfailed: z.array(z.string()),
  /**
   * Null: what the framework collected. Else the project-relative path of a file that could not be collected (or, in
   * `static` mode, was not), and `ids` are names read from its text: ids, or ids without their parameters.
   */
  file: z.string().nullable(),
});

/** A file that could not be collected, or a crash of the runner. */
export const problemRecord = z.object({
  ...envelope,
  t: z.literal('problem'),
  file: z.string(),
  problem: failureSchema,
});

/** One finished test. Sent once per id. */
export const testRecord = z.object({ ...envelope, t: z.literal('test'), test: testResultSchema });

export const canaryRecord = z.object({
  ...envelope,
  t: z.literal('canary'),
  id: z.string(),
  /**
   * `unbuilt`: the runner could not make this canary with this version of the framework ·
   * `not_needed`: the library it watches was never loaded, so it cannot have been patched.
   */
  outcome: z.enum(['passed', 'failed', 'unbuilt', 'not_needed']),
  detail: z.string(),
});

/** The runner itself saw something no honest project does, e.g. a conftest.py that was not there at the start. */
export const irregularRecord = z.object({ ...envelope, t: z.literal('irregular'), text: z.string() });

/** Byte code an interpreter wrote while it collected; taken from the original project only. */
export const byteCodeRecord = z.object({
  ...envelope,
  t: z.literal('byte_code'),
  /** Project-relative. */
  file: z.string(),
  /** Base64. */
  data: z.string(),
});

/** Anything a reader of the report should know. */
export const noteRecord = z.object({ ...envelope, t: z.literal('note'), text: z.string() });

/** The framework cannot run at all, e.g. it is not installed. */
export const unableRecord = z.object({
  ...envelope,
  t: z.literal('unable'),
  detail: z.string(),
  fix: z.string(),
});

export const endRecord = z.object({
  ...envelope,
  t: z.literal('end'),
  count: z.number().int().nonnegative(),
  digest: z.string(),
  /** The exit status the runner is about to end with. */
  exit: z.number().int(),
});

export const recordSchema = z.discriminatedUnion('t', [
  startRecord,
  collectedRecord,
  problemRecord,
  testRecord,
  canaryRecord,
  irregularRecord,
  noteRecord,
  byteCodeRecord,
  unableRecord,
  endRecord,
]);
export type ChannelRecord = z.infer<typeof recordSchema>;
