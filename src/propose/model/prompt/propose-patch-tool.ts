import { jsonrepair } from 'jsonrepair';
import { z } from 'zod';
import { type Edit, editSchema } from '../../../core/index.ts';
import type { ModelTool } from '../types.ts';
import { headOf } from './texts.ts';

export const proposePatchName = 'propose_patch';

const maxMotivation = 2000;
const maxEdits = 200;

/**
 * One flat object for every kind of edit: several providers refuse or misread a choice between objects. What each
 * kind needs is checked afterwards, by `editSchema`.
 */
const sentSchema = z.object({
  motivation: z.string().describe('What is wrong and why this patch cures it, in one to three sentences.'),
  edits: z
    .array(
      z.object({
        op: z.enum(['replace', 'create', 'delete', 'rename']),
        path: z.string().describe('Relative to the project root, with / between folders.'),
        search: z
          .string()
          .optional()
          .describe(
            'replace: whole lines as they stand in the file, without line numbers; must match one place.',
          ),
        replace: z.string().optional().describe('replace: the lines that take their place.'),
        occurrence: z
          .int()
          .min(1)
          .optional()
          .describe(
            'replace: which match is meant, counted from 1, where the search text stands several times.',
          ),
        content: z.string().optional().describe('create: the text of the new file.'),
        to: z.string().optional().describe('rename: the new path.'),
      }),
    )
    .min(1),
});

export const proposePatchTool: ModelTool = {
  name: proposePatchName,
  description:
    'Proposes one patch that makes the failing tests pass. It is applied as a whole or not at all, and the tests are run on it.',
  input: sentSchema,
};

/** A right call, shown where one was wrong. */
export const exampleArguments = JSON.stringify({
  motivation: 'The loop stops one item early.',
  edits: [
    {
      op: 'replace',
      path: 'src/total.py',
      search: '    for item in items[:-1]:\n',
      replace: '    for item in items:\n',
    },
  ],
});

export type ParsedPatch = { ok: true; motivation: string; edits: Edit[] } | { ok: false; problem: string };

const patchSchema = z.object({
  motivation: z.string().default(''),
  edits: z.array(editSchema).min(1).max(maxEdits),
});

/**
 * Reads the arguments of a `propose_patch` call as a model wrote them: JSON, else JSON with the usual faults
 * repaired. Never repaired is an end that is missing: half an edit is another edit.
 */
export function parsePatchArguments(input: string): ParsedPatch {
  const read = readJson(input);
  if (!read.ok) return { ok: false, problem: `${read.problem}\n${rightCall}` };
  const parsed = patchSchema.safeParse(straightened(read.value));
  if (!parsed.success) return { ok: false, problem: `${problemsOf(parsed.error)}.\n${rightCall}` };
  const { motivation, edits } = parsed.data;
  return { ok: true, motivation: motivation.trim().slice(0, maxMotivation).toWellFormed(), edits };
}

const rightCall = `A right call of ${proposePatchName}: ${exampleArguments}`;

type ReadJson = { ok: true; value: unknown } | { ok: false; problem: string };

function readJson(input: string): ReadJson {
  try {
    return { ok: true, value: JSON.parse(input) };
  } catch (error) {
    const said = error instanceof Error ? headOf(error.message, 200) : '';
    const because = `The arguments of ${proposePatchName} are not valid JSON (${said}).`;
    if (input.trim() === '') return { ok: false, problem: `The arguments of ${proposePatchName} are empty.` };
    if (!input.includes('{')) return { ok: false, problem: because };
    if (isCut(input)) {
      return { ok: false, problem: `${because} They seem to be cut off: they end with ${quoteEnd(input)}.` };
    }
    try {
      return { ok: true, value: JSON.parse(jsonrepair(input)) };
    } catch {
      return { ok: false, problem: `${because} Escape quotes, backslashes and line breaks in strings.` };
    }
  }
}

/** Whether a bracket or a string that was opened is never closed. */
function isCut(input: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < input.length; at += 1) {
    const char = input[at];
    if (quoted && char === '\\') at += 1;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '{' || char === '[')) depth += 1;
    else if (!quoted && (char === '}' || char === ']')) depth -= 1;
  }
  return depth > 0 || quoted;
}

const quoteEnd = (text: string): string => JSON.stringify(text.trimEnd().slice(-40).toWellFormed());

/** What models write that can mean one thing only: a list as a string, one edit for a list, null for absent, no `op`. */
function straightened(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { edits } = value;
  const list = typeof edits === 'string' ? listIn(edits) : edits;
  const all = isRecord(list) ? [list] : list;
  return {
    ...withoutNulls(value),
    edits: Array.isArray(all) ? all.map((edit) => (isRecord(edit) ? straightEdit(edit) : edit)) : all,
  };
}

function listIn(text: string): unknown {
  const read = readJson(text);
  return read.ok ? read.value : text;
}

function straightEdit(edit: Record<string, unknown>): Record<string, unknown> {
  const { occurrence, ...rest } = withoutNulls(edit);
  const nth = typeof occurrence === 'string' && /^\d+$/.test(occurrence) ? Number(occurrence) : occurrence;
  const whole = nth === undefined ? rest : { ...rest, occurrence: nth };
  const replaces =
    typeof rest.search === 'string' && typeof rest.replace === 'string' && rest.content === undefined;
  return rest.op === undefined && replaces ? { op: 'replace', ...whole } : whole;
}

const withoutNulls = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const maxProblems = 5;

function problemsOf(error: z.ZodError): string {
  const told = error.issues.slice(0, maxProblems).map(({ path, message }) => {
    const where = path.reduce<string>(
      (text, key) =>
        typeof key === 'number' ? `${text}[${key}]` : `${text}${text === '' ? '' : '.'}${String(key)}`,
      '',
    );
    return where === '' ? message : `${where}: ${message}`;
  });
  const rest = error.issues.length - told.length;
  return `The arguments of ${proposePatchName} are wrong: ${told.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
}
