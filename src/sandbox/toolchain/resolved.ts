import type { Found, Lookup } from './find.ts';

/** What one family of toolchains knows of a program, before it is checked and completed. */
export type Resolved = {
  /** As it is to be called inside. */
  program: string;
  /** Folders and files that must be visible. */
  prefixes: string[];
  /** Paths that must work inside as they are spelled here, and lead into a prefix. */
  spelled: string[];
  path: string[];
  env: Record<string, string>;
};

/** Answers null for a program of another family. */
export type Family = (found: Found, lookup: Lookup, resolve: (found: Found) => Resolved) => Resolved | null;

/** Both toolchains, called as the first. */
export function merge(first: Resolved, second: Resolved): Resolved {
  return {
    program: first.program,
    prefixes: [...first.prefixes, ...second.prefixes],
    spelled: [...first.spelled, ...second.spelled],
    path: [...first.path, ...second.path],
    env: { ...second.env, ...first.env },
  };
}
