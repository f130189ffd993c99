import type { Coverage, TestResult } from '../../../core/index.ts';
import type { Feedback, ProposerTools } from '../../types.ts';
import { withoutCredentials } from './credential-files.ts';
import type { Source } from './sources.ts';

/** What the packing may choose from. */
export type Material = {
  sources: Source[];
  files: readonly string[];
  /** Every text file of the project is among `sources`. */
  complete: boolean;
};

export type MaterialOptions = {
  feedback: Feedback;
  tools: Pick<ProposerTools, 'files' | 'read' | 'protectedBecause'>;
  /** null where the framework's tests cannot be traced. */
  coverage: Coverage | null;
  /** Characters up to which the rest of the project, besides the files that matter, counts as small. */
  maxOtherChars: number;
};

/** Most files of each kind that are looked at. */
const maxFiles = 60;
/** Files without anything to repair in them: locks, data, minified code. */
const dull =
  /(?:^|\/)(?:package-lock\.json|[^/]+\.(?:lock|lockb|svg|csv|tsv|map|min\.js|min\.css|snap|ipynb))$/;

type Lines = { ran: Set<number>; named: Set<number>; weight: number };

/**
 * Reads the files that failing tests have to do with: those their stack traces name and those they ran, the most
 * suspected first, then the tests themselves and the modules that they name; and the rest of a project that is small enough.
 * No file with credentials is among them.
 */
export function gatherMaterial({ feedback, coverage, maxOtherChars, ...given }: MaterialOptions): Material {
  const tools = withoutCredentials(given.tools);
  const { failing } = feedback;
  const known = new Set(tools.files);
  const tests = testLines(failing);
  const code = codeLines(feedback, coverage);
  for (const path of code.keys()) if (tests.has(path)) code.delete(path);
  const sources: Source[] = [];
  const read = (path: string, role: Source['role'], lines: Partial<Lines>): number => {
    const text = known.has(path) ? tools.read(path) : null;
    if (text === null || text === '') return 0;
    const sorted = (found: Iterable<number> = []) => [...found].toSorted((a, b) => a - b);
    const protectedBecause = tools.protectedBecause(path);
    sources.push({ path, text, role, ran: sorted(lines.ran), named: sorted(lines.named), protectedBecause });
    return text.length;
  };
  const suspected = [...code].toSorted(([a, x], [b, y]) => y.weight - x.weight || (a < b ? -1 : 1));
  for (const [path, lines] of suspected.slice(0, maxFiles)) read(path, 'code', lines);
  for (const [path, lines] of [...tests].slice(0, maxFiles)) read(path, 'test', lines);
  const shown = new Set(sources.map(({ path }) => path));
  const words = wordsOf(sources.filter(({ role }) => role === 'test'));
  const mentioned = tools.files.filter(
    (path) => !shown.has(path) && words.has(stemOf(path)) && !dull.test(path),
  );
  for (const path of mentioned.slice(0, maxFiles)) {
    read(path, 'code', {});
    shown.add(path);
  }
  let room = maxOtherChars;
  for (const path of tools.files) {
    if (shown.has(path)) continue;
    if (!dull.test(path)) room -= read(path, 'other', {});
    if (room >= 0) continue;
    // A part of the rest, chosen by the alphabet, would only cost: the model asks for what it wants to see.
    const mattering = sources.filter(({ role }) => role !== 'other');
    return { sources: mattering, files: tools.files, complete: false };
  }
  return { sources, files: tools.files, complete: true };
}

/** Identifiers in the tests: a module that they name is likely one that they import. */
function wordsOf(sources: readonly Source[]): Set<string> {
  return new Set(sources.flatMap(({ text }) => text.match(/[A-Za-z_][\w-]{2,}/g) ?? []));
}

/** The name that an import would call a file by. */
function stemOf(path: string): string {
  const [name = '', folder = ''] = path.split('/').toReversed();
  const stem = name.replace(/\..*$/, '');
  return ['index', '__init__', 'mod', 'lib', 'main'].includes(stem) ? folder : stem;
}

/** Files with failing tests, those of the largest groups first, and the lines where these begin or fail. */
function testLines(failing: readonly TestResult[]): Map<string, Lines> {
  const files = new Map<string, Lines>();
  for (const { file, line, failure } of failing) {
    const lines = linesAt(files, file);
    if (line !== null) lines.named.add(line);
    for (const frame of failure?.frames ?? []) if (frame.file === file) lines.named.add(frame.line);
  }
  return files;
}

/** How much a file is suspected for being where a failure was raised, and for being on the way there. */
const weights = { raised: 2, called: 1.5 };

function codeLines({ failing, report, flaky }: Feedback, coverage: Coverage | null): Map<string, Lines> {
  const files = new Map<string, Lines>();
  const failures = [...failing.flatMap(({ failure }) => failure ?? []), ...report.problems];
  for (const { frames } of failures) {
    const own = frames.filter(({ inProject }) => inProject);
    for (const [at, { file, line }] of own.entries()) {
      const lines = linesAt(files, file);
      lines.named.add(line);
      lines.weight = Math.max(lines.weight, at === own.length - 1 ? weights.raised : weights.called);
    }
  }
  if (coverage !== null) addCoverage(files, { coverage, failing, flaky });
  return files;
}

/** Adds the lines that failing tests ran. A file is suspected by the Ochiai coefficient of its being run at all. */
function addCoverage(
  files: Map<string, Lines>,
  {
    coverage,
    failing,
    flaky,
  }: { coverage: Coverage; failing: readonly TestResult[]; flaky: readonly string[] },
): void {
  const red = new Set(failing.map(({ id }) => id));
  const out = new Set(flaky);
  const runs = new Map<string, { bad: number; good: number }>();
  for (const { id, passed, lines } of coverage.tests) {
    if (out.has(id)) continue;
    const fails = red.has(id);
    if (!fails && !passed) continue;
    for (const [path, ran] of Object.entries(lines)) {
      const counts = runs.get(path) ?? { bad: 0, good: 0 };
      counts[fails ? 'bad' : 'good'] += 1;
      runs.set(path, counts);
      if (!fails) continue;
      const found = linesAt(files, path).ran;
      for (const line of ran) found.add(line);
    }
  }
  for (const [path, { bad, good }] of runs) {
    if (bad > 0) linesAt(files, path).weight += bad / Math.sqrt(red.size * (bad + good));
  }
}

function linesAt(files: Map<string, Lines>, path: string): Lines {
  const lines = files.get(path) ?? { ran: new Set(), named: new Set(), weight: 0 };
  files.set(path, lines);
  return lines;
}
