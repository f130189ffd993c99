import type { Edit, Refusal } from '../core/index.ts';
import type { ReadFile } from './check-edit.ts';
import { locate } from './locate.ts';
import { type FileDiff, parseDiff } from './parse-diff.ts';
import { type ParsedHunk, sideOf } from './parse-hunks.ts';
import { refusal } from './refusal.ts';
import { decodeText, type TextFile } from './text.ts';

export type ParsedEdits = { ok: true; edits: Edit[] } | { ok: false; refusals: Refusal[] };

/**
 * Turns a unified diff, as a model or a tool writes it, into edits. Each hunk becomes a `replace` that is located
 * by its text: wrong line numbers and counts do no harm. With `read`, the line number of a hunk decides between
 * several places if it hits one of them exactly; without, such a hunk stays ambiguous.
 */
export function editsFromDiff(diff: string, { read }: { read?: ReadFile } = {}): ParsedEdits {
  const { files, problems } = parseDiff(diff);
  const refusals = problems.map(({ path, message }) =>
    refusal('malformed', { path, edit: null }, `The diff cannot be read: ${message}.`),
  );
  const edits: Edit[] = [];
  for (const file of files) {
    const read1 = editsOfFile(file, read);
    if (read1.ok) edits.push(...read1.edits);
    else refusals.push(...read1.refusals);
  }
  if (files.length === 0 && refusals.length === 0) {
    const message = 'There is no diff: no "--- a/FILE" line followed by "+++ b/FILE" and a hunk.';
    refusals.push(refusal('malformed', { path: '', edit: null }, message));
  }
  return refusals.length > 0 ? { ok: false, refusals } : { ok: true, edits };
}

function editsOfFile(file: FileDiff, read: ReadFile | undefined): ParsedEdits {
  const path = file.from ?? file.to ?? '';
  const refuse = (code: 'malformed' | 'binary' | 'empty_search' | 'no_op', message: string): ParsedEdits => ({
    ok: false,
    refusals: [refusal(code, { path, edit: null }, message)],
  });
  if (file.extra === 'binary')
    return refuse('binary', `The diff of ${path} is binary; only text can be patched.`);
  if (file.extra === 'mode')
    return refuse('malformed', `The diff changes the mode of ${path}; a patch may not.`);
  if (file.extra === 'copy')
    return refuse('malformed', `The diff copies ${path}; create the new file instead.`);
  if (file.to === null) return { ok: true, edits: [{ op: 'delete', path }] };
  if (file.from === null) return { ok: true, edits: [{ op: 'create', path, content: newContent(file) }] };
  const edits: Edit[] = file.from === file.to ? [] : [{ op: 'rename', path: file.from, to: file.to }];
  const text = textAt(path, read);
  for (const hunk of file.hunks) {
    const search = sideOf(hunk, 'old');
    const replace = sideOf(hunk, 'new');
    if (search === '' && replace !== '') {
      if (text?.body !== '' || file.hunks.length > 1) {
        const message = `A hunk of ${path} adds lines without any context: quote the lines next to them.`;
        return refuse('empty_search', message);
      }
      edits.push({ op: 'delete', path }, { op: 'create', path, content: replace });
    } else if (search !== replace) edits.push(replaceOf(path, { search, replace }, hunk, text));
  }
  return edits.length > 0 ? { ok: true, edits } : refuse('no_op', `The diff changes nothing in ${path}.`);
}

function newContent(file: FileDiff): string {
  return file.hunks.map((hunk) => sideOf(hunk, 'new')).join('');
}

function textAt(path: string, read: ReadFile | undefined): TextFile | null {
  const found = read?.(path) ?? null;
  return found !== null && 'bytes' in found ? decodeText(found.bytes) : null;
}

function replaceOf(
  path: string,
  texts: { search: string; replace: string },
  hunk: ParsedHunk,
  text: TextFile | null,
): Edit {
  const located = text === null ? null : locate(text, texts);
  const place = located?.kind === 'ambiguous' ? located.lines.indexOf(hunk.oldStart ?? -1) : -1;
  return { op: 'replace', path, ...texts, ...(place === -1 ? {} : { occurrence: place + 1 }) };
}
