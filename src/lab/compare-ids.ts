import type { TestResult } from '../core/index.ts';
import type { Expected } from './types.ts';

export type Comparison = {
  /** Expected, or collected by this run, and never seen to finish. */
  missing: string[];
  /** Seen, and neither expected nor a further parameter set of an expected test. */
  extra: string[];
  /** Seen, not expected, but a parameter set of a known test or a test of a file that could not be collected before. */
  grown: string[];
  newlySkipped: string[];
  /** The tests the verdict rests on. */
  judged: TestResult[];
  /** The others: ignored ones, and those a given list leaves out. */
  unjudged: TestResult[];
};

/** Holds what a run showed against what it had to show. Pure. */
export function compareIds(options: {
  expected: Expected;
  /** Ids this run says it collected. */
  collected: readonly string[];
  tests: readonly TestResult[];
  ignore: ReadonlySet<string>;
  /** The run carries a patch: a skip that the original does not have is new. */
  patched: boolean;
}): Comparison {
  const { expected, tests, ignore } = options;
  const known = new Set(expected.ids);
  const bases = new Set(expected.ids.map(baseOf));
  const uncollected = new Set((expected.partial ?? []).map((partial) => partial.file));
  const grows = (test: TestResult) => bases.has(baseOf(test.id)) || uncollected.has(test.file);
  const partOfList = expected.source === 'given';
  const open = expected.source === 'trusted' || expected.source === 'unknown' || expected.source === 'static';
  const isJudged = (id: string) => !ignore.has(id) && (!partOfList || known.has(id));
  const judged = tests.filter((test) => isJudged(test.id));
  const unexpected = tests.filter((test) => !known.has(test.id));
  const foreign = open || partOfList ? [] : unexpected.filter((test) => !grows(test));
  return {
    missing: missingIds(options, known).filter((id) => !ignore.has(id)),
    extra: foreign.map((test) => test.id),
    grown: unexpected.filter(grows).map((test) => test.id),
    newlySkipped: options.patched ? newlySkipped(expected, judged) : [],
    judged,
    unjudged: tests.filter((test) => !isJudged(test.id)),
  };
}

function missingIds(
  options: { expected: Expected; collected: readonly string[]; tests: readonly TestResult[] },
  known: ReadonlySet<string>,
): string[] {
  const { expected, collected, tests } = options;
  const seen = new Set(tests.map((test) => test.id));
  const seenBases = new Set(tests.map((test) => baseOf(test.id)));
  const byText = (expected.partial ?? []).flatMap((partial) => partial.ids);
  const announced = expected.source === 'given' ? [] : collected.filter((id) => !known.has(id));
  return [
    ...expected.ids.filter((id) => !seen.has(id)),
    ...byText.filter((id) => !seen.has(id) && !seenBases.has(id)),
    ...announced.filter((id) => !seen.has(id)),
  ];
}

function newlySkipped(expected: Expected, judged: readonly TestResult[]): string[] {
  const skipped = new Set(expected.skipped);
  const xfailed = new Set(expected.xfailed ?? []);
  return judged
    .filter(
      ({ id, status }) =>
        (status === 'skipped' && !skipped.has(id)) || (status === 'xfailed' && !xfailed.has(id)),
    )
    .map((test) => test.id);
}

/**
 * An id without its parameters and without the number of a repeated id: `a.py::test_b[1-x]` and `a.py::test_b#2`
 * are both `a.py::test_b`. Ids of frameworks without parameters come back as they are.
 */
export function baseOf(id: string): string {
  const unnumbered = id.replace(/#\d+$/, '');
  if (!unnumbered.endsWith(']')) return unnumbered;
  const name = unnumbered.indexOf('::');
  const bracket = name === -1 ? -1 : unnumbered.indexOf('[', name);
  return bracket === -1 ? unnumbered : unnumbered.slice(0, bracket);
}
