import type { Failure, Report, TestResult } from '../core/index.ts';

/** Characters kept of each long text of a report in the journal; the whole report is an artifact. */
const excerptChars = 16 * 1024;

/** The head and the tail of a long text, with the number of characters left out between them. */
export function headAndTail(text: string, maxChars = excerptChars): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  // A cut between the halves of a surrogate pair would leave text that is not well-formed.
  return `${text.slice(0, half)}\n[... ${text.length - 2 * half} characters left out ...]\n${text.slice(-half)}`.toWellFormed();
}

/** A report for the journal: passing tests carry no output, long texts their head and tail. */
export function excerptOf(report: Report): Report {
  return {
    ...report,
    tests: report.tests.map(excerptOfTest),
    problems: report.problems.map((problem) => ({ ...problem, ...excerptOfFailure(problem) })),
    output: {
      stdout: headAndTail(report.output.stdout),
      stderr: headAndTail(report.output.stderr),
      truncated: report.output.truncated,
    },
  };
}

function excerptOfTest(test: TestResult): TestResult {
  const quiet = test.status === 'passed' || test.status === 'skipped';
  return {
    ...test,
    stdout: quiet ? '' : headAndTail(test.stdout),
    stderr: quiet ? '' : headAndTail(test.stderr),
    failure: test.failure === null ? null : excerptOfFailure(test.failure),
  };
}

const excerptOfFailure = (failure: Failure): Failure => ({
  type: failure.type,
  message: headAndTail(failure.message),
  trace: headAndTail(failure.trace),
  frames: failure.frames.slice(0, 100),
});
