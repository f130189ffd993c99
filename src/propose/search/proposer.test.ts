import { describe, expect, it } from 'vitest';
import type { Candidate, CandidateResult, TestResult } from '../../core/index.ts';
import type { Feedback, ProposerTools } from '../types.ts';
import { searchProposer } from './index.ts';

const source = `def tier_for(total):
    if total < 100:
        return 'basic'
    return 'gold'
`;

const failing: TestResult = {
  id: 'tests/test_pricing.py::test_edge',
  file: 'tests/test_pricing.py',
  line: 3,
  status: 'failed',
  durationMs: 1,
  failure: { type: 'AssertionError', message: "assert 'gold' == 'basic'", trace: '', frames: [] },
  skipReason: null,
  stdout: '',
  stderr: '',
};

function feedback(over: Partial<Feedback> = {}): Feedback {
  return {
    task: null,
    round: 1,
    roundsLeft: 3,
    report: {} as Feedback['report'],
    failing: [failing],
    flaky: [],
    diff: '',
    attempts: [],
    refusals: [],
    steering: [],
    ...over,
  };
}

/** Tools over one file; `passes` says which texts the tests would accept. */
function tools(passes: (text: string) => boolean, over: Partial<ProposerTools> = {}): ProposerTools {
  return {
    files: ['pricing.py', 'tests/test_pricing.py'],
    read: (path) => (path === 'pricing.py' ? source : null),
    protectedBecause: (path) => (path.startsWith('tests/') ? 'it is a test' : null),
    evaluate: async (candidates, { onResult }) =>
      candidates.map((candidate) => judged(candidate, passes, onResult)),
    coverage: async () => ({
      tests: [
        { id: failing.id, passed: false, lines: { 'pricing.py': [2, 4] } },
        { id: 'tests/test_pricing.py::test_low', passed: true, lines: { 'pricing.py': [2, 3] } },
      ],
    }),
    budget: { candidates: 2000, wallMs: 30_000, tokens: null, costUsd: null },
    signal: new AbortController().signal,
    seed: 0,
    ...over,
  };
}

function judged(
  candidate: Candidate,
  passes: (text: string) => boolean,
  onResult?: (result: CandidateResult) => void,
): CandidateResult {
  const passed = candidate.files.every((file) => passes(file.content));
  const result: CandidateResult = {
    id: candidate.id,
    status: passed ? 'passed' : 'failed',
    testsPassed: passed ? 2 : 0,
    failedTest: passed ? null : failing.id,
    durationMs: 1,
  };
  onResult?.(result);
  return result;
}

describe('searchProposer', () => {
  it('proposes the edit the tests accept, and says what speaks for it', async () => {
    const proposed = await searchProposer().propose(
      feedback(),
      tools((text) => text.includes("if total <= 100:\n        return 'basic'\n    return 'gold'")),
    );
    expect(proposed).toMatchObject({
      kind: 'proposal',
      motivation:
        '`<` becomes `<=` in `tier_for` (pricing.py line 2): run by 1 of 1 failing tests, suspiciousness 0.71; ' +
        'all 1 failing and 1 other pass in the warm evaluator',
      edits: [
        {
          op: 'replace',
          path: 'pricing.py',
          search: '    if total < 100:',
          replace: '    if total <= 100:',
        },
      ],
    });
  });

  it('has nothing to propose when no candidate passes', async () => {
    const proposed = await searchProposer().propose(
      feedback(),
      tools(() => false),
    );
    expect(proposed).toMatchObject({ kind: 'no_proposal', exhausted: null });
  });
});
