import { z } from 'zod';
import { AssayError } from '../core/index.ts';

/** One line of a journal. `seq` counts from 1 and equals the line number; `time` is ISO 8601 in UTC. */
export type JournalRecord<E> = { v: 1; seq: number; time: string; event: E };

const envelopeSchema = z.object({
  v: z.number().int(),
  seq: z.number().int().positive(),
  time: z.iso.datetime(),
  event: z.unknown(),
});

const NEWLINE = 0x0a;

export type ParsedJournal<E> = {
  records: JournalRecord<E>[];
  /** Length of the good prefix: where writing goes on. */
  goodBytes: number;
  /** The last line was cut by a crash and is left out. */
  torn: boolean;
};

/** One line of the journal, newline included. */
export function encodeRecord(record: JournalRecord<unknown>): string {
  return `${JSON.stringify(record)}\n`;
}

/**
 * Reads a journal. A last line without its newline was never acknowledged to anyone: it is left out. Everything
 * else must be whole: a line that is no record, a gap or a repeat in `seq`, or an event that `event` refuses
 * throws an AssayError `input` naming file and line.
 */
export function parseJournal<E>(bytes: Buffer, event: z.ZodType<E>, file: string): ParsedJournal<E> {
  const records: JournalRecord<E>[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    const line = records.length + 1;
    records.push(parseLine(bytes.toString('utf8', start, end), event, { file, line }));
    start = end + 1;
  }
  return { records, goodBytes: start, torn: start < bytes.length };
}

type Where = { file: string; line: number };

function parseLine<E>(text: string, schema: z.ZodType<E>, where: Where): JournalRecord<E> {
  const envelope = envelopeSchema.safeParse(parseJson(text, where));
  if (!envelope.success) throw corrupt(where, `it is no journal record: ${z.prettifyError(envelope.error)}`);
  const { v, seq, time, event } = envelope.data;
  if (v !== 1) {
    throw new AssayError({
      code: 'input',
      message: `${where.file} line ${where.line} is of journal version ${v}`,
      because: 'this assay reads version 1 only',
      fix: 'Open the run with the version of assay that wrote it.',
    });
  }
  if (seq !== where.line) {
    const what = seq < where.line ? 'repeats' : 'skips ahead to';
    throw corrupt(where, `it ${what} sequence number ${seq} where ${where.line} is due`);
  }
  const parsed = schema.safeParse(event);
  if (!parsed.success) throw corrupt(where, `its event is not understood: ${z.prettifyError(parsed.error)}`);
  return { v: 1, seq, time, event: parsed.data };
}

function parseJson(text: string, where: Where): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw corrupt(where, error instanceof Error ? error.message : String(error));
  }
}

function corrupt({ file, line }: Where, because: string): AssayError {
  return new AssayError({
    code: 'input',
    message: `${file} line ${line} is corrupt`,
    because,
    fix: `The run cannot be trusted past line ${line - 1}: start a new one, or restore the folder from a backup.`,
  });
}
