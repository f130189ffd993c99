import type { Failure, Report, TestStatus } from '../../core/index.ts';

/** One line of an exported report: a test, or something that must not be lost on a reader who only counts failures. */
export type Row = {
  id: string;
  /** The id without its leading file. Never empty. */
  name: string;
  file: string;
  line: number | null;
  /** `missing`: expected and never seen · `problem`: outside any test · `verdict`: red though every test looks green. */
  status: TestStatus | 'missing' | 'problem' | 'verdict';
  durationMs: number;
  failure: Pick<Failure, 'type' | 'message' | 'trace'> | null;
  skipReason: string | null;
  stdout: string;
  stderr: string;
};

/**
 * The rows of a report. Readers of JUnit and CTRF decide by counting failures, so what keeps a report from `passed`
 * (a missing test, a syntax error, tampering, a timeout) is a failing row of its own.
 */
export function reportRows(report: Report): Row[] {
  const rows: Row[] = report.tests.map((test) => ({
    ...test,
    name: displayName(test.id, test.file),
    failure: test.failure,
  }));
  for (const problem of report.problems) {
    rows.push(syntheticRow('problem', problem.file || report.framework, problem.file, problem));
  }
  for (const id of report.integrity.missing) {
    const message = 'expected, and never reported';
    rows.push(syntheticRow('missing', id, '', { type: 'missing', message, trace: '' }));
  }
  if (report.verdict !== 'passed' && !rows.some(isRed)) {
    const failure = { type: report.verdict, message: report.reason, trace: '' };
    rows.push(syntheticRow('verdict', `assay verdict: ${report.verdict}`, '', failure));
  }
  return rows;
}

/** True for a row that a reader must count as a failure. */
export function isRed(row: Row): boolean {
  switch (row.status) {
    case 'failed':
    case 'error':
    case 'missing':
    case 'problem':
    case 'verdict':
      return true;
    case 'passed':
    case 'skipped':
    case 'xfailed':
    case 'xpassed':
      return false;
  }
}

function syntheticRow(
  status: Row['status'],
  id: string,
  file: string,
  failure: Pick<Failure, 'type' | 'message' | 'trace'>,
): Row {
  return {
    id,
    name: id || '(unnamed)',
    file,
    line: null,
    status,
    durationMs: 0,
    failure: { type: failure.type, message: failure.message, trace: failure.trace },
    skipReason: null,
    stdout: '',
    stderr: '',
  };
}

/** The id without its leading file and separator; the whole id where it does not start so. Never empty. */
export function displayName(id: string, file: string): string {
  const rest = file !== '' && id.startsWith(file) ? id.slice(file.length) : '';
  return rest.replace(/^(::| > )/, '') || id || '(unnamed)';
}
