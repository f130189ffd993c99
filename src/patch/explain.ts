import type { Refusal } from '../core/index.ts';
import type { ReplaceEdit } from './assign-edits.ts';
import type { PlanContext, Special } from './check-edit.ts';
import { type locate, wholeLineMatches } from './locate.ts';
import { nearestLines, quoteLines } from './nearest.ts';
import { type RefusalCode, refusal } from './refusal.ts';
import type { TextFile } from './text.ts';

/** Most lines quoted where a search text is ambiguous. */
const maxAmbiguous = 20;

type Where = { path: string; edit: number };

/** A path at which nothing stands. */
export function missing(where: Where, context: PlanContext): Refusal {
  const message = `${where.path} does not exist.${didYouMean(where.path, context)}`;
  return refusal('missing_file', where, message);
}

/** A path at which something other than a plain file stands. */
export function notPlain(where: Where, special: Special): Refusal {
  return refusal(codeOf(special), where, messageOf(where.path, special));
}

function codeOf(special: Special): RefusalCode {
  switch (special) {
    case 'symlink':
    case 'hard_link':
    case 'too_large':
      return special;
    case 'folder':
    case 'other':
      return 'bad_path';
  }
}

function messageOf(path: string, special: Special): string {
  switch (special) {
    case 'symlink':
      return `${path} is a symlink; a patch follows none.`;
    case 'hard_link':
      return `${path} has other hard links; changing it would change or split them.`;
    case 'too_large':
      return `${path} is too large to be patched.`;
    case 'folder':
      return `${path} is a folder; a patch names files.`;
    case 'other':
      return `${path} is no plain file.`;
  }
}

/** Existing files of the same name, or the same name in another case. */
function didYouMean(path: string, { spellings }: PlanContext): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const similar = [...spellings.files].filter(
    (other) => other.slice(other.lastIndexOf('/') + 1).toLowerCase() === name,
  );
  return similar.length === 0 ? '' : ` Did you mean ${similar.toSorted().slice(0, 3).join(' or ')}?`;
}

type NotLocated = Exclude<ReturnType<typeof locate>, { kind: 'found' }>;

/** A search text that names no place, or too many. */
export function notLocated(text: TextFile, edit: ReplaceEdit, index: number, located: NotLocated): Refusal {
  const where = { path: edit.path, edit: index };
  switch (located.kind) {
    case 'ambiguous': {
      const near = located.lines.slice(0, maxAmbiguous).flatMap((line) => quoteLines(text, line, 1));
      const message = `The search text stands at ${located.lines.length} places in ${edit.path} (lines ${located.lines.slice(0, maxAmbiguous).join(', ')}): quote more lines around it, or give occurrence.`;
      return refusal('ambiguous', { ...where, near }, message);
    }
    case 'out_of_range': {
      const near = located.lines.slice(0, maxAmbiguous).flatMap((line) => quoteLines(text, line, 1));
      const message = `The search text stands at ${located.lines.length === 1 ? '1 place' : `${located.lines.length} places`} in ${edit.path}: there is no occurrence ${edit.occurrence}.`;
      return refusal('no_match', { ...where, near }, message);
    }
    case 'none': {
      const [applied] = wholeLineMatches(text, edit.replace);
      if (applied !== undefined) {
        const near = quoteLines(text, applied, 3);
        const message = `The search text is not in ${edit.path}, but the replacement stands at line ${applied}: it seems to be applied already.`;
        return refusal('already_applied', { ...where, near }, message);
      }
      const near = nearestLines(text, edit.search);
      const hint = near.length > 0 ? ' The nearest lines are quoted; copy them exactly.' : '';
      return refusal('no_match', { ...where, near }, `The search text is not in ${edit.path}.${hint}`);
    }
  }
}
