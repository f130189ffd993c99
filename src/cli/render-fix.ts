import type { RepairResult, Report } from '../core/index.ts';
import { enforcementLine } from '../lab/index.ts';
import type { RepairState } from '../loop/index.ts';
import { printable } from '../sandbox/index.ts';
import { isScrubbed } from '../store/index.ts';
import { describeRed } from './describe-report.ts';
import { describeSpent } from './describe-spent.ts';
import { inert, oneLine } from './one-line.ts';
import { statusLabel } from './status-label.ts';
import type { Terminal } from './terminal.ts';
import { wrapRow } from './wrap-row.ts';

export type RenderOptions = {
  terminal: Terminal;
  /** The patch has been written to the user's files. */
  written: boolean;
  standing: Standing;
  /** The run has no end yet and can go on. */
  resumable: boolean;
  /** What to do now. */
  next: readonly string[];
};

/** What the tests came to without a patch, and with the one of the result; null where none ran. */
export type Standing = { before: Report | null; now: Report | null };

export const standingOf = ({ best, baseline }: Pick<RepairState, 'best' | 'baseline'>): Standing => ({
  before: baseline,
  now: best?.report ?? baseline,
});

/** Columns of the name of a row and the space behind it. */
const indent = 9;

/** The result of `assay fix` as a person reads it: the verdict, the patch, why, and what to do now. */
export function renderFix(result: RepairResult, options: RenderOptions): string {
  const { terminal } = options;
  const { label, style } = statusLabel(result, options);
  const wrap = (text: string, by: number) => wrapRow(text, { columns: terminal.wrapAt, indent: by });
  const lines = [wrap(`${terminal.paint([style, 'bold'], label)}: ${oneLine(result.reason)}`, 2)];
  if (result.patch !== null) {
    if (result.bestEffort) lines.push('', 'The best patch so far (it does not make everything pass):');
    lines.push('', paintDiff(inert(printable(result.patch.trimEnd())), terminal), '');
  }
  const row = (name: string, text: string) =>
    lines.push(wrap(`${terminal.paint('dim', name.padEnd(indent - 1))} ${oneLine(text)}`, indent));
  if (result.motivation !== null) row('why', result.motivation);
  if (result.tests !== null) row('tests', testsLine(result, options.standing));
  if (result.holdout !== null) row('held out', `${result.holdout.passed} of ${result.holdout.total} passed`);
  if (result.tests !== null) row('spent', spentLine(result));
  if (result.alternatives.length > 0)
    row('others', `${others(result.alternatives.length)}: assay show ${result.run} --alternatives`);
  if (result.enforcement !== null) row('sandbox', enforcementLine(result.enforcement));
  for (const warning of result.warnings) row('warning', warning);
  row('run', result.dir);
  const undo =
    result.patch !== null && isScrubbed(result.patch)
      ? 'the patch is in your files; a secret stands in its lines, so only you can take it out again'
      : `the patch is in your files; assay apply ${result.run} --undo takes it out again`;
  for (const step of options.written ? [undo] : options.next) row('next', step);
  return lines.join('\n');
}

/** The same in a sentence, for stderr where stdout carries something for programs. */
export function summariseFix(
  result: RepairResult,
  { resumable, next }: Pick<RenderOptions, 'resumable' | 'next'>,
): string {
  const { label } = statusLabel(result, { resumable });
  const fix = result.fix === null ? [] : [`  fix: ${oneLine(result.fix)}`];
  const steps = next.filter((step) => step !== result.fix).map((step) => `  next: ${oneLine(step)}`);
  return [`${label}: ${oneLine(result.reason)}`, ...fix, ...steps].join('\n');
}

function testsLine({ tests, flaky, patch }: RepairResult, { before, now }: Standing): string {
  if (tests === null) return 'none ran';
  const parts = tests.total === 0 ? [] : [`${tests.passed} of ${tests.total} passed`];
  const red = now === null ? null : describeRed(now, flaky);
  if (red !== null) parts.push(red);
  if (tests.skipped > 0) parts.push(`${tests.skipped} skipped`);
  const was = patch === null || before === null ? null : describeRed(before, flaky);
  if (was !== null) parts.push(`${was} before`);
  if (flaky.length > 0) parts.push(`${flaky.length} flaky, left out`);
  return parts.length === 0 ? 'none was found' : parts.join(', ');
}

function spentLine({ rounds, usage }: RepairResult): string {
  const parts = [`${rounds} ${rounds === 1 ? 'round' : 'rounds'}`, `${(usage.wallMs / 1000).toFixed(1)} s`];
  if (usage.candidates > 0)
    parts.push(`${usage.candidates} ${usage.candidates === 1 ? 'candidate' : 'candidates'}`);
  if (usage.tokens > 0 || usage.costUsd !== 0) parts.push(describeSpent(usage));
  return parts.join(', ');
}

const others = (count: number) =>
  count === 1 ? '1 other patch passes too' : `${count} other patches pass too`;

/** Colours a unified diff's lines. */
export function paintDiff(diff: string, terminal: Terminal): string {
  return diff
    .split('\n')
    .map((line) => {
      if (/^(diff|index|---|\+\+\+|rename|similarity|new file|deleted|old mode|new mode)/.test(line))
        return terminal.paint('bold', line);
      if (line.startsWith('@@')) return terminal.paint('cyan', line);
      if (line.startsWith('+')) return terminal.paint('green', line);
      if (line.startsWith('-')) return terminal.paint('red', line);
      return line;
    })
    .join('\n');
}
