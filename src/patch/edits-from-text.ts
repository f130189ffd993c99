import type { Edit, Refusal } from '../core/index.ts';
import type { ReadFile } from './check-edit.ts';
import { editsFromDiff, type ParsedEdits } from './edits-from-diff.ts';
import { refusal } from './refusal.ts';

/** The edits of a reply, and what it says around them. */
export type ParsedReply = { ok: true; edits: Edit[]; prose: string } | { ok: false; refusals: Refusal[] };

type Keyword = 'SEARCH' | 'CREATE' | 'DELETE' | 'RENAME';

/** One block as it stands in the reply: the lines between its markers. */
type Block = { keyword: Keyword; path: string | null; width: number; lines: string[] };

const opening = /^ {0,3}(<{5,}) ?(SEARCH|CREATE|DELETE|RENAME)\b[ \t]*(.*)$/;
const closing = /^ {0,3}>{5,} ?(REPLACE|CREATE|DELETE|RENAME)\b/;
const fence = /^ {0,3}(?:```|~~~)/;

/** The shape a reply has to have, for refusals and for prompts. */
export const blockFormat = `path/to/file
<<<<<<< SEARCH
lines as they are in the file
=======
lines as they should be
>>>>>>> REPLACE`;

/**
 * Reads the edits out of a reply in text. A block stands under a line with the path of its file (which later
 * blocks share), fenced or not:
 *
 *     <<<<<<< SEARCH / ======= / >>>>>>> REPLACE      an empty search part creates the file
 *     <<<<<<< CREATE / content / >>>>>>> CREATE
 *     <<<<<<< DELETE / >>>>>>> DELETE
 *     <<<<<<< RENAME / new path / >>>>>>> RENAME
 *
 * Markers may be longer than seven characters, for texts that hold such lines themselves; the divider then has
 * the width of the opening. A reply without blocks is read as a unified diff, if it holds one.
 */
export function editsFromText(text: string, { read }: { read?: ReadFile } = {}): ParsedReply {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (!lines.some((line) => opening.test(line))) return withoutBlocks(text, lines, read);
  const { blocks, prose, problem } = readBlocks(lines);
  if (problem !== null) {
    return { ok: false, refusals: [refusal('malformed', { path: '', edit: blocks.length }, problem)] };
  }
  const parsed = blocks.map((block, index) => editOf(block, index));
  const refusals = parsed.flatMap((one) => (one.ok ? [] : one.refusals));
  if (refusals.length > 0) return { ok: false, refusals };
  return { ok: true, edits: parsed.flatMap((one) => (one.ok ? one.edits : [])), prose };
}

function withoutBlocks(text: string, lines: readonly string[], read: ReadFile | undefined): ParsedReply {
  if (!lines.some((line) => line.startsWith('--- ') || line.startsWith('diff --git '))) {
    const message = `The reply holds no edit.\nEach edit is a block like this:\n${blockFormat}`;
    return { ok: false, refusals: [refusal('malformed', { path: '', edit: null }, message)] };
  }
  const parsed = editsFromDiff(text, read === undefined ? {} : { read });
  const start = lines.findIndex((line) => line.startsWith('--- ') || line.startsWith('diff --git '));
  return parsed.ok ? { ...parsed, prose: proseOf(lines.slice(0, start)) } : parsed;
}

type Blocks = { blocks: Block[]; prose: string; problem: string | null };

function readBlocks(lines: readonly string[]): Blocks {
  const blocks: Block[] = [];
  const prose: string[] = [];
  let path: string | null = null;
  let sinceBlock: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const open = opening.exec(line);
    if (open === null) {
      sinceBlock.push(line);
      continue;
    }
    const [, marks = '', keyword = '', rest = ''] = open;
    const end = lines.findIndex((other, at) => at > index && closing.test(other));
    const problem = unfinished(lines, index, end);
    if (problem !== null) return { blocks, prose: '', problem };
    const named = pathIn(rest) ?? pathAbove(sinceBlock);
    path = named?.path ?? path;
    prose.push(...sinceBlock.filter((_, at) => at !== named?.line));
    blocks.push({
      keyword: keyword as Keyword,
      path,
      width: marks.length,
      lines: lines.slice(index + 1, end),
    });
    sinceBlock = [];
    index = end;
  }
  return { blocks, prose: proseOf([...prose, ...sinceBlock]), problem: null };
}

function unfinished(lines: readonly string[], start: number, end: number): string | null {
  const shown = JSON.stringify(lines[start]);
  if (end === -1)
    return `The block that begins with ${shown} is never closed. A block looks like this:\n${blockFormat}`;
  if (lines.slice(start + 1, end).some((line) => opening.test(line))) {
    return `The block that begins with ${shown} is not closed before the next one begins.`;
  }
  return null;
}

type Named = { path: string; line: number };

function pathIn(rest: string): Named | null {
  const path = cleanPath(rest);
  return path === null ? null : { path, line: -1 };
}

/** The nearest line above that is not blank and no bare fence; the first word of a fence may be the path itself. */
function pathAbove(above: readonly string[]): Named | null {
  for (let line = above.length - 1; line >= 0; line -= 1) {
    const text = above[line] ?? '';
    if (text.trim() === '') continue;
    if (fence.test(text)) {
      const info = text.replace(/^\s*[`~]+/, '').replace(/^\w+:/, '');
      const path = /[./]/.test(info) ? cleanPath(info) : null;
      if (path !== null) return { path, line };
      continue;
    }
    const path = cleanPath(text);
    return path === null ? null : { path, line };
  }
  return null;
}

