import { z } from 'zod';

/** A path relative to the project root, with `/` separators. The patch room refuses every other form. */
const pathSchema = z.string().min(1);

export const editSchema = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('replace'),
    path: pathSchema,
    /** Text to find; must locate exactly one place, or `occurrence` must say which. */
    search: z.string(),
    replace: z.string(),
    /** 1-based, counted from the top of the file. */
    occurrence: z.number().int().positive().optional(),
  }),
  z.object({ op: z.literal('create'), path: pathSchema, content: z.string() }),
  z.object({ op: z.literal('delete'), path: pathSchema }),
  z.object({ op: z.literal('rename'), path: pathSchema, to: pathSchema }),
]);
export type Edit = z.infer<typeof editSchema>;

/** One file before and after a patch, as raw bytes; null where it does not exist. `mode` is the permission bits. */
export type FileChange = {
  path: string;
  before: Uint8Array | null;
  after: Uint8Array | null;
  mode: number;
};

/** The canonical git unified diff of a patch, with the changes it stands for. */
export type Patch = { diff: string; changes: FileChange[] };

/** Why an edit was refused, told to the proposer and to the user. */
export const refusalSchema = z.object({
  code: z.enum([
    'malformed',
    'no_match',
    'ambiguous',
    'already_applied',
    'empty_search',
    'no_op',
    'overlap',
    'binary',
    'missing_file',
    'exists',
    'bad_path',
    'symlink',
    'hard_link',
    'protected',
    'auto_loaded',
    'whole_file',
    'too_large',
  ]),
  path: z.string(),
  /** 0-based index of the edit in the proposal; null when the proposal as a whole is meant. */
  edit: z.number().int().nullable(),
  message: z.string(),
  /** The nearest real lines, or the lines where an ambiguous search matched. */
  near: z.array(z.object({ line: z.number().int(), text: z.string() })),
});
export type Refusal = z.infer<typeof refusalSchema>;
