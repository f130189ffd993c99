import type { Integrity, Outcome, TestResult, Verdict } from '../core/index.ts';
import { canariesBehaved, wrongCanary } from './canaries.ts';
import type { Received } from './channel/read-records.ts';
import { type Comparison, compareIds } from './compare-ids.ts';
import type { Canary } from './frameworks/framework.ts';
import type { Expected } from './types.ts';

/** Everything a verdict rests on. */
export type Evidence = {
  outcome: Pick<Outcome, 'reason' | 'exitCode' | 'signal' | 'unavailable'>;
  received: Received;
  expected: Expected;
  canaries: readonly Canary[];
  /** The run carries a patch: skips can be new. */
  patched: boolean;
  ignore: readonly string[];
  /** Protected files whose bytes are not what was laid down, and protected paths the patch tried to change. */
  changedFiles: readonly string[];
  /** What the framework means by an exit code. */
  explainExit: (code: number) => string | null;
};

export type Judgement = {
  verdict: Verdict;
  /** One sentence. */
  reason: string;
  integrity: Integrity;
  comparison: Comparison;
};

type Ruling = { verdict: Verdict; reason: string };

/**
 * The verdict rule (DESIGN.md, lab): `passed` only where every expected id was seen exactly once and passed, none is
 * newly skipped, the closing record came last, the runner exited 0, nothing was killed, the canaries behaved and the
 * protected files are unchanged. Absence is failure. Signs of tampering come before every other explanation but the
 * two in which nothing was judged. Pure.
 */
export function judge(evidence: Evidence): Judgement {
  const { received, expected } = evidence;
  const collected = expected.source === 'trusted' ? { ...expected, ids: received.collected.ids } : expected;
  const comparison = compareIds({
    expected: collected,
    collected: received.collected.ids,
    tests: received.tests,
    ignore: new Set(evidence.ignore),
    patched: evidence.patched,
  });
  const integrity = integrityOf(evidence, comparison);
  const ruling = notJudged(evidence) ??
    tampered(evidence, integrity) ??
    killed(evidence, comparison) ??
    notFinished(evidence, comparison) ??
    nothingToJudge(evidence, comparison) ??
    failed(evidence, comparison) ??
    unproved(evidence, comparison) ?? {
      verdict: 'passed',
      reason: everyOne(comparison.judged.length),
    };
  return { ...ruling, integrity, comparison };
}

function integrityOf(evidence: Evidence, comparison: Comparison): Integrity {
  const { received, expected } = evidence;
  return {
    expected: expected.source,
    missing: comparison.missing,
    extra: comparison.extra,
    duplicates: received.duplicates,
    newlySkipped: comparison.newlySkipped,
    completed: received.completed,
    canaries: canariesBehaved(evidence),
    changedFiles: [...evidence.changedFiles],
    irregularities: received.irregularities,
    forgeable: true,
  };
}

function notJudged({ outcome }: Evidence): Ruling | null {
  if (outcome.reason === 'unavailable') {
    const cause = outcome.unavailable;
    return {
      verdict: 'unavailable',
      reason: cause === null ? 'no sandbox can be had here' : `${cause.cause}. ${cause.fix}`,
    };
  }
  if (outcome.reason === 'aborted') return { verdict: 'aborted', reason: 'the run was stopped' };
  return null;
}

function tampered(evidence: Evidence, integrity: Integrity): Ruling | null {
  const because = (reason: string): Ruling => ({ verdict: 'tampered', reason });
  const [changed] = integrity.changedFiles;
  if (changed !== undefined) return because(`the protected file ${changed} is not what it was`);
  const [irregular] = integrity.irregularities;
  if (irregular !== undefined) return because(`the result channel was interfered with: ${irregular}`);
  const [duplicate] = integrity.duplicates;
  if (duplicate !== undefined) return because(`${duplicate} was reported more than once`);
  const canary = wrongCanary(evidence);
  if (canary !== null) return because(canary);
  const [extra] = integrity.extra;
  if (extra !== undefined) return because(`${extra} was reported, but the original project has no such test`);
  return null;
}

function killed({ outcome, received }: Evidence, { missing }: Comparison): Ruling | null {
  const left = absent(missing);
  switch (outcome.reason) {
    case 'timeout':
      return { verdict: 'timeout', reason: `the tests ran over the time limit${left}` };
    case 'oom':
      return { verdict: 'oom', reason: `the tests ran over the memory limit${left}` };
    case 'pids':
      return { verdict: 'pids', reason: `the tests ran over the process limit${left}` };
    case 'output_limit':
      return { verdict: 'output_limit', reason: `the tests wrote more than the output limit${left}` };
    case 'signaled':
      return {
        verdict: 'error',
        reason: `the test process was killed by ${outcome.signal ?? 'a signal'} ${received.completed ? 'after its last test' : 'before it was done'}${left}`,
      };
    default:
      return null;
  }
}

