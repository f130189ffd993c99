import type { Report, TestResult } from '../../../core/index.ts';
import type { Feedback } from '../../types.ts';
import type { Fence } from './fence.ts';
import { once, type Piece } from './pieces.ts';
import { countOf, headAndTail, headOf, oneLine } from './texts.ts';

/** How the texts of others are made fit to be sent. */
export type Telling = { fence: Fence; clean: (text: string) => string };

/** Most groups and problems that are told with a stack trace; of the rest every test has its line. */
const maxDetails = 100;
/** Characters of a trace told at first, and when room is short. */
const traceChars = [6000, 2000, 600] as const;
const outputChars = 2000;
const messageChars = 160;

/** Failing tests whose ids begin alike; an id is `prefix` and `name` together. */
export type Listed = {
  prefix: string;
  tests: { test: TestResult; name: string; group: number; alike: boolean }[];
};

/** The failing tests of a feedback, in groups that fail alike, the largest first. */
export function groupsOf({ failing, groups }: Pick<Feedback, 'failing' | 'groups'>): TestResult[][] {
  const byId = new Map(failing.map((test) => [test.id, test]));
  const alike = (groups ?? alikeIds(failing)).map((ids) =>
    ids.flatMap((id) => {
      const test = byId.get(id);
      byId.delete(id);
      return test === undefined ? [] : [test];
    }),
  );
  return [...alike.filter((group) => group.length > 0), ...[...byId.values()].map((test) => [test])];
}

function alikeIds(failing: readonly TestResult[]): string[][] {
  const kinds = Map.groupBy(failing, ({ failure }) => JSON.stringify([failure?.type, failure?.message]));
  return [...kinds.values()]
    .map((tests) => tests.map(({ id }) => id))
    .toSorted((a, b) => b.length - a.length);
}

/** The first test of each group with its stack trace. */
export function detailPieces(groups: readonly TestResult[][], telling: Telling): Piece[] {
  return groups.slice(0, maxDetails).flatMap((group, index) => {
    const [test] = group;
    if (test === undefined) return [];
    const alike = group.length === 1 ? '1 test fails' : `${group.length} tests fail alike; the first`;
    const heading = `### Group ${index + 1}: ${alike}\n`;
    return [
      {
        section: 'details',
        name: 'a stack trace',
        modest: 2,
        forms: [
          once(() => heading + traceBlock(test, telling, null) + outputBlock(test, telling)),
          once(() => heading + traceBlock(test, telling, null)),
          ...traceChars.map((chars) => once(() => heading + traceBlock(test, telling, chars))),
        ],
      } satisfies Piece,
    ];
  });
}

function traceBlock(test: TestResult, { fence, clean }: Telling, maxChars: number | null): string {
  const { failure } = test;
  const label = `what ${clean(test.id)} failed with`;
  if (failure === null) return fence.block(label, 'no message, no trace');
  const said = failure.type === '' ? failure.message : `${failure.type}: ${failure.message}`;
  // Frameworks print the message into the trace, its further lines often indented.
  const [first = ''] = failure.message.trim().split('\n', 1);
  const text = clean(failure.trace.includes(first) ? failure.trace || said : `${said}\n${failure.trace}`);
  return fence.block(label, maxChars === null ? text : headAndTail(text, maxChars));
}

function outputBlock(test: TestResult, { fence, clean }: Telling): string {
  return (['stdout', 'stderr'] as const)
    .filter((stream) => test[stream].trim() !== '')
    .map((stream) =>
      fence.block(`${stream} of ${clean(test.id)}`, headAndTail(clean(test[stream]), outputChars)),
    )
    .join('');
}

/** What the runner printed, where the run did not come to its end by itself: a hang, a crash, a limit. */
export function outputPieces({ verdict, output }: Report, { fence, clean }: Telling): Piece[] {
  if (verdict === 'failed' || verdict === 'passed') return [];
  return (['stdout', 'stderr'] as const).flatMap((stream) => {
    if (output[stream].trim() === '') return [];
    const text = once(() => clean(output[stream]));
    const block = (maxChars: number) =>
      once(() => fence.block(`${stream} of the run`, headAndTail(text(), maxChars)));
    return [
      {
        section: 'problems',
        name: `${stream} of the run`,
        forms: [block(4000), block(1000)],
      } satisfies Piece,
    ];
  });
}

/** What went wrong outside any test. */
export function problemPieces(problems: Report['problems'], { fence, clean }: Telling): Piece[] {
  return problems.slice(0, maxDetails).map((problem) => {
    const text = once(() =>
      clean(problem.trace === '' ? `${problem.type}: ${problem.message}` : problem.trace),
    );
    const block = (maxChars: number | null) => () =>
      fence.block(
        `outside any test, in ${clean(problem.file)}`,
        maxChars === null ? text() : headAndTail(text(), maxChars),
      );
    return {
      section: 'problems',
      name: 'a problem outside any test',
      modest: 1,
      forms: [once(block(null)), ...traceChars.map((chars) => once(block(chars)))],
    } satisfies Piece;
  });
}

