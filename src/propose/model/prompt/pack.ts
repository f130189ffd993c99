import type { Feedback } from '../../types.ts';
import { charactersIn, estimateTokens } from './estimate.ts';
import {
  detailPieces,
  endingOf,
  groupsOf,
  listChars,
  listFailing,
  listOf,
  outputPieces,
  problemPieces,
  standingOf,
  type Telling,
} from './failures.ts';
import { type Fence, fenceFor } from './fence.ts';
import { attemptPieces, diffPieces, refusalPieces } from './history.ts';
import {
  allotRest,
  allotShares,
  allotShortest,
  type Chosen,
  growthOf,
  once,
  type Piece,
  type Section,
} from './pieces.ts';
import { type Source, sourcePiece } from './sources.ts';
import { countOf, headAndTail, headOf } from './texts.ts';

export type PackOptions = {
  feedback: Feedback;
  /** The files that may be shown, the ones that matter most first. */
  sources: readonly Source[];
  /** Paths of all files of the project; none where `sources` holds all that matters. */
  files: readonly string[];
  /** Most tokens of the text, by `estimateTokens`. */
  budgetTokens: number;
  /** Takes secrets out. Applied to every text that is not assay's own, before it is cut. Default: nothing. */
  clean?: (text: string) => string;
};

export type Packed =
  | {
      ok: true;
      text: string;
      fence: Fence;
      /** Project files that are there in full. */
      whole: ReadonlySet<string>;
    }
  /** Not even the names of all failing tests find room. `neededTokens`: the floor. */
  | { ok: false; kind: 'too_small'; neededTokens: number };

/** What the user says is told up to this length at least. */
const taskChars = 4000;
const steeringChars = 1000;
const maxSteering = 10;
const maxFlaky = 50;
/** Room kept for headings and for the line that says what is left out. */
const frameChars = 1600;
/** Of the room that is left, what the messages of failing tests in the list may take. */
const listShare = 1 / 5;
/** And the share in which the pieces after them are told at all. */
const lateShare = 1 / 5;

/**
 * Packs what a model is told of a round into a token budget. Pure: the same input gives the same text.
 *
 * Never left out (the floor): the task and the user's last messages up to a few thousand characters, rounds left,
 * and the name of every failing test. The rest gives way from the end of this list on, and each part is told
 * shorter before it is left out. So what is there has all before it in the list there too, at some length, and a larger
 * budget loses none:
 *
 * 1. the first problem outside any test, and the trace of the largest group of failing tests
 * 2. why the last patch was refused
 * 3. the two files that matter most, the tests of the largest group, the patch so far
 * 4. the next two groups, the last five attempts, three more files
 * 5. the messages in the list of all failing tests (a fixed share of what is left after 1 to 4)
 * 6. the other problems, tests, groups and files; older attempts; the list of the project's files
 */
export function packFeedback(options: PackOptions): Packed {
  const { feedback, sources, files, budgetTokens, clean = (text) => text } = options;
  const fence = fenceFor(textsOf(options));
  const telling: Telling = { fence, clean };
  const groups = groupsOf(feedback);
  const list = listFailing(groups, clean);
  const head = headOfPrompt(feedback, groups, telling);
  const floor = head.length + listChars(list) + frameChars;
  const room = charactersIn(budgetTokens) - floor;
  if (room < 0) return { ok: false, kind: 'too_small', neededTokens: estimateTokens(floor) };
  const pieces = piecesOf({ feedback, sources, files, groups, telling });
  const { early, late } = orderOf(pieces);
  const chosen: Chosen = new Map();
  const first = allotShortest(early, room, chosen);
  const names = listChars(list);
  const full = first.all ? listOf(list, { room: Number.POSITIVE_INFINITY, clean }).length - names : 0;
  const forMessages = Math.min(full, Math.floor(first.left * listShare));
  let left = first.left - forMessages;
  if (first.all) {
    // As much as the early ones cannot use in any case, and a share in every case: both grow with the room.
    const forLate = Math.max(Math.floor(first.left * lateShare), left - growthOf(early));
    left -= forLate - allotShortest(late, forLate, chosen).left;
  }
  const messages = listOf(list, { room: forMessages, clean });
  left += forMessages - (messages.length - names);
  left = allotShares(early, left, chosen);
  left = allotShares(late, left, chosen);
  allotRest([...early, ...late], left, chosen);
  const text = assemble({ head, list: messages, chosen, pieces: Object.values(pieces).flat(), fence });
  return { ok: true, text, fence, whole: wholeIn(chosen) };
}

function* textsOf({ feedback, sources, files }: PackOptions): Iterable<string> {
  for (const { id, failure, stdout, stderr } of feedback.failing) {
    yield `${id}${failure?.message}${failure?.trace}${stdout}${stderr}`;
  }
  yield JSON.stringify([
    feedback.report.problems,
    feedback.attempts,
    feedback.refusals,
    feedback.diff,
    files,
  ]);
  for (const { path, text } of sources) yield path + text;
}

type Pieces = Record<Section | 'others', Piece[]>;

