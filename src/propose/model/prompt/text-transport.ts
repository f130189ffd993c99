import { blockFormat, editsFromText, type ReadFile, toldRefusal } from '../../../patch/index.ts';
import type { ParsedPatch } from './propose-patch-tool.ts';

const maxMotivation = 2000;

/** How a patch is written where no tool is called; for the system prompt. */
export const textFormat = `Answer in text: first what is wrong and why your patch cures it, in one to three sentences; then the edits, each under a line with the path of its file:

${blockFormat}

The SEARCH part holds whole lines as they stand in the file, without line numbers, and must match exactly one place: quote a neighbouring line where it would match several. Other edits:

path/to/new_file
<<<<<<< CREATE
the text of the new file
>>>>>>> CREATE

path/to/file
<<<<<<< DELETE
>>>>>>> DELETE

path/to/file
<<<<<<< RENAME
path/to/its/new/name
>>>>>>> RENAME

Where a text holds such marker lines itself, write all markers of its block with more characters.`;

/**
 * Reads the patch out of a reply in text: blocks as `textFormat` says, else a unified diff. Prose around them is the
 * motivation. Never throws.
 * @param options.read lets the line numbers of a diff decide between places that look alike
 */
export function parsePatchText(text: string, options: { read?: ReadFile } = {}): ParsedPatch {
  const said = withoutThoughts(text);
  if (said.trim() === '') return { ok: false, problem: 'The reply is empty.' };
  const parsed = editsFromText(said, options);
  if (!parsed.ok) {
    const why = parsed.refusals.map(toldRefusal).join(' ');
    return { ok: false, problem: holdsWholeFile(said, why) };
  }
  if (parsed.edits.length === 0) return { ok: false, problem: `The reply holds no edit.\n${blockFormat}` };
  return { ok: true, motivation: parsed.prose.slice(0, maxMotivation).toWellFormed(), edits: parsed.edits };
}

/** What local reasoning models say to themselves may hold drafts of blocks. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/, '');
}

/** A reply with fenced code and no edit says what the file should be, not what to change. */
function holdsWholeFile(text: string, why: string): string {
  const fences = text.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0;
  return fences >= 2 && why.includes('holds no edit')
    ? `The code in the reply is no edit: whole files are not taken. ${why}`
    : why;
}
