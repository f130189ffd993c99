import type { RepairResult } from '../core/index.ts';
import { enforcementLine } from '../lab/index.ts';
import { printable } from '../sandbox/index.ts';
import { describeSpent } from './describe-spent.ts';
import type { Terminal } from './terminal.ts';

type Headline = { label: string; style: 'green' | 'yellow' | 'red' };
const headlines: Record<string, Headline> = {
  done: { label: 'done', style: 'green' },
  already_green: { label: 'already green', style: 'green' },
  stuck: { label: 'stuck', style: 'yellow' },
  budget_exhausted: { label: 'budget exhausted', style: 'yellow' },
  unpatchable: { label: 'unpatchable', style: 'yellow' },
  tampered: { label: 'tampered', style: 'red' },
  environment_error: { label: 'cannot run the tests', style: 'red' },
  running: { label: 'running', style: 'yellow' },
  aborted: { label: 'stopped', style: 'yellow' },
  error: { label: 'error', style: 'red' },
};

export type RenderOptions = {
  terminal: Terminal;
  /** The patch has been written to the user's files. */
  written: boolean;
  /** Tests that failed without a patch, where that is known. */
  before: number | null;
  /** The run has no end yet and can go on. */
  resumable: boolean;
  /** More that could be done now. */
  advice: readonly string[];
};

/** The result of `assay fix` as a person reads it: the verdict, the patch, why, and what to do now. */
export function renderFix(result: RepairResult, options: RenderOptions): string {
  const { terminal } = options;
  const { label, style } = headlineOf(result, options);
  const lines = [`${terminal.paint([style, 'bold'], label)}: ${printable(result.reason)}`];
  if (result.patch !== null) {
    if (result.bestEffort) lines.push('', 'The best patch so far (it does not make everything pass):');
    lines.push('', paintDiff(printable(result.patch.trimEnd()), terminal), '');
  }
  const row = (name: string, text: string) =>
    lines.push(`${terminal.paint('dim', name.padEnd(8))} ${printable(text)}`);
  if (result.motivation !== null) row('why', result.motivation);
  if (result.tests !== null) row('tests', testsLine(result, options.before));
  if (result.holdout !== null) row('held out', `${result.holdout.passed} of ${result.holdout.total} passed`);
  if (result.tests !== null) row('spent', spentLine(result));
  if (result.alternatives.length > 0)
    row('others', `${others(result.alternatives.length)}: assay show ${result.run} --alternatives`);
  if (result.enforcement !== null) row('sandbox', enforcementLine(result.enforcement));
  for (const warning of result.warnings) row('warning', warning);
  row('run', result.dir);
  for (const step of [...nextSteps(result, options.written), ...options.advice]) row('next', step);
  return lines.join('\n');
}

/** The same in a sentence, for stderr where stdout carries something for programs. */
export function summariseFix(
  result: RepairResult,
  options: Pick<RenderOptions, 'resumable' | 'advice'>,
): string {
  const { label } = headlineOf(result, options);
  const fix = result.fix === null ? [] : [`  fix: ${printable(result.fix)}`];
  const next = options.advice.map((step) => `  next: ${printable(step)}`);
  return [`${label}: ${printable(result.reason)}`, ...fix, ...next].join('\n');
}

function headlineOf({ status }: RepairResult, { resumable }: Pick<RenderOptions, 'resumable'>): Headline {
  // What can go on by itself waits for a model: everything else that the tests lack is an end.
  if (status === 'environment_error' && resumable) return { label: 'waiting for a model', style: 'yellow' };
  return headlines[status] ?? { label: status, style: 'red' };
}

function testsLine({ tests, flaky }: RepairResult, before: number | null): string {
  if (tests === null) return 'none ran';
  const parts = [`${tests.passed} of ${tests.total} passed`];
  if (tests.failed > 0) parts.push(`${tests.failed} failed`);
  if (tests.skipped > 0) parts.push(`${tests.skipped} skipped`);
  if (before !== null) parts.push(`${before} failed before`);
  if (flaky.length > 0) parts.push(`${flaky.length} flaky, left out`);
  return parts.join(', ');
}

function spentLine({ rounds, usage }: RepairResult): string {
  const parts = [`${rounds} ${rounds === 1 ? 'round' : 'rounds'}`, `${(usage.wallMs / 1000).toFixed(1)} s`];
  if (usage.candidates > 0)
    parts.push(`${usage.candidates} ${usage.candidates === 1 ? 'candidate' : 'candidates'}`);
  if (usage.tokens > 0 || usage.costUsd !== 0) parts.push(describeSpent(usage));
  return parts.join(', ');
}

function nextSteps({ status, run, patch, fix }: RepairResult, written: boolean): string[] {
  if (written) return [`the patch is in your files; assay apply ${run} --undo takes it out again`];
  switch (status) {
    case 'done':
      return [`assay apply ${run} writes the patch to your files`];
    // The sentence of a stopped run says how to go on.
    case 'already_green':
    case 'aborted':
    case 'running':
      return [];
    case 'budget_exhausted':
      return [`give it more (--rounds, --timeout, --max-cost) and run it again`, ...best(patch, run)];
    case 'stuck':
    case 'unpatchable':
      return [
        'another proposer (--model), a --task that says what is meant, or a look at the failing tests',
        ...best(patch, run),
      ];
    default:
      return [fix ?? `assay show ${run} shows every step`, ...best(patch, run)];
  }
}

const best = (patch: string | null, run: string) =>
  patch === null
    ? []
    : [`assay show ${run} --patch prints the best patch; assay apply refuses it without --force`];

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
