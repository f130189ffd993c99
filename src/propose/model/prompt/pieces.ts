/** The parts of the packed text, in the order in which they stand there. */
export const sections = [
  'refusals',
  'problems',
  'details',
  'attempts',
  'diff',
  'tests',
  'sources',
  'files',
] as const;
export type Section = (typeof sections)[number];

/** Something that can be told at several lengths, or not at all. */
export type Piece = {
  section: Section;
  /** What it is, for the line that says what is left out. */
  name: string;
  /** Ways to tell it, the longest first, each made when it is needed; an empty one is passed over. */
  forms: readonly (() => string)[];
  /** Index of the form that is tried first; longer ones are for room that nothing else wants. Default 0. */
  modest?: number;
  /** Path of the file that the first form holds in full. */
  wholeFile?: string;
};

/** At first a piece may take this share of the room that is left, so that none starves the ones after it. */
const firstShare = 1 / 4;
/** Less room than this holds nothing worth telling. */
const leastChars = 300;

/** What each piece is told as; pieces that got nothing are absent. */
export type Chosen = Map<Piece, string>;

/**
 * Gives room to pieces in order of importance: each takes the longest of its forms, from its modest one on, that
 * fits its share of what is left.
 * @returns what is left of `room`, never below 0
 */
export function allotShares(order: readonly Piece[], room: number, chosen: Chosen): number {
  let left = room;
  for (const piece of order) {
    if (left < leastChars) break;
    const form = piece.forms
      .slice(piece.modest ?? 0)
      .find((make) => make() !== '' && make().length <= left * firstShare);
    if (form === undefined) continue;
    chosen.set(piece, form());
    left -= form().length;
  }
  return left;
}

/**
 * Gives what shares left over to longer forms, in the same order.
 * @returns what is left of `room`, never below 0
 */
export function allotRest(order: readonly Piece[], room: number, chosen: Chosen): number {
  let left = room;
  for (const piece of order) {
    if (left < leastChars) break;
    const has = chosen.get(piece)?.length ?? 0;
    const form = piece.forms.find((make) => make().length - has <= left);
    if (form === undefined || form().length <= has) continue;
    chosen.set(piece, form());
    left -= form().length - has;
  }
  return left;
}

/** Makes a value once, when it is first wanted. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
