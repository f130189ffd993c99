import { blockAt, linesOf, maxLineChars, numbered, type Range, rangesAround, wholeOf } from './excerpts.ts';
import type { Telling } from './failures.ts';
import { once, type Piece } from './pieces.ts';
import { countOf } from './texts.ts';

/** A file that the failing tests have to do with. */
export type Source = {
  path: string;
  text: string;
  /** `test`: holds failing tests · `code`: what they ran, or their stack traces name · `other`: the rest of the project. */
  role: 'test' | 'code' | 'other';
  /** Lines that failing tests ran, 1-based. */
  ran: readonly number[];
  /** Lines that stack traces of failing tests name, and where failing tests begin. */
  named: readonly number[];
  /** Why a patch may not touch it, or null. */
  protectedBecause: string | null;
};

/** Characters up to which a file is shown whole at first; larger ones are, when nothing else wants the room. */
const smallChars = 14_000;
/** Larger files are never shown whole. */
const largestWhole = 80_000;
const maxTestLines = 80;

/** What a file can be told as: whole, what ran with more or less around it, only what stack traces name. */
export function sourcePiece(source: Source, { fence, clean }: Telling): Piece {
  const lines = once(() => linesOf(clean(source.text)));
  const marked = new Set(source.ran);
  const show = (ranges: readonly Range[]) =>
    ranges.length === 0
      ? ''
      : fence.block(
          labelOf(source, { path: clean(source.path), lines: lines(), ranges }),
          numbered({ lines: lines(), ranges, marked }),
        );
  const near = (wanted: Iterable<number>, around: number) =>
    once(() => show(rangesAround({ wanted, around, lines: lines() })));
  const focus = once(() => focusOf(source, lines()));
  const fits = source.text.length <= largestWhole && lines().every((line) => line.length <= maxLineChars);
  const whole = fits ? [once(() => show(wholeOf(lines())))] : [];
  const parts = [
    once(() => show(rangesAround({ wanted: focus(), around: 10, lines: lines() }))),
    once(() => show(rangesAround({ wanted: focus(), around: 2, lines: lines() }))),
    near(source.named, 8),
    near(source.named, 2),
  ];
  return {
    section: source.role === 'test' ? 'tests' : 'sources',
    name: clean(source.path),
    forms: source.role === 'other' ? whole : [...whole, ...parts],
    ...(fits && { wholeFile: source.path }),
    modest: source.text.length > smallChars ? whole.length : 0,
  };
}

/** Lines of tests are their whole functions. */
function focusOf({ role, ran, named }: Source, lines: readonly string[]): number[] {
  if (role !== 'test') return [...ran, ...named];
  return named.flatMap((line) => {
    const { from, to } = blockAt(lines, line, maxTestLines);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

function labelOf(
  { protectedBecause }: Source,
  { path, lines, ranges }: { path: string; lines: readonly string[]; ranges: readonly Range[] },
): string {
  const [first] = ranges;
  const all = countOf(lines.length, 'line');
  const whole = ranges.length === 1 && first?.from === 1 && first.to === lines.length;
  const which = ranges.length === 1 ? `lines ${first?.from}-${first?.to} of ${all}` : `parts of ${all}`;
  const kept = protectedBecause === null ? '' : ', protected: may not be changed';
  return `file ${path}, ${whole ? `whole, ${all}` : which}${kept}`;
}
