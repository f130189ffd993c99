import { jsonrepair } from 'jsonrepair';
import picomatch from 'picomatch';
import { z } from 'zod';
import type { ToolCall } from '../../../core/index.ts';
import type { ProposerTools } from '../../types.ts';
import type { ModelTool } from '../types.ts';
import { withoutCredentials } from './credential-files.ts';
import { linesOf, numbered } from './excerpts.ts';
import type { Fence } from './fence.ts';
import { countOf, headAndTail, headOf } from './texts.ts';
import { timedMatch } from './timed-match.ts';

/** What one proposal may read. */
export type ReadingLimits = {
  /** Answers with content; further calls are told to propose. */
  answers: number;
  /** Characters of one answer. */
  charsPerAnswer: number;
};
export const readingLimits: ReadingLimits = { answers: 12, charsPerAnswer: 14_000 };

const readSchema = z.object({
  path: z.string(),
  from: z.int().min(1).optional().describe('First line, from 1.'),
  to: z.int().min(1).optional().describe('Last line, included.'),
});
const searchSchema = z.object({
  text: z.string().optional().describe('Plain text to find, upper and lower case apart.'),
  regex: z.string().optional().describe('Or a JavaScript regular expression, matched line by line.'),
  glob: z.string().optional().describe('Files to look in, e.g. src/**/*.py'),
});
const listSchema = z.object({ glob: z.string().optional().describe('e.g. src/**') });

/** Tools that only look. Names the model already knows from elsewhere, so that it uses them well. */
export const readingTools: readonly ModelTool[] = [
  { name: 'read_file', description: 'Shows a file of the project, or some of its lines.', input: readSchema },
  { name: 'search', description: 'Finds lines in the files of the project.', input: searchSchema },
  { name: 'list_files', description: 'Lists the files of the project.', input: listSchema },
];

const maxMatches = 60;
const maxFilesListed = 400;
/** Enough for a sound pattern on a large project; others would take for ever. */
const matchMs = 1500;
const maxMatchedLine = 2000;
const maxPattern = 300;

export type Reader = {
  /** Answers left. */
  readonly left: number;
  /** Answers one call; null where the tool is none of these. */
  answer(call: ToolCall): string | null;
};

export type ReaderOptions = {
  tools: Pick<ProposerTools, 'files' | 'read'>;
  fence: Fence;
  clean: (text: string) => string;
  limits?: ReadingLimits;
};

/**
 * Answers read-only calls from the project's files as they are now. It sees what `tools` gives and nothing else: no
 * held-out test is among these files, and of files with credentials it says nothing. A wrong call is explained, and costs an answer too.
 */
export function readerOf({ tools, fence, clean, limits = readingLimits }: ReaderOptions): Reader {
  let left = limits.answers;
  const open = withoutCredentials(tools);
  const lines = cleanLines(open, clean);
  const look = { tools: open, fence, clean, lines, maxChars: limits.charsPerAnswer };
  return {
    get left() {
      return left;
    },
    answer(call) {
      const act = Object.hasOwn(actions, call.name) ? actions[call.name] : undefined;
      if (act === undefined) return null;
      if (left === 0) return 'No more reading in this round: propose the patch now.';
      left -= 1;
      return act(argumentsOf(call.input), look);
    },
  };
}

type Look = Required<Omit<ReaderOptions, 'limits'>> & {
  /** Of a file, without its secrets. These may go over lines, so they are taken out of the whole file. */
  lines: (path: string) => readonly string[];
  maxChars: number;
};

/** Each file is cleaned once, and again when it was changed. */
function cleanLines({ read }: Pick<ProposerTools, 'read'>, clean: (text: string) => string): Look['lines'] {
  const known = new Map<string, { text: string; lines: readonly string[] }>();
  return (path) => {
    const text = read(path) ?? '';
    const before = known.get(path);
    if (before?.text === text) return before.lines;
    const lines = linesOf(clean(text));
    known.set(path, { text, lines });
    return lines;
  };
}

const actions: Readonly<Record<string, (input: unknown, look: Look) => string>> = {
  read_file: (input, look) => withArguments(readSchema, input, (args) => readFile(args, look)),
  search: (input, look) => withArguments(searchSchema, input, (args) => search(args, look)),
  list_files: (input, look) => withArguments(listSchema, input, (args) => listFiles(args, look)),
};

function argumentsOf(input: string): unknown {
  if (input.trim() === '') return {};
  try {
    return withoutNulls(JSON.parse(input));
  } catch {
    try {
      return withoutNulls(JSON.parse(jsonrepair(input)));
    } catch {
      return null;
    }
  }
}

const withoutNulls = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null))
    : value;

function withArguments<T>(schema: z.ZodType<T>, input: unknown, act: (args: T) => string): string {
  const parsed = schema.safeParse(input);
  if (parsed.success) return act(parsed.data);
  const problems = parsed.error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.')}: ${message}`);
  return `The arguments are wrong: ${problems.join('; ')}.`;
}

