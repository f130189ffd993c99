import type { Coverage } from '../../core/index.ts';
import type { Feedback } from '../types.ts';
import type { FileIndex } from './analysis/file-index.ts';
import type { Reach } from './reach.ts';
import { extentOf } from './reach.ts';

/** Failing tests that may have one cause. */
export type Group = readonly string[];

export type Groups = {
  /** No function that is much suspected is shared: each group has a bug of its own, as far as can be seen. */
  readonly apart: boolean;
  /** The largest group first; empty where all failing tests belong together. */
  readonly first: readonly Group[];
  /** Smaller groups, for where a group has more than one bug. */
  readonly finer: readonly Group[];
};

/** A function counts as a test's suspect with this share of the suspicion of the test's most suspected one. */
const suspect = 0.85;
/** Files looked at for functions, the most suspected ones. */
const filesMost = 60;
/** With more groups than this, the smallest wait for a later round. */
const groupsMost = 12;

export type GroupOptions = {
  feedback: Pick<Feedback, 'failing' | 'groups' | 'flaky'>;
  coverage: Coverage;
  reach: Reach;
  /** The most suspected files first. */
  files: readonly string[];
  index(path: string): FileIndex | null;
};

/**
 * Parts the failing tests by cause, as far as it can be told before anything is tried: by the functions that each
 * of them, and few passing tests, ran; within such a group by how they fail, and where that is all the same by the
 * lines they ran. Clustering failing tests by suspiciousness follows Jones, Bowring and Harrold, "Debugging in
 * parallel", ISSTA 2007.
 */
export function groupsOf(options: GroupOptions): Groups {
  const { feedback, reach } = options;
  const ids = feedback.failing.map(({ id }) => id);
  if (ids.length < 2) return { apart: false, first: [], finer: [] };
  const parts = componentsOf(ids, suspectsByTest(options));
  const finer = parts.flatMap((part) => {
    const split = splitOf(part, feedback.groups ?? [], reach);
    return split.length > 1 ? split : [];
  });
  if (parts.length === 1) return { apart: false, first: ordered(finer), finer: [] };
  return { apart: true, first: ordered(parts), finer: ordered(finer) };
}

const ordered = (groups: readonly Group[]): Group[] =>
  [...groups].sort((a, b) => b.length - a.length).slice(0, groupsMost);

/** The functions that each test is most likely to fail for, by test. A test whose lines are not known has none. */
function suspectsByTest({ coverage, feedback, reach, files, index }: GroupOptions): Map<string, Set<string>> {
  const failing = new Set(feedback.failing.map(({ id }) => id));
  const flaky = new Set(feedback.flaky);
  const passed = new Map<string, Map<number, number>>();
  for (const test of coverage.tests) {
    if (!test.passed || failing.has(test.id) || flaky.has(test.id)) continue;
    for (const [path, lines] of Object.entries(test.lines)) {
      const counts = passed.get(path) ?? new Map<number, number>();
      for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
      passed.set(path, counts);
    }
  }
  const functions = new Map(files.slice(0, filesMost).map((path) => [path, functionsOf(index(path))]));
  return new Map(
    reach.known.map((test) => {
      const weights = new Map<string, number>();
      for (const path of reach.paths(test)) {
        for (const line of reach.lines(test, path)) {
          const weight = 1 / Math.sqrt(1 + (passed.get(path)?.get(line) ?? 0));
          for (const { from, to } of functions.get(path) ?? []) {
            if (line < from || line > to) continue;
            const key = `${path}:${from}`;
            weights.set(key, Math.max(weight, weights.get(key) ?? 0));
          }
        }
      }
      const peak = Math.max(0, ...weights.values());
      const most = [...weights].filter(([, weight]) => weight >= suspect * peak).map(([key]) => key);
      return [test, new Set(most)];
    }),
  );
}

function functionsOf(index: FileIndex | null): { from: number; to: number }[] {
  if (index === null) return [];
  return [...index.scopes.values()]
    .filter(({ kind }) => kind === 'function')
    .map(({ node }) => {
      const [from, to] = extentOf(index.file, node);
      return { from, to };
    });
}

/** Tests that share a suspect, directly or through others. Those without any belong to all: then there is one part. */
function componentsOf(ids: readonly string[], suspects: ReadonlyMap<string, ReadonlySet<string>>): Group[] {
  if (ids.some((id) => (suspects.get(id)?.size ?? 0) === 0)) return [ids];
  let parts: { ids: string[]; keys: Set<string> }[] = [];
  for (const id of ids) {
    const keys = suspects.get(id) ?? new Set<string>();
    const near = parts.filter((part) => [...keys].some((key) => part.keys.has(key)));
    const joined = {
      ids: [...near.flatMap((part) => part.ids), id],
      keys: new Set([...near.flatMap((part) => [...part.keys]), ...keys]),
    };
    parts = [...parts.filter((part) => !near.includes(part)), joined];
  }
  return parts.map((part) => ids.filter((id) => part.ids.includes(id)));
}

/** A part by how its tests fail, else by the lines they ran. */
function splitOf(part: Group, groups: readonly Group[], reach: Reach): Group[] {
  const kinds = new Map(groups.flatMap((group, at) => group.map((id) => [id, `alike ${at}`] as const)));
  const byKind = partition(part, (id) => kinds.get(id) ?? '');
  if (byKind.length > 1) return byKind;
  return partition(part, (id) =>
    JSON.stringify(reach.paths(id).map((path) => [path, ...reach.lines(id, path)])),
  );
}

function partition(ids: readonly string[], keyOf: (id: string) => string): Group[] {
  const parts = new Map<string, string[]>();
  for (const id of ids) {
    const key = keyOf(id);
    const part = parts.get(key);
    if (part === undefined) parts.set(key, [id]);
    else part.push(id);
  }
  return [...parts.values()];
}