/**
 * Every failing test, by what its id begins with: its file, its class, its function where it has parameters. Said
 * once for all of them, so that thousands of names take little room.
 */
export function listFailing(groups: readonly TestResult[][], clean: (text: string) => string): Listed[] {
  const tests = groups.flatMap((group, index) =>
    group.map((test, at) => ({ test, group: index + 1, alike: at > 0 && saysAs(test, group[0]) })),
  );
  const ids = cleanAll(
    tests.map(({ test }) => oneLine(test.id)),
    clean,
  );
  const functions = countBy(ids, functionOf);
  const lists = new Map<string, Listed>();
  for (const [index, { test, group, alike }] of tests.entries()) {
    const id = ids[index] ?? '';
    const own = functionOf(id);
    const prefix = own !== id && (functions.get(own) ?? 0) > 1 ? own : holderOf(own);
    const list = lists.get(prefix) ?? { prefix, tests: [] };
    list.tests.push({ test, name: id.slice(prefix.length), group, alike });
    lists.set(prefix, list);
  }
  return [...lists.values()].toSorted((a, b) => (a.prefix < b.prefix ? -1 : 1));
}

/** An id without its parameters. */
const functionOf = (id: string): string => {
  const at = id.indexOf('[');
  return at > 0 && id.endsWith(']') ? id.slice(0, at) : id;
};

/** What holds a test, up to the separator its framework writes: `a.py::Case::`, `a.test.js > suite > `, `pkg.Case.`. */
function holderOf(id: string): string {
  for (const separator of ['::', ' > ', '.']) {
    const at = id.lastIndexOf(separator);
    const end = at + separator.length;
    if (at > 0 && end < id.length) return id.slice(0, end);
  }
  return '';
}

function countBy(texts: readonly string[], key: (text: string) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(key(text), (counts.get(key(text)) ?? 0) + 1);
  return counts;
}

/** Cleans many lines at the price of one text. */
function cleanAll(lines: readonly string[], clean: (text: string) => string): string[] {
  const together = clean(lines.join('\n')).split('\n');
  // A secret that seems to go over several lines: each by itself then.
  return together.length === lines.length ? together : lines.map(clean);
}

const listHeader = ({ prefix, tests }: Listed) => `${prefix} (${tests.length} failing)\n`;

/** The list of all failing tests with their names only. */
export function listChars(lists: readonly Listed[]): number {
  return lists.reduce(
    (sum, list) =>
      list.tests.reduce((inner, { name }) => inner + name.length + 1, sum + listHeader(list).length),
    0,
  );
}

/**
 * The list of all failing tests; the first ones that `room` has space for with what they failed with.
 * @returns at most `listChars(lists) + room` characters
 */
export function listOf(
  lists: readonly Listed[],
  { room, clean }: { room: number; clean: (text: string) => string },
): string {
  let left = room;
  const lines = lists.flatMap((list) => [
    listHeader(list),
    ...list.tests.map(({ test, name, group, alike }) => {
      if (left < messageChars / 4) return `${name}\n`;
      const message = `  [group ${group}]${alike ? '' : ` ${saidBy(test, clean)}`}`;
      if (message.length > left) return `${name}\n`;
      left -= message.length;
      return `${name}${message}\n`;
    }),
  ]);
  return lines.join('');
}

function saysAs({ failure }: TestResult, other: TestResult | undefined): boolean {
  return failure?.type === other?.failure?.type && failure?.message === other?.failure?.message;
}

function saidBy({ failure }: TestResult, clean: (text: string) => string): string {
  if (failure === null) return 'failed without a message';
  const first = failure.message.trimStart().slice(0, 4 * messageChars);
  const said = headOf(clean(first.split('\n', 1)[0] ?? ''), messageChars);
  return failure.type === '' || said.startsWith(failure.type) ? said : `${failure.type}: ${said}`;
}

const maxSkipped = 20;

/** How the run ended, in the lab's own words, which may hold names; and what it skips since the patch. */
export function endingOf({ verdict, reason, integrity }: Report, { fence, clean }: Telling): string {
  const skipped = integrity.newlySkipped;
  const named = skipped
    .slice(0, maxSkipped)
    .map((id) => `\nskipped, and was not before: ${headOf(clean(id), 200)}`);
  const more = skipped.length > maxSkipped ? `\nand ${skipped.length - maxSkipped} more` : '';
  return fence.block(
    `how the run ended (${verdict})`,
    headAndTail(clean(reason), 1000) + named.join('') + more,
  );
}

/** How much is red, in a sentence. */
export function standingOf(feedback: Feedback, groups: readonly unknown[]): string {
  const { report, failing } = feedback;
  const { total, passed } = report.summary;
  const what = `${countOf(failing.length, 'test')} ${failing.length === 1 ? 'fails' : 'fail'} in ${countOf(groups.length, 'way')}; ${passed} of ${total} pass.`;
  const problems = report.problems.length;
  return problems === 0 ? what : `${what} ${countOf(problems, 'problem')} outside any test.`;
}
