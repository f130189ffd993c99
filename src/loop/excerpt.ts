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

/** Characters of failing tests' traces and output in one report; beyond them each keeps a little only. */
const roomChars = 1024 * 1024;
const littleChars = 512;

/**
 * A report for the journal: passing tests carry no output, long texts their head and tail, and of thousands of
 * failing tests the first ones are told in full.
 */
export function excerptOf(report: Report): Report {
  let room = roomChars;
  const tests = report.tests.map((test) => {
    const excerpt = excerptOfTest(test, room > 0 ? excerptChars : littleChars);
    room -= excerpt.stdout.length + excerpt.stderr.length;
    room -= (excerpt.failure?.trace.length ?? 0) + (excerpt.failure?.message.length ?? 0);
    return excerpt;
  });
  return {
    ...report,
    tests,
    problems: report.problems.map((problem) => ({ ...problem, ...excerptOfFailure(problem, excerptChars) })),
    output: {
      stdout: headAndTail(report.output.stdout),
      stderr: headAndTail(report.output.stderr),
      truncated: report.output.truncated,
    },
  };
}

function excerptOfTest(test: TestResult, maxChars: number): TestResult {
  const quiet = test.status === 'passed' || test.status === 'skipped';
  return {
    ...test,
    stdout: quiet ? '' : headAndTail(test.stdout, maxChars),
    stderr: quiet ? '' : headAndTail(test.stderr, maxChars),
    failure: test.failure === null ? null : excerptOfFailure(test.failure, maxChars),
  };
}

const excerptOfFailure = (failure: Failure, maxChars: number): Failure => ({
  type: failure.type,
  message: headAndTail(failure.message, maxChars),
  trace: headAndTail(failure.trace, maxChars),
  frames: failure.frames.slice(0, 100),
});
