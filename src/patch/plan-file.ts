import type { FileChange, Refusal } from '../core/index.ts';
import type { FileEdits } from './assign-edits.ts';
import type { PlanContext } from './check-edit.ts';
import { missing, notLocated, notPlain } from './explain.ts';
import { gitLines } from './hunks.ts';
import { locate } from './locate.ts';
import { quoteLines } from './nearest.ts';
import { refusal } from './refusal.ts';
import { applySplices, overlaps, type Splice, splicesFor } from './splice.ts';
import { decodeText, encodeText, type TextFile } from './text.ts';

/** `share` of a file of more than `lines` lines that one proposal may rewrite. */
const wholeFile = { lines: 60, share: 0.6 };
const defaultMaxFileBytes = 1024 * 1024;
const newFileMode = 0o644;

type Refused = { ok: false; refusals: Refusal[] };
export type PlannedFile = { ok: true; changes: FileChange[] } | Refused;

/** The changes that a proposal makes to one path (and to the path it is renamed to), or every reason against. */
export function planFile(file: FileEdits, context: PlanContext): PlannedFile {
  const { removal, creation } = file;
  const created = creation === null ? null : encodeText(creation.edit.content);
  if (removal === null && file.replaces.length === 0) {
    if (creation === null || created === null) return { ok: true, changes: [] };
    const tooLarge = checkSize(file, created, creation.index, context);
    if (tooLarge !== null) return { ok: false, refusals: [tooLarge] };
    return { ok: true, changes: [{ path: file.path, before: null, after: created, mode: newFileMode }] };
  }
  const original = readOriginal(file, context);
  if (!original.ok) return original;
  const edited = replaceAll(file, original.text);
  if (!edited.ok) return edited;
  const stays = removal === null ? edited.bytes : created;
  const moved = removal?.edit.op === 'rename' ? edited.bytes : null;
  const problem = checkResult(file, { before: original.bytes, stays, moved }, context);
  if (problem !== null) return { ok: false, refusals: [problem] };
  const { bytes, mode } = original;
  const changes: FileChange[] = [{ path: file.path, before: bytes, after: stays, mode }];
  if (removal?.edit.op === 'rename')
    changes.push({ path: removal.edit.to, before: null, after: moved, mode });
  return { ok: true, changes };
}

type Original = { ok: true; bytes: Uint8Array; mode: number; text: TextFile };

function readOriginal(file: FileEdits, context: PlanContext): Original | Refused {
  const index = firstEdit(file);
  const where = { path: file.path, edit: index };
  const refuse = (problem: Refusal): Refused => ({ ok: false, refusals: [problem] });
  const found = context.read(file.path);
  if (found === null) return refuse(missing(where, context));
  if ('special' in found) return refuse(notPlain(where, found.special));
  const tooLarge = checkSize(file, found.bytes, index, context);
  if (tooLarge !== null) return refuse(tooLarge);
  const text = decodeText(found.bytes);
  if (text === null) {
    return refuse(refusal('binary', where, `${file.path} is not UTF-8 text; only text can be patched.`));
  }
  return { ok: true, bytes: found.bytes, mode: found.mode, text };
}

function firstEdit(file: FileEdits): number {
  const indexes = [file.removal, file.creation, ...file.replaces].map((part) => part?.index);
  return Math.min(...indexes.filter((index) => index !== undefined));
}

type Edited = { ok: true; bytes: Uint8Array } | Refused;

function replaceAll(file: FileEdits, text: TextFile): Edited {
  const refusals: Refusal[] = [];
  const placed: { index: number; splices: Splice[] }[] = [];
  for (const { edit, index } of file.replaces) {
    const located = locate(text, edit);
    if (located.kind !== 'found') {
      refusals.push(notLocated(text, edit, index, located));
      continue;
    }
    const splices = splicesFor(text, located.match, edit);
    const rival = placed.find((other) => other.splices.some((a) => splices.some((b) => overlaps(a, b))));
    if (rival === undefined) placed.push({ index, splices });
    else {
      const near = quoteLines(text, located.match.line, 3);
      const message = `Edits ${rival.index} and ${index} change the same text of ${file.path}: make them one edit.`;
      refusals.push(refusal('overlap', { path: edit.path, edit: index, near }, message));
    }
  }
  if (refusals.length > 0) return { ok: false, refusals };
  const body = applySplices(
    text.body,
    placed.flatMap(({ splices }) => splices),
  );
  return { ok: true, bytes: encodeText(text.bom + body) };
}

type Result = { before: Uint8Array; stays: Uint8Array | null; moved: Uint8Array | null };

function checkResult(
  file: FileEdits,
  { before, stays, moved }: Result,
  context: PlanContext,
): Refusal | null {
  const index = firstEdit(file);
  for (const after of [stays, moved]) {
    if (after === null) continue;
    const tooLarge = checkSize(file, after, index, context);
    if (tooLarge !== null) return tooLarge;
    const lines = gitLines(Buffer.from(before).toString());
    const share = 1 - keptLines(lines, gitLines(Buffer.from(after).toString())) / lines.length;
    if (context.policy.allowWholeFile !== true && lines.length > wholeFile.lines && share > wholeFile.share) {
      const message = `The proposal rewrites ${Math.round(share * 100)} % of the ${lines.length} lines of ${file.path}: change only the lines that must change.`;
      return refusal('whole_file', { path: file.path, edit: index }, message);
    }
  }
  if (stays !== null && Buffer.from(before).equals(stays)) {
    return refusal('no_op', { path: file.path, edit: index }, `${file.path} would stay as it is.`);
  }
  return null;
}

/** How many of the old lines are still there, wherever they stand now. */
function keptLines(before: readonly string[], after: readonly string[]): number {
  const left = new Map<string, number>();
  for (const line of after) left.set(line, (left.get(line) ?? 0) + 1);
  return before.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count > 0;
  }).length;
}

function checkSize(
  file: FileEdits,
  bytes: Uint8Array,
  edit: number,
  { policy }: PlanContext,
): Refusal | null {
  const max = policy.maxFileBytes ?? defaultMaxFileBytes;
  if (bytes.length <= max) return null;
  const message = `${file.path} has ${bytes.length} bytes, more than the ${max} a patch may handle.`;
  return refusal('too_large', { path: file.path, edit }, message);
}
