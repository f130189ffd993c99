import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { AssayError, type ModelResult, modelResultSchema } from '../../core/index.ts';
import { type KnownSecret, scrubValue } from '../../store/index.ts';
import { recordAnew } from './failures.ts';
import { requestGist } from './request-gist.ts';
import { callHash, requestHash } from './request-hash.ts';
import type { Model } from './types.ts';
import { noUsage } from './usage.ts';

const headerSchema = z.object({
  schema: z.literal('assay-model-replay/1'),
  /** `by`: the id of the model whose replies these are. `at`: ISO 8601. */
  recorded: z.object({ by: z.string(), at: z.string(), note: z.string().optional() }),
});
export type ReplayHeader = z.infer<typeof headerSchema>;

const lineSchema = z.object({
  request: z.string(),
  /** Its `requestGist`. Older recordings have none. */
  gist: z.string().optional(),
  result: modelResultSchema,
});
type ReplayLine = z.infer<typeof lineSchema>;

/**
 * Writes what a model answers as JSON lines: a header before the first result, then the request's sha256, its gist's and
 * the result, secrets taken out. `sink` gets one whole line at a time, in order; when it rejects, so does the call.
 */
export function recordingModel(options: {
  inner: Model;
  sink: (line: string) => Promise<void>;
  secrets: readonly KnownSecret[];
  now?: () => Date;
  note?: string;
}): Model {
  const { inner, sink, secrets, now = () => new Date(), note } = options;
  let written: Promise<void> | null = null;
  const write = (value: ReplayHeader | ReplayLine): Promise<void> => {
    const line = `${JSON.stringify(scrubValue(value, secrets).value)}\n`;
    // One behind the other, also where two calls end at once.
    written = written === null ? sink(line) : written.then(() => sink(line));
    return written;
  };
  return {
    id: inner.id,
    receiver: inner.receiver,
    prepare: () => inner.prepare?.(),
    call: async (request, callOptions) => {
      const result = await inner.call(request, callOptions);
      // The user's stop says nothing of the model, and would stop each replay at the same place.
      if (!result.ok && result.failure.kind === 'aborted') return result;
      if (written === null) {
        const recorded = { by: inner.id, at: now().toISOString(), ...(note === undefined ? {} : { note }) };
        void write({ schema: 'assay-model-replay/1', recorded });
      }
      await write({ request: requestHash(request), gist: requestGist(request), result });
      return result;
    },
  };
}

/** Whether a call's result is a reply of a recording, if it was to one, and not that there was none left. */
export const tookReply = (result: ModelResult): boolean =>
  result.ok || result.failure.kind !== 'recording_over';

export type ReplaySource = ({ text: string } | { file: string }) & {
  /** The `callHash` of each reply that the run had before, in order: those are not given again. Default: none. */
  given?: readonly string[];
};

/**
 * Answers from a recording: with the next result of this very request, else of one with the same gist, else with the
 * next in order that was not given yet, so that a small change of a project does not end a replay; the result says so
 * then. Has nothing: a `recording_over` says that.
 * @throws AssayError `input`: no such file, or no recording.
 */
export async function replayModel(source: ReplaySource): Promise<Model> {
  const { header, lines } = parseReplay('text' in source ? source.text : await readReplay(source.file));
  const { by } = header.recorded;
  const left = lines.map((line, at) => ({ ...line, number: at + 1 }));
  const take = (isIt: (line: ReplayLine) => boolean) => {
    const at = left.findIndex(isIt);
    return at === -1 ? undefined : left.splice(at, 1)[0];
  };
  const takeAlike = (gist: string) => take((line) => line.gist === gist);
  for (const hash of source.given ?? []) take((line) => callHash(by, line.request) === hash) ?? left.shift();
  return {
    id: by,
    receiver: 'a recording',
    call: async (request, { signal, onProgress }) => {
      onProgress?.({ at: 'waiting' });
      if (signal.aborted) return failure('aborted', 'The call was stopped.', 'Resume the run to ask again.');
      const hash = requestHash(request);
      const same = take((line) => line.request === hash) ?? takeAlike(requestGist(request));
      if (same !== undefined) return same.result;
      const next = left.shift();
      if (next === undefined) return failure('recording_over', allGiven(by, lines.length), recordAnew);
      const { result, number } = next;
      // Of an older recording nobody knows whether it matters what differs.
      return result.ok && next.gist !== undefined ? { ...result, recordedForAnother: number } : result;
    },
  };
}

function allGiven(by: string, count: number): string {
  const used =
    count === 0 ? 'it has none' : count === 1 ? 'the one it has was used' : `all ${count} were used`;
  return `The recording of ${by} has no more replies: ${used}.`;
}

function failure(kind: 'aborted' | 'recording_over', message: string, fix: string): ModelResult {
  return { ok: false, failure: { kind, message, fix, retryAfterMs: null, usage: noUsage } };
}

async function readReplay(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new AssayError({
      code: 'input',
      message: `The recording ${file} cannot be read`,
      ...(error instanceof Error ? { because: error.message } : {}),
      fix: 'Give the path of a file that --record wrote.',
      cause: error,
    });
  }
}

function parseReplay(text: string): { header: ReplayHeader; lines: ReplayLine[] } {
  const [first, ...rest] = text.split('\n');
  const header = headerSchema.safeParse(parseJson(first ?? ''));
  if (!header.success) throw notARecording(1, 'its first line is no header of assay-model-replay/1');
  const lines = rest.flatMap((line, at) => {
    if (line.trim() === '') return [];
    const value = parseJson(line);
    // A process that was killed while it recorded leaves half a line at the end.
    if (value === undefined && at === rest.length - 1) return [];
    const parsed = lineSchema.safeParse(value);
    if (!parsed.success) throw notARecording(at + 2, z.prettifyError(parsed.error));
    return [parsed.data];
  });
  return { header: header.data, lines };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function notARecording(line: number, because: string): AssayError {
  return new AssayError({
    code: 'input',
    message: `Line ${line} is not of a recording of a model`,
    because,
    fix: 'Give a file that --record wrote.',
  });
}
