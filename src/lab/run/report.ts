import type { Captured, Report, Summary, TestResult } from '../../core/index.ts';
import type { LabJob } from '../types.ts';
import { isFailing, type Judgement } from '../verdict.ts';
import type { Execution } from './execute.ts';
import { copiedLiterals } from './literals.ts';
import { networkHint } from './network-hint.ts';
import { namedTestFiles, suspicions } from './suspicion.ts';
import { changedTestData } from './test-data.ts';

/** The lab's structured result, from what was seen and what was made of it. Pure. */
export function makeReport(options: {
  job: LabJob;
  execution: Execution;
  judgement: Judgement;
  startedAt: Date;
  /** Files with tests, for what a patch may have copied from them. */
  testFiles: readonly string[];
}): Report {
  const { job, execution, judgement, startedAt } = options;
  const { outcome, received, command } = execution;
  return {
    schema: 'assay-report/1',
    verdict: judgement.verdict,
    reason: judgement.reason,
    framework: job.project.framework,
    judge: 'hardened',
    command,
    summary: summarize(received.tests),
    tests: received.tests,
    problems: received.problems,
    integrity: judgement.integrity,
    exit: { reason: outcome.reason, code: outcome.exitCode, signal: outcome.signal },
    output: {
      stdout: textOf(outcome.stdout),
      stderr: textOf(outcome.stderr),
      truncated: outcome.stdout.truncated || outcome.stderr.truncated,
    },
    startedAt: startedAt.toISOString(),
    usage: outcome.usage,
    enforcement: outcome.enforcement,
    warnings: warningsOf(options),
  };
}

function summarize(tests: readonly TestResult[]): Summary {
  const count = (...statuses: TestResult['status'][]) =>
    tests.filter((test) => statuses.includes(test.status)).length;
  return {
    total: tests.length,
    passed: count('passed', 'xpassed', 'xfailed'),
    failed: count('failed', 'error'),
    skipped: count('skipped'),
  };
}

function warningsOf({ job, execution, judgement, testFiles }: Parameters<typeof makeReport>[0]): string[] {
  const { received, outcome } = execution;
  const failures = [
    ...received.tests.flatMap(({ id, failure }) => (failure === null ? [] : [{ name: id, failure }])),
    ...received.problems.map((problem) => ({ name: problem.file || 'the runner', failure: problem })),
  ];
  const network = networkHint(failures);
  const visible = new Set(job.project.files);
  // A word on a held-out file would say that a guess at its name was right.
  const isVisible = (file: string) => visible.has(file);
  const { grown, unjudged } = judgement.comparison;
  const announced = received.announcedExit;
  return [
    ...job.project.warnings,
    ...received.notes,
    ...(network === null ? [] : [network]),
    ...suspicions(job.changes),
    ...namedTestFiles(job.changes, testFiles.filter(isVisible)),
    ...copiedLiterals(job.project, job.changes, testFiles),
    ...changedTestData(job.project, job.changes, testFiles),
    ...(grown.length > 0
      ? [`${grown.length} tests are new beside the expected ones, the first is ${grown[0]}`]
      : []),
    ...(unjudged.some(isFailing)
      ? [`${unjudged.filter(isFailing).length} failing tests are left out of the verdict`]
      : []),
    ...(announced !== null && outcome.exitCode !== null && announced !== outcome.exitCode
      ? [`the runner announced exit code ${announced}, the process ended with ${outcome.exitCode}`]
      : []),
  ];
}

function textOf({ head, tail, truncated, totalBytes }: Captured): string {
  return truncated ? `${head}\n[... output of ${totalBytes} bytes cut ...]\n${tail}` : head + tail;
}
