import type { FileChange } from '../../core/index.ts';
import type { Project } from '../types.ts';

/** Strings of four characters and more, numbers of three digits and more: shorter ones are in every file. */
const literal = /'((?:[^'\\\n]|\\.){4,})'|"((?:[^"\\\n]|\\.){4,})"|\b(\d{3,}(?:\.\d+)?|\d+\.\d{2,})\b/g;

/** Sources looked through for a literal that may be the project's own; a warning is not worth reading more. */
const maxSources = 500;

/**
 * Literals that a patch brings in and that the tests have too: answers may have been copied instead of computed. Only
 * held-out tests can tell, so this is a warning. What other sources of the project say as well points at no test.
 */
export function copiedLiterals(
  project: Project,
  changes: readonly FileChange[],
  testFiles: readonly string[],
): string[] {
  if (changes.length === 0) return [];
  const readable = new Set(project.files);
  const tested = new Set(
    testFiles.filter((file) => readable.has(file)).flatMap((file) => literalsIn(project.read(file))),
  );
  const isKnown = knownLiterals(project, testFiles);
  return changes.flatMap(({ path, before, after }) => {
    if (after === null) return [];
    const old = new Set(before === null ? [] : literalsIn(before));
    const copied = [...new Set(literalsIn(after))].filter(
      (each) => tested.has(each) && !old.has(each) && !isKnown(each),
    );
    if (copied.length === 0) return [];
    const shown = copied.slice(0, 3).map((each) => JSON.stringify(each.slice(0, 40)));
    return [`the patch brings ${shown.join(', ')} into ${path}, as the tests have it: copied from them?`];
  });
}

/** Tells what the sources say beside the tests; they are read when the first literal is asked for. */
function knownLiterals(project: Project, testFiles: readonly string[]): (text: string) => boolean {
  let known: Set<string> | null = null;
  const read = () => {
    const tests = new Set(testFiles);
    const sources = project.files.filter(
      (file) =>
        /\.(?:py|[cm]?[jt]sx?)$/.test(file) && !tests.has(file) && project.protectedBecause(file) === null,
    );
    return new Set(sources.slice(0, maxSources).flatMap((file) => literalsIn(project.read(file))));
  };
  return (text) => {
    known ??= read();
    return known.has(text);
  };
}

function literalsIn(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes).toString('utf8');
  return [...text.matchAll(literal)].map(([, single, double, number]) => single ?? double ?? number ?? '');
}
