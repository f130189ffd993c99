import type { Report } from '../../core/index.ts';
import { needsNetwork } from '../run/network-hint.ts';

/** What a reader of the report can do now, in one sentence; null after a pass. */
export function nextStep(report: Report): string | null {
  const { verdict, integrity } = report;
  switch (verdict) {
    case 'passed':
      return null;
    case 'failed':
      if (onlyOffline(report)) {
        return 'let the tests talk to a server of their own on localhost, which works in the sandbox, or leave them out with --test';
      }
      return nextOfRed(report);
    case 'no_tests':
      return 'check that the tests are where the framework looks for them, or name the command with --test';
    case 'timeout':
      return 'look at the test that ran last, or allow more time with --timeout SECONDS';
    case 'oom':
      return 'look for what grows without end, or allow more memory with --memory';
    case 'pids':
      return 'look for what starts processes or threads without end';
    case 'output_limit':
      return 'look for what prints without end';
    case 'tampered':
      return 'put the protected files back as they were; tests and their configuration are not for a patch to change';
    case 'error':
      if (integrity.expected === 'unknown') {
        return 'give the list of tests with --expect FILE, or take what the run collects with --trust-collected';
      }
      return integrity.missing.length > 0
        ? 'find out why the run ended before its tests: an exit in the code, or a crash'
        : 'make the tests run by hand first, or name their command with --test';
    case 'unavailable':
      return 'see what this machine lacks: assay doctor';
    case 'aborted':
      return 'start it again';
  }
}

/** The built-in search knows Python; everything else needs a model. */
function nextOfRed(report: Report): string {
  const { framework, integrity, problems, summary } = report;
  if (integrity.expected === 'given' && summary.failed === 0 && integrity.missing.length > 0) {
    return 'check the ids in the list of --expect: assay lab DIR --json names those there are under tests[].id';
  }
  if (summary.failed === 0 && integrity.newlySkipped.length > 0) {
    return 'find out why these tests are skipped: a skipped test proves nothing';
  }
  const fix = framework === 'node-test' ? 'assay fix DIR --model PROVIDER/MODEL' : 'assay fix DIR';
  return problems.length > 0
    ? `repair what keeps the tests from being loaded, or let assay try: ${fix}`
    : `let assay look for a patch: ${fix}`;
}

/** Nothing fails but for want of the network: no patch is called for. */
function onlyOffline({ tests, problems, integrity }: Report): boolean {
  const failing = tests.filter(({ status }) => status === 'failed' || status === 'error');
  const others = problems.length + integrity.missing.length + integrity.newlySkipped.length;
  return (
    others === 0 &&
    failing.length > 0 &&
    failing.every(({ failure }) => failure !== null && needsNetwork(failure))
  );
}
