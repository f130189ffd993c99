import { z } from 'zod';
import { AssayError, type Proposed, proposedSchema } from '../../core/index.ts';

/** Longest recording read, in bytes. A thousand large patches stay far below it. */
export const maxRecordingBytes = 32 * 1024 * 1024;

const headerSchema = z.object({
  schema: z.literal('assay-replay/1'),
  /** Says to a reader of the file, and of a run made from it, that nothing here was thought up during the run. */
  recorded: z.object({
    /** The id of the proposer that spoke, or `hand-written`. */
    by: z.string().min(1),
    at: z.iso.datetime().optional(),
    note: z.string().optional(),
  }),
});
export type RecordingHeader = z.infer<typeof headerSchema>;

const recordingSchema = headerSchema.extend({ replies: z.array(proposedSchema) });
/** What a proposer answered, in order. As a file: this object as JSON, or its header and then one reply a line. */
export type Recording = z.infer<typeof recordingSchema>;

/**
 * Reads either form of a recording. `name` stands for the file in messages.
 * A torn last line, left by a run that was killed, is dropped.
 * @throws AssayError `input` with the line or the field that is wrong.
 */
export function parseRecording(text: string, name: string): Recording {
  const whole = tryJson(text);
  if (whole.ok) {
    const hasReplies = typeof whole.value === 'object' && whole.value !== null && 'replies' in whole.value;
    // A JSON-lines recording of a proposer that never spoke is one line, and so is valid JSON by itself.
    return hasReplies
      ? check(recordingSchema, whole.value, name, '')
      : { ...check(headerSchema, whole.value, name, ''), replies: [] };
  }
  const lines = text.split('\n').map((line, index) => ({ line, number: index + 1 }));
  const torn = !text.endsWith('\n');
  const [header, ...replies] = lines
    .filter(({ line }) => line.trim() !== '')
    .flatMap(({ line, number }, index, all) => {
      const parsed = tryJson(line);
      if (parsed.ok) return [{ value: parsed.value, number }];
      if (torn && index > 0 && index === all.length - 1) return [];
      throw notARecording(name, `line ${number} is not JSON ${parsed.problem}`.trimEnd());
    });
  if (header === undefined) throw notARecording(name, 'the file is empty');
  return {
    ...check(headerSchema, header.value, name, `line ${header.number}: `),
    replies: replies.map(({ value, number }) => check(proposedSchema, value, name, `line ${number}: `)),
  };
}

/** The first line of a JSON-lines recording, newline included. */
export function formatHeader(recorded: RecordingHeader['recorded']): string {
  return `${JSON.stringify({ schema: 'assay-replay/1', recorded } satisfies RecordingHeader)}\n`;
}

/** One later line of a JSON-lines recording, newline included. */
export function formatReply(reply: Proposed): string {
  return `${JSON.stringify(reply)}\n`;
}

function tryJson(text: string): { ok: true; value: unknown } | { ok: false; problem: string } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    // Where it fails, and never what stands there: the file may be none of the user's recordings.
    const [at = ''] = /\bat position \d+/.exec(error instanceof Error ? error.message : '') ?? [];
    return { ok: false, problem: at };
  }
}

function check<T>(schema: z.ZodType<T>, value: unknown, name: string, where: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = issue?.path.join('.') || 'the object';
  throw notARecording(name, `${where}${field}: ${issue?.message ?? 'invalid'}`);
}

function notARecording(name: string, because: string): AssayError {
  return new AssayError({
    code: 'input',
    message: `${name} is not a recording of a proposer`,
    because,
    fix: 'make one with --record FILE, or write {"schema": "assay-replay/1", "recorded": {"by": "hand-written"}, "replies": [...]}',
  });
}
