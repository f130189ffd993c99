import type { Coverage } from '../../core/index.ts';
import type { Scope } from './analysis/scope.ts';
import { functionAround } from './analysis/scope.ts';
import type { Site } from './analysis/site.ts';
import type { SourceFile } from './syntax/source-file.ts';
import { lineAt } from './syntax/source-file.ts';

/** What ran where, by test. */
export type Reach = {
  /** Failing tests that left lines; of the others it is not known what they ran. */
  readonly known: readonly string[];
  /** Lines of `path` that the test ran. */
  lines(test: string, path: string): ReadonlySet<number>;
  paths(test: string): readonly string[];
  /**
   * True unless some failing test is known not to have run a line of the site's function. An edit there cannot make
   * that test pass, so the site is none for a repair of everything at once. Code that runs at import is every test's.
   */
  byAll(site: Site): boolean;
};

/** @param options.editable false for files a patch may not touch: what runs there says nothing. */
export function reachOf(options: {
  coverage: Coverage;
  failing: readonly string[];
  editable(path: string): boolean;
}): Reach {
  const { coverage, editable } = options;
  const wanted = new Set(options.failing);
  const ran = new Map<string, Map<string, ReadonlySet<number>>>();
  for (const { id, lines } of coverage.tests) {
    if (!wanted.has(id)) continue;
    const own = Object.entries(lines).filter(([path, some]) => editable(path) && some.length > 0);
    if (own.length > 0) ran.set(id, new Map(own.map(([path, some]) => [path, new Set(some)])));
  }
  const known = [...ran.keys()];
  const none: ReadonlySet<number> = new Set();
  const lines = (test: string, path: string) => ran.get(test)?.get(path) ?? none;
  const answers = new Map<Scope['node'], boolean>();
  return {
    known,
    lines,
    paths: (test) => [...(ran.get(test)?.keys() ?? [])],
    byAll(site) {
      const node = site.node.role === 'function' ? site.node : functionAround(site.scope)?.node;
      if (node === undefined) return true;
      const before = answers.get(node);
      if (before !== undefined) return before;
      const [from, to] = extentOf(site.file, node);
      const answer = known.every((test) => touches(lines(test, site.file.path), from, to));
      answers.set(node, answer);
      return answer;
    },
  };
}

/** First and last line of a node, 1-based. */
export const extentOf = (file: SourceFile, node: { start: number; end: number }): [number, number] => [
  lineAt(file, node.start),
  lineAt(file, Math.max(node.start, node.end - 1)),
];

function touches(lines: ReadonlySet<number>, from: number, to: number): boolean {
  if (to - from < lines.size) {
    for (let line = from; line <= to; line += 1) if (lines.has(line)) return true;
    return false;
  }
  for (const line of lines) if (line >= from && line <= to) return true;
  return false;
}
