import { z } from 'zod';
import type { DisplayUpdate, MimeBundle, Output } from '../../core/index.ts';
import { bridgeMime } from './bridge-source.ts';

/** What one result of the SDK does to the outputs of a cell. */
export type OutputChange =
  | { kind: 'put'; output: Exclude<Output, { output_type: 'stream' | 'error' }> }
  | { kind: 'update'; update: DisplayUpdate }
  | { kind: 'clear'; wait: boolean }
  | { kind: 'end' }
  | { kind: 'hello'; hello: Hello };

const helloSchema = z.object({
  pid: z.number().int().positive(),
  user: z.string(),
  languageVersion: z.string(),
  implementation: z.string(),
});
/** The kernel's process, whose it is, and what it runs. */
export type Hello = z.infer<typeof helloSchema>;

const noteSchema = z.object({
  text: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  displayId: z.string().optional(),
  update: z.boolean().optional(),
  count: z.number().int().optional(),
  clear: z.boolean().optional(),
  wait: z.boolean().optional(),
  end: z.boolean().optional(),
  hello: helloSchema.optional(),
});

/** MIME types by the names that the service gives them. Its own forms, `data` and `chart`, are no MIME types. */
const mimeTypes: Readonly<Record<string, string>> = {
  text: 'text/plain',
  html: 'text/html',
  markdown: 'text/markdown',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpeg: 'image/jpeg',
  pdf: 'application/pdf',
  latex: 'text/latex',
  json: 'application/json',
  javascript: 'application/javascript',
};

/** @param result of the SDK: `raw` has all that came; the SDK's own fields lose types they do not know */
export function changeOf(result: {
  readonly isMainResult: boolean;
  readonly raw: Readonly<Record<string, unknown>>;
}): OutputChange {
  const { [bridgeMime]: noteSent, ...extra } = recordOf(result.raw.extra);
  const parsed = noteSchema.safeParse(noteSent ?? {});
  const note = parsed.success ? parsed.data : {};
  if (note.hello !== undefined) return { kind: 'hello', hello: note.hello };
  if (note.end) return { kind: 'end' };
  if (note.clear) return { kind: 'clear', wait: note.wait ?? false };
  const data = bundleOf(result.raw, extra, note.text);
  const metadata = note.metadata ?? {};
  const { displayId } = note;
  if (note.update && displayId !== undefined)
    return { kind: 'update', update: { displayId, data, metadata } };
  const common = { data, metadata, ...(displayId === undefined ? {} : { displayId }) };
  if (!result.isMainResult) return { kind: 'put', output: { output_type: 'display_data', ...common } };
  return {
    kind: 'put',
    output: { output_type: 'execute_result', execution_count: note.count ?? null, ...common },
  };
}

function bundleOf(
  raw: Readonly<Record<string, unknown>>,
  extra: Record<string, unknown>,
  text: string | undefined,
): MimeBundle {
  const data: MimeBundle = {};
  for (const [name, type] of Object.entries(mimeTypes)) {
    if (raw[name] !== undefined && raw[name] !== null) data[type] = raw[name];
  }
  for (const [type, value] of Object.entries(extra)) if (type.includes('/')) data[type] = value;
  if (text !== undefined) data['text/plain'] = text;
  return data;
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
