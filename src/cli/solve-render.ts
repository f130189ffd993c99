import path from 'node:path';
import type { AnalysisResult } from '../core/index.ts';
import { enforcementLine } from '../lab/index.ts';
import { analysisFiles } from '../loop/index.ts';
import { printable } from '../sandbox/index.ts';
import { describeSpent } from './describe-spent.ts';
import { inert, oneLine } from './one-line.ts';
import { countOf, endWords } from './solve-describe.ts';
import { filesFolder } from './solve-files.ts';
import { nextOfSolve } from './solve-next.ts';
import type { StatusLabel } from './status-label.ts';
import type { Terminal } from './terminal.ts';
import { wrapRow } from './wrap-row.ts';

export type RenderSolveOptions = {
  terminal: Terminal;
  /** The run has no end yet and can go on. */
  resumable: boolean;
};

const labels: Record<string, StatusLabel> = {
  complete: { label: 'complete', style: 'green' },
  checks_failed: { label: 'checks failed', style: 'red' },
  retry_limit: { label: 'retry limit', style: 'yellow' },
  turn_limit: { label: 'turn limit', style: 'yellow' },
  stuck: { label: 'stuck', style: 'yellow' },
  budget_exhausted: { label: 'budget exhausted', style: 'yellow' },
  kernel_lost: { label: 'kernel lost', style: 'red' },
  environment_error: { label: 'waiting', style: 'yellow' },
  running: { label: 'running', style: 'yellow' },
  aborted: { label: 'stopped', style: 'yellow' },
  error: { label: 'error', style: 'red' },
};

/** How a status of an analysis is called wherever people read it. */
export const solveLabel = (status: string): StatusLabel =>
  labels[status] ?? { label: status.replaceAll('_', ' '), style: 'red' };

/** Columns of the name of a row and the space behind it. */
const indent = 9;
/** Artifacts that are listed; `--json` has all. */
const mostListed = 30;

/** The result of `assay solve` as a person reads it: what was found, subtask by subtask, what was made, what to do now. */
export function renderSolve(result: AnalysisResult, options: RenderSolveOptions): string {
  const { terminal } = options;
  const { label, style } = solveLabel(result.status);
  const columns = terminal.wrapAt;
  const lines = [
    wrapRow(`${terminal.paint([style, 'bold'], label)}: ${oneLine(reasonOf(result))}`, { columns, indent }),
  ];
  for (const part of result.subtasks) lines.push('', ...partLines(part, result, terminal));
  lines.push('');
  const row = (name: string, text: string) =>
    lines.push(
      wrapRow(`${terminal.paint('dim', name.padEnd(indent - 1))} ${oneLine(text)}`, { columns, indent }),
    );
  for (const [name, text] of artifactRows(result)) row(name, text);
  if (result.cells > 0) row('notebook', path.join(result.dir, analysisFiles.notebook));
  row('spent', spentLine(result));
  if (result.kernel !== null)
    row(
      'kernel',
      `${result.kernel.implementation}, ${result.kernel.language} ${result.kernel.languageVersion}`,
    );
  if (result.enforcement !== null) row('sandbox', enforcementLine(result.enforcement));
  for (const warning of result.warnings) row('warning', warning);
  row('run', result.dir);
  for (const step of nextOfSolve(result, options)) row('next', step);
  return lines.join('\n');
}

/** The same in a sentence, for stderr where stdout carries something for programs. */
export function summariseSolve(
  result: AnalysisResult,
  options: Pick<RenderSolveOptions, 'resumable'>,
): string {
  const steps = nextOfSolve(result, options).map((step) => `  next: ${oneLine(step)}`);
  return [`${solveLabel(result.status).label}: ${oneLine(reasonOf(result))}`, ...steps].join('\n');
}

/** The label says it already. */
const reasonOf = ({ reason }: AnalysisResult) => reason.replace(/^complete (?=by )/, '');

type Part = AnalysisResult['subtasks'][number];

function partLines(part: Part, { subtasks }: AnalysisResult, terminal: Terminal): string[] {
  const { title, end, turns, cells, failed, summary } = part;
  const number = subtasks.length > 1 ? `${subtasks.indexOf(part) + 1}. ` : '';
  const heading = terminal.paint('bold', oneLine(`${number}${title}`));
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  const how =
    turns === 0 && end === null
      ? 'not begun'
      : `${end === null ? 'not ended' : endWords(end)}; ${countOf(turns, 'turn')}, ${countOf(cells, 'cell')}${failures}`;
  // Told from assay's own rows by its place: outside text begins two columns in.
  const text = inert(printable(summary.trim()))
    .split('\n')
    .map((line) => wrapRow(`  ${line}`, { columns: terminal.wrapAt, indent: 2 }));
  return [`${heading} ${terminal.paint('dim', `(${oneLine(how)})`)}`, ...(summary.trim() === '' ? [] : text)];
}

/** Files by their own names, and how many figures cells have shown. */
function artifactRows({ artifacts, dir }: AnalysisResult): [string, string][] {
  const files = artifacts.flatMap(({ source, bytes, cell }) =>
    source.kind === 'file' ? [`${source.path} (${sizeOf(bytes)}, cell ${cell})`] : [],
  );
  const more = files.length - mostListed;
  const shown = artifacts.filter(
    ({ source, mediaType }) => source.kind !== 'file' && mediaType.startsWith('image/'),
  ).length;
  const rows = files.slice(0, mostListed).map((file): [string, string] => ['made', file]);
  if (more > 0) rows.push(['made', `${countOf(more, 'file')} more`]);
  if (files.length > 0) rows.push(['files', filesFolder(dir)]);
  if (shown > 0) rows.push(['shown', `${countOf(shown, 'figure')}, in the notebook`]);
  return rows;
}

function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 2 ** 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function spentLine({ turns, cells, usage }: AnalysisResult): string {
  const parts = [countOf(turns, 'turn'), countOf(cells, 'cell'), `${(usage.wallMs / 1000).toFixed(1)} s`];
  if (usage.tokens > 0) parts.push(describeSpent(usage));
  return parts.join(', ');
}
