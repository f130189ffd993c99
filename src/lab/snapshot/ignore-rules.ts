import { readFileSync } from 'node:fs';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { gitDirectory, repositoryOf } from './git-index.ts';

/** The ignore rules in force in one folder, those of the folders above first. */
export type IgnoreRules = {
  /** The project's folder relative to the top of its repository; empty where it is the top, or there is none. */
  prefix: string;
  /** `base`: folder of the file that holds the rules, relative to the top of the repository. */
  files: readonly { base: string; rules: Ignore }[];
};

/**
 * Rules at the top folder of a project: its own `.gitignore` and, where it lies in a git repository, before it
 * `.git/info/exclude` and the `.gitignore` files of the folders between. A project that those ignore as a whole was
 * named on purpose, so then its own rules alone count.
 */
export function topRules(dir: string): IgnoreRules {
  const repository = repositoryOf(dir);
  const own: IgnoreRules = { prefix: '', files: rulesIn(path.join(dir, '.gitignore'), '') };
  if (repository === null) return own;
  const prefix = path.relative(repository, dir);
  const gitDir = gitDirectory(repository);
  let files = gitDir === null ? [] : rulesIn(path.join(gitDir, 'info', 'exclude'), '');
  for (const base of chain(prefix)) {
    if (base !== '' && isIgnored({ prefix: '', files }, base, true)) return own;
    files = [...files, ...rulesIn(path.join(repository, base, '.gitignore'), base)];
  }
  return { prefix, files };
}

/** Every folder from the top of the repository down to `folder`. */
function chain(folder: string): string[] {
  const parts = folder.split('/').filter(Boolean);
  return ['', ...parts.map((_, n) => parts.slice(0, n + 1).join('/'))];
}

/** Rules inside `folder` (project-relative). */
export function rulesBelow(above: IgnoreRules, dir: string, folder: string): IgnoreRules {
  const own = rulesIn(path.join(dir, folder, '.gitignore'), path.posix.join(above.prefix, folder));
  return own.length === 0 ? above : { ...above, files: [...above.files, ...own] };
}

function rulesIn(file: string, base: string): { base: string; rules: Ignore }[] {
  try {
    return [{ base, rules: ignore().add(readFileSync(file, 'utf8')) }];
  } catch {
    return [];
  }
}

/** gitignore(5): the last rule that matches decides, and rules of deeper folders come later. */
export function isIgnored({ prefix, files }: IgnoreRules, file: string, isFolder: boolean): boolean {
  const full = path.posix.join(prefix, file);
  let ignored = false;
  for (const { base, rules } of files) {
    const inside = base === '' ? full : full.slice(base.length + 1);
    const result = rules.test(isFolder ? `${inside}/` : inside);
    if (result.ignored) ignored = true;
    else if (result.unignored) ignored = false;
  }
  return ignored;
}
