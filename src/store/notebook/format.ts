import { z } from 'zod';

/** On disk a text is one string or its lines; read back it is one string. */
const multiline = z
  .union([z.string(), z.array(z.string())])
  .transform((text) => (typeof text === 'string' ? text : text.join('')));

const metadata = z.record(z.string(), z.unknown());
const count = z.number().int().nonnegative().nullable();

/** Data by MIME type as it stands on disk: texts in lines, JSON types as they are. */
const bundle = z.record(z.string(), z.unknown());

export const notebookOutputSchema = z.discriminatedUnion('output_type', [
  z.strictObject({ output_type: z.literal('stream'), name: z.string(), text: multiline }),
  z.strictObject({ output_type: z.literal('display_data'), data: bundle, metadata }),
  z.strictObject({
    output_type: z.literal('execute_result'),
    execution_count: count,
    data: bundle,
    metadata,
  }),
  z.strictObject({
    output_type: z.literal('error'),
    ename: z.string(),
    evalue: z.string(),
    traceback: z.array(z.string()),
  }),
]);
export type NotebookOutput = z.infer<typeof notebookOutputSchema>;

const id = z.string().regex(/^[a-zA-Z0-9-_]{1,64}$/);
const cellMetadata = metadata.refine(
  ({ tags }) => tags === undefined || z.array(z.string().regex(/^[^,]+$/)).safeParse(tags).success,
  'tags are a list of texts without commas',
);

export const notebookCellSchema = z.discriminatedUnion('cell_type', [
  z.strictObject({
    id,
    cell_type: z.literal('code'),
    metadata: cellMetadata,
    execution_count: count,
    source: multiline,
    outputs: z.array(notebookOutputSchema),
  }),
  z.strictObject({
    id,
    cell_type: z.literal('markdown'),
    metadata: cellMetadata,
    source: multiline,
    attachments: metadata.optional(),
  }),
  z.strictObject({
    id,
    cell_type: z.literal('raw'),
    metadata: cellMetadata,
    source: multiline,
    attachments: metadata.optional(),
  }),
]);
export type NotebookCell = z.infer<typeof notebookCellSchema>;

/** A notebook of nbformat 4.5 (https://nbformat.readthedocs.io/en/latest/format_description.html). */
export const notebookSchema = z.strictObject({
  nbformat: z.literal(4),
  nbformat_minor: z.number().int().min(5),
  metadata: z.looseObject({
    kernelspec: z.looseObject({ name: z.string(), display_name: z.string() }).optional(),
    language_info: z.looseObject({ name: z.string() }).optional(),
  }),
  cells: z
    .array(notebookCellSchema)
    .refine((cells) => new Set(cells.map((cell) => cell.id)).size === cells.length, 'cell ids are unique'),
});
export type NotebookContent = z.infer<typeof notebookSchema>;
