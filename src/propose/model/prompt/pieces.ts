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

/** A piece may at first grow into this share of the room that is left, so that none starves the ones after it. */
const firstShare = 1 / 4;

/** What each piece is told as; pieces that got nothing are absent. */
export type Chosen = Map<Piece, string>;

const told = ({ forms }: Piece): string[] => forms.map((make) => make()).filter((form) => form !== '');

/** The shortest that a piece can be told as; empty where there is nothing to tell. */
const shortestOf = (piece: Piece): string =>
  told(piece).reduce((short, form) => (form.length < short.length ? form : short), told(piece)[0] ?? '');

/**
 * Gives each piece its shortest form, in order, up to the first that finds no room: a piece is there only with all before
 * it, and more room loses none.
 * @returns what is left of `room`, and whether all are there
 */
export function allotShortest(
  order: readonly Piece[],
  room: number,
  chosen: Chosen,
): { left: number; all: boolean } {
  let left = room;
  for (const piece of order) {
    const form = shortestOf(piece);
    if (form.length > left) return { left, all: false };
    if (form === '') continue;
    chosen.set(piece, form);
    left -= form.length;
  }
  return { left, all: true };
}

/** How many characters the pieces can take beyond their shortest forms. */
export function growthOf(order: readonly Piece[]): number {
  const growth = (piece: Piece) =>
    Math.max(0, ...told(piece).map(({ length }) => length)) - shortestOf(piece).length;
  return order.reduce((sum, piece) => sum + growth(piece), 0);
}

/**
 * Lets the pieces that are there grow in order of importance: each to the longest of its forms, from its modest one on,
 * that fits its share of what is left.
 * @returns what is left of `room`, never below 0
 */
export function allotShares(order: readonly Piece[], room: number, chosen: Chosen): number {
  return grow({ order, room, chosen, share: firstShare, from: ({ modest = 0 }) => modest });
}

/**
 * Gives what shares left over to longer forms, in the same order.
 * @returns what is left of `room`, never below 0
 */
export function allotRest(order: readonly Piece[], room: number, chosen: Chosen): number {
  return grow({ order, room, chosen, share: 1, from: () => 0 });
}

function grow(options: {
  order: readonly Piece[];
  room: number;
  chosen: Chosen;
  share: number;
  from: (piece: Piece) => number;
}): number {
  const { order, chosen, share, from } = options;
  let left = options.room;
  for (const piece of order) {
    const has = chosen.get(piece)?.length;
    if (has === undefined) continue;
    const form = piece.forms.slice(from(piece)).find((make) => make().length - has <= left * share);
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