/** A line that is nothing but a path, with or without the decoration that models give it. */
function cleanPath(text: string): string | null {
  const bare = text
    .trim()
    .replace(/^#+\s*/, '')
    .replace(/^(?:\d+\.|[-*])\s+/, '')
    .replace(/^(?:file(?:name)?|path)\s*:\s*/i, '');
  const quoted =
    /^(?:\*\*)?`([^`]+)`(?:\*\*)?:?$/.exec(bare)?.[1] ?? /^\*\*([^*]+?):?\*\*:?$/.exec(bare)?.[1];
  const path = (quoted ?? bare.replace(/:$/, '')).trim().replace(/^\.\//, '');
  if (path === '') return null;
  // Prose has blanks; a path with blanks has to stand in backquotes.
  return quoted === undefined && /\s/.test(path) ? null : path;
}

function editOf(block: Block, index: number): ParsedEdits {
  const malformed = (message: string): ParsedEdits => ({
    ok: false,
    refusals: [refusal('malformed', { path: block.path ?? '', edit: index }, message)],
  });
  const { path } = block;
  if (path === null) {
    return malformed(
      `No path stands above the ${block.keyword} block. A block looks like this:\n${blockFormat}`,
    );
  }
  switch (block.keyword) {
    case 'CREATE':
      return { ok: true, edits: [{ op: 'create', path, content: joined(block.lines) }] };
    case 'DELETE':
      return { ok: true, edits: [{ op: 'delete', path }] };
    case 'RENAME': {
      const to = cleanPath(block.lines.join('\n'));
      if (to === null) return malformed('A RENAME block holds one line: the new path.');
      return { ok: true, edits: [{ op: 'rename', path, to }] };
    }
    case 'SEARCH':
      return searchEdit(block, path, malformed);
  }
}

function searchEdit(block: Block, path: string, malformed: (message: string) => ParsedEdits): ParsedEdits {
  const dividers = [...block.lines.entries()].filter(([, line]) => /^ {0,3}={5,}\s*$/.test(line));
  const exact = dividers.filter(([, line]) => line.trim().length === block.width);
  const [divider, ...others] = exact.length > 0 ? exact : dividers;
  if (divider === undefined) {
    return malformed(`A SEARCH block has no ======= line. A block looks like this:\n${blockFormat}`);
  }
  if (others.length > 0) {
    return malformed(
      'A SEARCH block has several ======= lines: use longer markers (<<<<<<<<<, =========, >>>>>>>>>).',
    );
  }
  const search = block.lines.slice(0, divider[0]);
  const replace = joined(block.lines.slice(divider[0] + 1));
  if (search.every((line) => line.trim() === '')) {
    return { ok: true, edits: [{ op: 'create', path, content: replace }] };
  }
  return { ok: true, edits: [{ op: 'replace', path, search: joined(search), replace }] };
}

const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

function proseOf(lines: readonly string[]): string {
  return lines
    .filter((line) => !fence.test(line))
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
