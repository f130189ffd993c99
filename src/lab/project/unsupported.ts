import { AssayError } from '../../core/index.ts';
import type { SourceTree } from '../frameworks/framework.ts';

/** Test frameworks that are known by name only: how they are called, and how a manifest or a test file shows them. */
const known = [
  { name: 'Vitest', word: 'vitest', imports: /from\s+['"]vitest['"]/ },
  { name: 'Jest', word: 'jest', imports: /from\s+['"]@jest\/globals['"]/ },
  { name: 'Mocha', word: 'mocha', imports: /from\s+['"]mocha['"]/ },
  { name: 'Playwright', word: 'playwright', imports: /from\s+['"]@playwright\/test['"]/ },
] as const;

export type Unsupported = { name: string; because: string };

const testFile = /\.(test|spec)\.[cm]?[jt]sx?$/;
const mostRead = 50;

/**
 * A test framework that the project uses and assay cannot run, or null: named as a dependency or in a script of a
 * package.json, or imported by a test file.
 */
export function unsupportedIn(tree: SourceTree): Unsupported | null {
  const manifests = tree.files.filter((file) => file === 'package.json' || file.endsWith('/package.json'));
  for (const file of manifests.slice(0, mostRead)) {
    const name = inManifest(tree.text(file) ?? '');
    if (name !== null) return { name, because: `${file} names it` };
  }
  for (const file of tree.files.filter((each) => testFile.test(each)).slice(0, mostRead)) {
    const text = tree.text(file) ?? '';
    const found = known.find(({ imports }) => imports.test(text));
    if (found !== undefined) return { name: found.name, because: `${file} imports it` };
  }
  return null;
}

/** The one that a test command starts, e.g. `npx vitest run`; null for none of these. */
export function unsupportedBy(command: readonly string[]): Unsupported | null {
  const words = command.map((word) => word.slice(word.lastIndexOf('/') + 1));
  const found = known.find(({ word }) => words.includes(word));
  return found === undefined ? null : { name: found.name, because: 'the test command starts it' };
}

/** In plain words, so that nobody looks for an option that would help. */
export function notSupported({ name, because }: Unsupported): AssayError {
  return new AssayError({
    code: 'environment',
    message: `The tests run with ${name}, which assay does not support yet`,
    because,
    fix: 'There are pytest, unittest and node:test; give --framework or --test where the project has such tests too',
  });
}

function inManifest(text: string): string | null {
  const manifest = objectIn(text);
  const dependencies = ['dependencies', 'devDependencies'].flatMap((field) =>
    Object.keys(recordIn(manifest[field])),
  );
  const scripts = Object.entries(recordIn(manifest.scripts))
    .filter(([name]) => /^test(:|$)/.test(name))
    .flatMap(([, script]) => (typeof script === 'string' ? script.split(/[\s;&|]+/) : []));
  const found =
    known.find(({ word }) => scripts.includes(word)) ??
    known.find(({ word }) => dependencies.includes(word) || dependencies.includes(`@${word}/test`));
  return found?.name ?? null;
}

function objectIn(text: string): Record<string, unknown> {
  try {
    return recordIn(JSON.parse(text));
  } catch {
    return {};
  }
}

const recordIn = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