function notFinished({ received, outcome, explainExit }: Evidence, { missing }: Comparison): Ruling | null {
  if (received.unable !== null) {
    return { verdict: 'error', reason: `${received.unable.detail}: ${received.unable.fix}` };
  }
  if (received.started === null) {
    return { verdict: 'error', reason: `the test runner never started (exit code ${outcome.exitCode})` };
  }
  if (!received.completed) {
    return {
      verdict: 'error',
      reason: `the test process ended with exit code ${outcome.exitCode} before it was done${absent(missing)}`,
    };
  }
  const exited = received.problems.find(({ type }) => exits.has(type));
  if (exited !== undefined && missing.length > 0) {
    return {
      verdict: 'error',
      reason: `code under test ended the process when it was loaded${absent(missing)}`,
    };
  }
  const meaning = outcome.exitCode === null ? null : explainExit(outcome.exitCode);
  if (meaning !== null) return { verdict: 'error', reason: `${meaning}${absent(missing)}` };
  const unbuilt = received.canaries.find((canary) => canary.outcome === 'unbuilt');
  if (unbuilt !== undefined) {
    const { framework, version } = received.started;
    return {
      verdict: 'error',
      reason: `the canaries cannot be run with ${framework} ${version}: ${unbuilt.detail}`,
    };
  }
  return null;
}

/** What the frameworks call a file that ends the process while it is loaded. */
const exits: ReadonlySet<string> = new Set(['SystemExit', 'EarlyExit']);

function nothingToJudge({ received }: Evidence, comparison: Comparison): Ruling | null {
  if (comparison.judged.length > 0 || comparison.missing.length > 0) return null;
  const [problem] = received.problems;
  if (problem !== undefined) {
    return {
      verdict: 'error',
      reason: `no test could be collected: ${[problem.type, problem.message].filter(Boolean).join(': ') || 'see the problems'}`,
    };
  }
  return { verdict: 'no_tests', reason: 'no test was found' };
}

function failed(evidence: Evidence, comparison: Comparison): Ruling | null {
  const { judged, missing, newlySkipped, unjudged } = comparison;
  const { received, expected } = evidence;
  const because = (reason: string): Ruling => ({ verdict: 'failed', reason });
  const failing = judged.filter(isFailing);
  if (failing.length > 0) return because(`${failing.length} of ${count(judged.length, 'test')} failed`);
  if (missing.length > 0) {
    return because(`${count(missing.length, 'expected test')} did not run, the first is ${missing[0]}`);
  }
  if (newlySkipped.length > 0) {
    return because(
      `${count(newlySkipped.length, 'test')} newly skipped or expected to fail, the first is ${newlySkipped[0]}`,
    );
  }
  const outside = unjudged.some(isFailing) || (expected.source === 'given' && received.problems.length > 0);
  const [problem] = received.problems;
  if (problem !== undefined && expected.source !== 'given') {
    return because(`every test passed, but ${problem.file || 'the runner'} had a problem: ${problem.type}`);
  }
  return exitFailure(evidence, outside);
}

/** Tests outside the verdict (flaky ones, those a given list leaves out) explain an exit code of 1, and only that. */
function exitFailure(evidence: Evidence, outside: boolean): Ruling | null {
  const { outcome, received } = evidence;
  const codes = [outcome.exitCode, received.announcedExit];
  if (codes.every((code) => code === 0)) return null;
  if (outside && codes.every((code) => code === 0 || code === 1)) return null;
  const code = codes.find((each) => each !== 0) ?? null;
  return { verdict: 'failed', reason: `every test passed, but the runner ended with exit code ${code}` };
}

function unproved({ expected }: Evidence, { judged }: Comparison): Ruling | null {
  if (judged.every((test) => test.status === 'skipped')) {
    return { verdict: 'no_tests', reason: `${allAre(judged.length)} skipped: nothing was proved` };
  }
  if (expected.source === 'unknown') {
    return {
      verdict: 'error',
      reason:
        'the tests passed, but which tests there should be is unknown: give a list with --expect, or --trust-collected',
    };
  }
  return null;
}

/** Its assertions failed, or it could not be run. */
export function isFailing(test: TestResult): boolean {
  return test.status === 'failed' || test.status === 'error';
}

const allAre = (n: number) => (n === 1 ? 'the one test is' : `all ${n} tests are`);

const everyOne = (n: number) =>
  n === 1 ? 'the one expected test ran and passed' : `all ${n} expected tests ran and passed`;

function absent(missing: readonly string[]): string {
  return missing.length === 0 ? '' : `; ${count(missing.length, 'expected test')} missing`;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
