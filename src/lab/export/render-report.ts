import { styleText } from 'node:util';
import type { Failure, Report, TestResult } from '../../core/index.ts';
import { printable } from '../../sandbox/index.ts';
import { enforcementLine } from './enforcement-line.ts';
import { nextStep } from './next-step.ts';

export type RenderOptions = {
  color: boolean;
  /** Columns. Lines of evidence longer than this are cut; ids and paths never are. Default 100. */
  width?: number;
  /** Breaks a row at its spaces, what follows indented by so many columns. Default: rows stay whole. */
  wrap?: (row: string, indent: number) => string;
};

/** Failing tests shown with their trace, and further ones by name only; the rest is counted. */
const shown = { whole: 10, named: 40, messageLines: 8, traceLines: 12, frames: 4, ids: 10 };

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

type Page = {
  paint(style: Style, text: string): string;
  /** Cuts one line of evidence to the width. */
  fit(line: string, indent: number): string;
  /** A named row of one sentence. */
  row(style: Style, name: string, text: string): string;
  /** A sentence. */
  fold(text: string): string;
};

/**
 * The report as text for a person: the verdict first, then what decided it. Everything that came out of the sandbox
 * is made inert: what a test prints or how it is called moves no cursor and sets no title.
 */
export function renderReport(report: Report, options: RenderOptions): string {
  const page = pageOf(options);
  const sections = [
    heading(report, page),
    ...failures(report, page),
    ...problems(report, page),
    lastWords(report, page),
    ...integrity(report, page),
    ...report.warnings.map((warning) => page.row('yellow', 'warning', line(warning))),
    footer(report, page),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function pageOf({ color, width = 100, wrap = (row) => row }: RenderOptions): Page {
  const paint: Page['paint'] = (style, text) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  return {
    paint,
    row: (style, name, text) => wrap(`${paint(style, name.padEnd(7))} ${text}`, 8),
    fold: (text) => wrap(text, 2),
    fit: (text, indent) => {
      const room = Math.max(20, width - indent);
      const characters = [...text];
      return characters.length <= room ? text : `${characters.slice(0, room - 1).join('')}…`;
    },
  };
}

/** Foreign text on one line. */
function line(text: string): string {
  return printable(text).replaceAll('\n', '\\n').replaceAll('\t', ' ');
}

/** Foreign text as lines, with a mark where lines are left out. */
function block(options: { text: string; indent: number; lines: number; page: Page }): string[] {
  const { text, indent, lines, page } = options;
  const all = printable(text)
    .replaceAll('\t', '    ')
    .split('\n')
    .filter((each) => each.trim() !== '');
  const kept = all.slice(0, lines).map((each) => page.fit(each, indent));
  if (all.length > lines) kept.push(`... ${all.length - lines} more lines`);
  return kept.map((each) => ' '.repeat(indent) + each);
}

function heading(report: Report, page: Page): string {
  const { total, passed, failed, skipped } = report.summary;
  const color = report.verdict === 'passed' ? 'green' : report.verdict === 'failed' ? 'red' : 'yellow';
  const missing = report.integrity.missing.length;
  const counts = [
    `${passed} of ${total} passed`,
    failed > 0 ? `${failed} failed` : '',
    skipped > 0 ? `${skipped} skipped` : '',
    missing > 0 ? `${missing} missing` : '',
    line(report.framework),
    `${(report.usage.wallMs / 1000).toFixed(2)} s`,
  ];
  return [
    page.fold(`${page.paint('bold', page.paint(color, report.verdict))}  ${line(report.reason)}`),
    page.paint('dim', counts.filter((count) => count !== '').join(' · ')),
  ].join('\n');
}

function failures(report: Report, page: Page): string[] {
  const failing = report.tests.filter(({ status }) => status === 'failed' || status === 'error');
  const whole = failing.slice(0, shown.whole).map((test) => failingTest(test, page));
  const others = failing.slice(shown.whole);
  if (others.length === 0) return whole;
  const named = others
    .slice(0, shown.named)
    .map((test) => `  ${line(test.id)}  ${page.paint('dim', line(test.failure?.type ?? test.status))}`);
  const more = others.length - named.length;
  const rest = more > 0 ? [`  ... ${more} more`] : [];
  return [...whole, [`${others.length} more failing tests:`, ...named, ...rest].join('\n')];
}

function failingTest(test: TestResult, page: Page): string {
  const title = `${page.paint('red', test.status)} ${page.paint('bold', line(test.id))}`;
  return [title, ...(test.failure === null ? [] : evidence(test.failure, page))].join('\n');
}

/** The message, and the way through the project's own code; where no frame is the project's, the end of the trace. */
function evidence(failure: Failure, page: Page): string[] {
  const head = [failure.type, failure.message].filter((part) => part !== '').join(': ');
  const message = block({ text: head, indent: 2, lines: shown.messageLines, page });
  const frames = failure.frames.filter(({ inProject }) => inProject).slice(-shown.frames);
  if (frames.length === 0) {
    const tail = failure.trace.trimEnd().split('\n').slice(-shown.traceLines).join('\n');
    const repeats = tail === '' || head.includes(tail);
    return repeats
      ? message
      : [...message, ...block({ text: tail, indent: 4, lines: shown.traceLines, page })];
  }
  const places = frames.map(
    (frame) => `  ${page.paint('dim', 'at')} ${line(frame.file)}:${frame.line} in ${line(frame.function)}`,
  );
  return [...message, ...places];
}

function problems(report: Report, page: Page): string[] {
  const whole = report.problems.slice(0, shown.whole).map((problem) => {
    const title = `${page.paint('red', 'problem')} ${page.paint('bold', line(problem.file) || 'the test runner')}`;
    return [title, ...evidence(problem, page)].join('\n');
  });
  const more = report.problems.length - whole.length;
  return more > 0 ? [...whole, `${more} more problems`] : whole;
}

/** The end of what the run printed, where it ended badly and nothing else says why. */
function lastWords({ verdict, problems: known, output }: Report, page: Page): string {
  const endedBadly = ['error', 'timeout', 'oom', 'pids', 'output_limit'].includes(verdict);
  const text = output.stderr.trim() === '' ? output.stdout : output.stderr;
  if (!endedBadly || known.length > 0 || text.trim() === '') return '';
  const tail = text.trimEnd().split('\n').slice(-shown.traceLines).join('\n');
  return [
    page.paint('yellow', 'last printed:'),
    ...block({ text: tail, indent: 2, lines: shown.traceLines, page }),
  ].join('\n');
}

/** What speaks against the result, beside failing tests. */
function integrity({ integrity: facts }: Report, page: Page): string[] {
  const lists = [
    ['missing', facts.missing],
    ['newly skipped', facts.newlySkipped],
    ['reported more than once', facts.duplicates],
    ['not a test of the original project', facts.extra],
    ['protected file changed', facts.changedFiles],
    ['irregular', facts.irregularities],
  ] as const;
  return lists.flatMap(([title, items]) => {
    if (items.length === 0) return [];
    const kept = items.slice(0, shown.ids).map((item) => `  ${line(item)}`);
    const more = items.length - kept.length;
    return [
      [page.paint('yellow', `${title}:`), ...kept, ...(more > 0 ? [`  ... ${more} more`] : [])].join('\n'),
    ];
  });
}

function footer(report: Report, page: Page): string {
  const next = nextStep(report);
  return [
    page.row('dim', 'sandbox', line(enforcementLine(report.enforcement))),
    ...(next === null ? [] : [page.row('bold', 'next', next)]),
  ].join('\n');
}
