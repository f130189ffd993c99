import type { FileIndex } from '../analysis/file-index.ts';
import type { Site } from '../analysis/site.ts';

/** Replaces the text from `start` to `end` (UTF-16 offsets). Nothing else of the file is touched. */
export type Splice = { readonly start: number; readonly end: number; readonly text: string };

/**
 * What makes a rewrite less trustworthy although it passes: it removes code, it makes a condition constant or a
 * result fixed, it brings in a literal the file did not hold.
 */
export type Trait = 'deletes' | 'unwraps' | 'constant' | 'new_literal';

/** One edit to try. */
export type Rewrite = {
  /** In source order, not overlapping. */
  readonly splices: readonly Splice[];
  /** Id of the template that made it. */
  readonly template: string;
  /** How often a bug of this kind is fixed by this edit, against the likeliest edit: in (0, 1]. */
  readonly prior: number;
  /** In words, e.g. "`<` becomes `<=`". */
  readonly what: string;
  readonly traits: readonly Trait[];
};

/** Where a template is asked to work. */
export type Place = { readonly index: FileIndex; readonly site: Site };

/** One family of edits. Pure: the same place gives the same rewrites in the same order. */
export type Template = {
  readonly id: string;
  /** The highest prior of its rewrites, so that unpromising ones need not be made at all. */
  readonly prior: number;
  rewrites(place: Place): Iterable<Rewrite>;
};