function readFile({ path, from = 1, to }: z.infer<typeof readSchema>, look: Look): string {
  const asked = path.replace(/^\.\//, '');
  const text = look.tools.files.includes(asked) ? look.tools.read(asked) : null;
  if (text === null)
    return `There is no readable text file at ${headOf(JSON.stringify(path), 200)}.${similar(asked, look)}`;
  const lines = linesOf(look.clean(text));
  if (from > lines.length) return `${asked} has ${countOf(lines.length, 'line')} only.`;
  const end = Math.min(to ?? lines.length, lines.length);
  if (end < from) return `Line ${to} comes before line ${from}.`;
  const shown = fitting(lines, { from, to: end }, look.maxChars);
  const body = numbered({ lines, ranges: [{ from, to: shown }], marked: new Set() });
  const rest =
    shown < end ? `The answer is full: ask for the lines from ${shown + 1} on, if you need them.\n` : '';
  return look.fence.block(`file ${asked}, lines ${from}-${shown} of ${lines.length}`, body) + rest;
}

/** The last line that finds room. */
function fitting(
  lines: readonly string[],
  { from, to }: { from: number; to: number },
  maxChars: number,
): number {
  let left = maxChars;
  for (let line = from; line <= to; line += 1) {
    left -= Math.min(lines[line - 1]?.length ?? 0, 540) + 9;
    if (left < 0) return Math.max(from, line - 1);
  }
  return to;
}

function similar(path: string, { tools, clean }: Look): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const found = tools.files.filter((file) => name !== '' && file.toLowerCase().endsWith(name)).slice(0, 5);
  return found.length === 0 ? '' : ` There is ${clean(found.map((file) => headOf(file, 200)).join(', '))}.`;
}

function listFiles({ glob }: z.infer<typeof listSchema>, look: Look): string {
  const files = matching(glob, look);
  if (typeof files === 'string') return files;
  const shown = files.slice(0, maxFilesListed).map((file) => headOf(file, 300));
  const more =
    files.length > shown.length ? `\nand ${files.length - shown.length} more: narrow the glob` : '';
  return look.fence.block(
    countOf(files.length, 'file'),
    headAndTail(look.clean(shown.join('\n')), look.maxChars) + more,
  );
}

/** The files that a glob names, or what is wrong with it. */
function matching(glob: string | undefined, { tools }: Look): readonly string[] | string {
  if (glob === undefined || glob === '' || glob === '**') return tools.files;
  if (glob.length > maxPattern) return `The glob is longer than ${maxPattern} characters.`;
  const pattern = picomatch.makeRe(glob.replace(/^\.\//, ''), { dot: true, noextglob: true, nonegate: true });
  const found = timedMatch({ pattern, texts: tools.files, timeoutMs: matchMs });
  if (found === null) return 'The glob takes too long to match: use a simpler one.';
  return tools.files.filter((_, index) => found[index]);
}

function search({ text, regex, glob }: z.infer<typeof searchSchema>, look: Look): string {
  const find = finderOf({ text, regex });
  if (typeof find === 'string') return find;
  const files = matching(glob, look);
  if (typeof files === 'string') return files;
  // In what may be told only: how many lines match would give a secret away letter by letter.
  const places = files.flatMap((path) =>
    look.lines(path).map((line, index) => ({ path, line, number: index + 1 })),
  );
  const matches = find(places.map(({ line }) => line));
  if (matches === null) return tooSlow;
  const hits = places.filter((_, index) => matches[index]);
  const shown = hits
    .slice(0, maxMatches)
    .map(({ path, line, number }) => `${headOf(path, 200)}:${number}: ${headOf(line, 200)}`);
  const more = hits.length > shown.length ? '\nand more: narrow the search' : '';
  const label = `${countOf(hits.length, 'line')} in ${countOf(new Set(hits.map(({ path }) => path)).size, 'file')}`;
  return look.fence.block(label, headAndTail(look.clean(shown.join('\n')), look.maxChars) + more);
}

const tooSlow = 'The regular expression takes too long to match: search for plain text.';

/** Which of some lines match; null where that takes too long. */
type Find = (lines: readonly string[]) => readonly boolean[] | null;

function finderOf({ text, regex }: { text?: string | undefined; regex?: string | undefined }): Find | string {
  if (text !== undefined && text !== '') return (lines) => lines.map((line) => line.includes(text));
  if (regex === undefined || regex === '') return 'Give text or regex: what is to be found.';
  if (regex.length > maxPattern) return `The regular expression is longer than ${maxPattern} characters.`;
  try {
    const pattern = new RegExp(regex);
    return (lines) =>
      timedMatch({ pattern, texts: lines.map((line) => line.slice(0, maxMatchedLine)), timeoutMs: matchMs });
  } catch (error) {
    return `The regular expression cannot be read: ${error instanceof Error ? headOf(error.message, 200) : ''}`;
  }
}