function piecesOf(options: {
  feedback: Feedback;
  sources: readonly Source[];
  files: readonly string[];
  groups: ReturnType<typeof groupsOf>;
  telling: Telling;
}): Pieces {
  const { feedback, sources, files, telling, groups } = options;
  const of = (role: Source['role']) =>
    sources.filter((source) => source.role === role).map((source) => sourcePiece(source, telling));
  return {
    refusals: refusalPieces(feedback.refusals, feedback.refused ?? [], telling),
    problems: [
      ...problemPieces(feedback.report.problems, telling),
      ...outputPieces(feedback.report, telling),
    ],
    details: detailPieces(groups, telling),
    attempts: attemptPieces(feedback.attempts, telling),
    diff: diffPieces(feedback.diff, telling),
    tests: of('test'),
    sources: of('code'),
    others: of('other'),
    files: filePieces(files, telling),
  };
}

/** The order in which pieces get room; those of `late` come after the messages in the list of failing tests. */
function orderOf(pieces: Pieces): { early: Piece[]; late: Piece[] } {
  const { refusals, problems, details, attempts, diff, tests, sources, others, files } = pieces;
  return {
    early: [
      ...problems.slice(0, 1),
      ...details.slice(0, 1),
      ...refusals,
      ...sources.slice(0, 2),
      ...tests.slice(0, 1),
      ...diff,
      ...details.slice(1, 3),
      ...attempts.slice(-5),
      ...sources.slice(2, 5),
    ],
    late: [
      ...problems.slice(1),
      ...tests.slice(1),
      ...details.slice(3),
      ...sources.slice(5),
      ...attempts.slice(0, -5).toReversed(),
      ...files,
      ...others,
    ],
  };
}

function filePieces(files: readonly string[], { fence, clean }: Telling): Piece[] {
  if (files.length === 0) return [];
  const block = (maxChars: number) => () => {
    const text = clean(files.map((file) => headOf(file, 200)).join('\n'));
    return fence.block(`${countOf(files.length, 'file')} of the project`, headAndTail(text, maxChars));
  };
  return [
    { section: 'files', name: 'some names of files', forms: [6000, 2000].map((chars) => once(block(chars))) },
  ];
}

function headOfPrompt(feedback: Feedback, groups: readonly unknown[], telling: Telling): string {
  const { clean, fence } = telling;
  const { task, steering, flaky, round, roundsLeft } = feedback;
  const parts = [
    `Round ${round}. ${roundsLeft === 1 ? 'This is the last patch that will be tested' : `${roundsLeft} more patches can be tested`}. ${standingOf(feedback, groups)}\n${endingOf(feedback.report, telling)}`,
  ];
  if (task !== null && task.trim() !== '') parts.push(`## Task\n${headAndTail(clean(task), taskChars)}`);
  const said = steering.slice(-maxSteering).map((text) => `- ${headAndTail(clean(text), steeringChars)}`);
  if (said.length > 0)
    parts.push(`## Messages of the user during the run, the newest last\n${said.join('\n')}`);
  if (flaky.length > 0) {
    const named = flaky.slice(0, maxFlaky).map((id) => headOf(clean(id), 200));
    const more = flaky.length > maxFlaky ? `\nand ${flaky.length - maxFlaky} more` : '';
    const block = fence.block('flaky tests', named.join('\n') + more);
    parts.push(`## Tests that pass and fail by themselves: they do not count\n${block}`);
  }
  return `${parts.map((part) => part.trimEnd()).join('\n\n')}\n`;
}

const headings: Readonly<Record<Section, string>> = {
  refusals: '## The last patch was refused: nothing of it was applied',
  problems: '## Problems outside any test',
  details: '## Failing tests, the largest group first',
  attempts: '## Earlier attempts and what came of them',
  diff: '## The patch so far: it is in the files as they are shown below',
  tests: '## Tests that fail',
  sources: '## Files (lines marked * were run by a failing test)',
  files: '## Names of files',
};

function assemble(options: {
  head: string;
  list: string;
  chosen: Chosen;
  pieces: readonly Piece[];
  fence: Fence;
}): string {
  const { head, list, chosen, pieces, fence } = options;
  const told = (section: Section): string[] => {
    const texts = pieces
      .filter((piece) => piece.section === section)
      .flatMap((piece) => chosen.get(piece) ?? []);
    if (texts.length === 0) return [];
    const text = section === 'attempts' ? fence.block('attempts', texts.join('')) : texts.join('');
    return [`${headings[section]}\n${text}`];
  };
  const all =
    list === ''
      ? []
      : [`## All failing tests\n${fence.block('names of tests, each under what its id begins with', list)}`];
  const parts = [
    head,
    ...told('refusals'),
    ...told('problems'),
    ...told('details'),
    ...all,
    ...told('attempts'),
    ...told('diff'),
    ...told('tests'),
    ...told('sources'),
    ...told('files'),
    leftOut(pieces, chosen),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

const maxNamed = 5;

function leftOut(pieces: readonly Piece[], chosen: Chosen): string {
  const names = pieces.filter((piece) => !chosen.has(piece)).map(({ name }) => headOf(name, 80));
  if (names.length === 0) return '';
  const counted = [...Map.groupBy(names, (name) => name)].map(([name, same]) =>
    same.length === 1 ? name : `${name} (${same.length} times)`,
  );
  const rest = counted.length - maxNamed;
  return `Left out for want of room: ${counted.slice(0, maxNamed).join(', ')}${rest > 0 ? `, and ${countOf(rest, 'more thing')}` : ''}.\n`;
}

function wholeIn(chosen: Chosen): Set<string> {
  return new Set(
    [...chosen].flatMap(([{ wholeFile, forms }, text]) =>
      wholeFile !== undefined && forms[0]?.() === text ? [wholeFile] : [],
    ),
  );
}
