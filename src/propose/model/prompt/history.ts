import type { Edit, Refusal } from '../../../core/index.ts';
import type { Attempt } from '../../types.ts';
import type { Telling } from './failures.ts';
import { once, type Piece } from './pieces.ts';
import { formatEdits } from './text-format.ts';
import { countOf, headAndTail, headOf } from './texts.ts';

const maxRefusals = 20;
const editChars = 4000;

/** Why nothing of the last patch was applied: the edit, the reason, the nearest real lines. */
export function refusalPieces(
  refusals: readonly Refusal[],
  edits: readonly Edit[],
  { fence, clean }: Telling,
): Piece[] {
  if (refusals.length === 0) return [];
  const told = refusals.slice(0, maxRefusals);
  const rest = refusals.length - told.length;
  const more = rest === 0 ? '' : `and ${countOf(rest, 'more refusal')}\n`;
  const tell = (one: (refusal: Refusal) => string) =>
    once(() => fence.block('why the last patch was refused', told.map(one).join('') + more));
  const reason = (refusal: Refusal) => reasonOf(refusal, clean);
  const near = (refusal: Refusal) => clean(nearOf(refusal));
  const refused = ({ edit }: Refusal) => refusedEdit(edit === null ? undefined : edits[edit], clean);
  return [
    {
      section: 'refusals',
      name: 'the last refusals in full',
      forms: [
        tell((refusal) => reason(refusal) + near(refusal) + refused(refusal)),
        tell((refusal) => reason(refusal) + near(refusal)),
        tell(reason),
        tell((refusal) => `${headOf(reason(refusal), 200)}\n`),
      ],
    },
  ];
}

type Clean = Telling['clean'];

function reasonOf({ code, path, edit, message }: Refusal, clean: Clean): string {
  const which = edit === null ? 'the patch' : `edit ${edit + 1}`;
  const where = path === '' ? '' : `, ${clean(path)}`;
  return `- ${which}${where}, ${code}: ${headAndTail(clean(message), 2000)}\n`;
}

function nearOf({ near }: Refusal): string {
  if (near.length === 0) return '';
  const lines = near.map(({ line, text }) => `  ${line} | ${text}\n`);
  return `  the lines as they are in the file:\n${lines.join('')}`;
}

function refusedEdit(edit: Edit | undefined, clean: Clean): string {
  if (edit === undefined) return '';
  return `  the edit that was refused:\n${headAndTail(clean(formatEdits([edit])), editChars)}`;
}

/** The whole patch so far. */
export function diffPieces(diff: string, { fence, clean }: Telling): Piece[] {
  if (diff === '') return [];
  const block = (maxChars: number) => () =>
    fence.block('the patch so far, as a unified diff', headAndTail(clean(diff), maxChars));
  return [
    {
      section: 'diff',
      name: 'a part of the patch so far',
      modest: 1,
      forms: [Number.POSITIVE_INFINITY, 12_000, 4000, 1000].map((chars) => once(block(chars))),
    },
  ];
}

const motivationChars = 300;
const outcomeChars = 300;

/** One line for each earlier attempt, the oldest first. */
export function attemptPieces(attempts: readonly Attempt[], { clean }: Telling): Piece[] {
  return attempts.map(({ round, motivation, outcome }) => {
    const line = (motive: number, end: number) => () =>
      `- round ${round}: ${headOf(clean(motivation), motive)} -> ${headOf(clean(outcome), end)}\n`;
    return {
      section: 'attempts',
      name: 'an earlier attempt',
      forms: [once(line(motivationChars, outcomeChars)), once(line(80, 80))],
    } satisfies Piece;
  });
}
