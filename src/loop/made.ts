import type { Proposed, RepairSpec, Report, TestResult, Usage } from '../core/index.ts';
import { noUsage } from './budget.ts';

/** A spec for tests: five rounds, ten minutes, no other limit. */
export function madeSpec(options: Partial<RepairSpec> = {}): RepairSpec {
  return {
    kind: 'fix',
    dir: '/project',
    framework: null,
    testCommand: null,
    task: null,
    proposer: 'scripted',
    model: null,
    limits: { rounds: 5, tokens: null, costUsd: null, wallMs: 600_000, candidates: null },
    testTimeoutMs: null,
    perTestMs: null,
    protect: [],
    holdout: [],
    setup: null,
    trustCollected: false,
    strict: true,
    seed: 1,
    ...options,
  };
}

/** One test of a made report; a failing one has the message given. */
export function madeTest(id: string, message?: string): TestResult {
  const [file = id] = id.split('::');
  const failing = message !== undefined;
  const frames = [{ file: 'src/a.py', line: 3, function: 'f', inProject: true }];
  const failure = { type: 'AssertionError', message: message ?? '', trace: `E ${message}`, frames };
  return {
    id,
    file,
    line: 1,
    status: failing ? 'failed' : 'passed',
    durationMs: 1,
    failure: failing ? failure : null,
    skipReason: null,
    stdout: '',
    stderr: '',
  };
}

/** A whole report from ids that pass and ids that fail with a message each. */
export function madeReport(
  options: { passing?: string[]; failing?: Record<string, string> } & Partial<Report> = {},
): Report {
  const { passing = [], failing = {}, ...others } = options;
  const failed = Object.entries(failing).map(([id, message]) => madeTest(id, message));
  const tests = [...failed, ...passing.map((id) => madeTest(id))];
  const red = failed.length > 0;
  return {
    schema: 'assay-report/1',
    verdict: red ? 'failed' : 'passed',
    reason: red ? `${failed.length} of ${tests.length} tests fail` : 'every expected test passed',
    framework: 'pytest',
    judge: 'hardened',
    command: ['pytest'],
    summary: { total: tests.length, passed: passing.length, failed: failed.length, skipped: 0 },
    tests,
    problems: [],
    integrity: {
      expected: 'collected',
      missing: [],
      extra: [],
      duplicates: [],
      newlySkipped: [],
      completed: true,
      canaries: true,
      changedFiles: [],
      irregularities: [],
      forgeable: true,
    },
    exit: { reason: 'exited', code: red ? 1 : 0, signal: null },
    output: { stdout: '', stderr: '', truncated: false },
    startedAt: '2026-01-01T00:00:00.000Z',
    usage: { wallMs: 100, cpuMs: null, memoryPeakBytes: null, pidsPeak: null },
    enforcement: {
      isolation: 'none',
      hostUid: null,
      network: 'unknown',
      nestedNamespaces: 'none',
      seccomp: false,
      memory: 'none',
      oomCounter: false,
      pids: 'none',
      cpu: 'none',
      disk: 'none',
      killAll: 'none',
      notes: ['made for a test: nothing ran'],
    },
    warnings: [],
    ...others,
  };
}

/** A proposal that replaces `a` by `text` in one file; different texts are different patches. */
export function madeProposal(
  text: string,
  options: { alternatives?: string[]; usage?: Partial<Usage> } = {},
): Extract<Proposed, { kind: 'proposal' }> {
  const one = (replace: string) => ({
    motivation: `say ${replace}`,
    edits: [{ op: 'replace' as const, path: 'src/a.py', search: 'a', replace }],
  });
  return {
    kind: 'proposal',
    ...one(text),
    alternatives: (options.alternatives ?? []).map(one),
    usage: { ...noUsage, ...options.usage },
  };
}
