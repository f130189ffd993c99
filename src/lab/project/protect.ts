import path from 'node:path';
import picomatch from 'picomatch';
import type { ProtectedGlob } from '../frameworks/framework.ts';

/** Says why a patch may not touch a path, or null. */
export type Protection = (file: string) => string | null;

/**
 * Protection by globs, decided on the path alone, so that it holds for files that do not exist yet. Case and Unicode
 * form are ignored: on some file systems `Tests/A.py` is `tests/a.py`.
 */
export function protection(options: {
  globs: readonly ProtectedGlob[];
  environments: readonly string[];
  /** Links: writing below one would write somewhere else. */
  links: readonly string[];
}): Protection {
  const matchers = options.globs.map(({ glob, because }) => ({
    matches: picomatch(fold(glob), { dot: true }),
    because,
  }));
  const environments = options.environments.map(fold);
  const links = options.links.map(fold);
  return (file) => {
    const bad = badPath(file);
    if (bad !== null) return bad;
    const folded = fold(file);
    if (isBelow(folded, environments)) return 'an installed environment';
    if (isBelow(folded, links)) return 'a link, or reached through one';
    return matchers.find(({ matches }) => matches(folded))?.because ?? null;
  };
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function isBelow(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => file === folder || file.startsWith(`${folder}/`));
}

/** Paths that are no plain place inside the project. */
export function badPath(file: string): string | null {
  const plain = file !== '' && !path.isAbsolute(file) && path.posix.normalize(file) === file;
  if (!plain || file.includes('\0') || file.includes('\\') || /^[A-Za-z]:/.test(file)) {
    return 'no plain path inside the project';
  }
  const parts = file.split('/');
  if (parts.includes('..') || parts.includes('.')) return 'no plain path inside the project';
  if (parts.some((part) => part.toLowerCase() === '.git')) return "the repository's own files";
  return null;
}
