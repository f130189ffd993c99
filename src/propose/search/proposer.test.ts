import { describe, expect, it } from 'vitest';
import type { Candidate, CandidateResult, TestResult } from '../../core/index.ts';
import { noCallLog } from '../model/index.ts';
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
    report: { framework: 'pytest' } as Feedback['report'],
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
    calls: noCallLog,
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

const fixed = (text: string) => text.includes("if total <= 100:\n        return 'basic'\n    return 'gold'");

describe('a project in another language', () => {
  it('is told apart before anything is tried', async () => {
    const report = { framework: 'node-test' } as Feedback['report'];
    const refused = await searchProposer().propose(
      feedback({ report }),
      tools(() => true),
    );
    expect(refused).toMatchObject({ kind: 'no_proposal', exhausted: null });
    expect(refused).toHaveProperty('reason', expect.stringContaining('repairs Python'));
  });
});

describe('searchProposer', () => {
  it('proposes the edit the tests accept, and says what speaks for it', async () => {
    const proposed = await searchProposer().propose(feedback(), tools(fixed));
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

  it('has nothing to propose when no candidate passes, and says how many it tried and where', async () => {
    const proposed = await searchProposer().propose(
      feedback(),
      tools(() => false),
    );
    expect(proposed).toMatchObject({ kind: 'no_proposal', exhausted: null });
    if (proposed.kind !== 'no_proposal') return;
    expect(proposed.reason).toBe(
      `${proposed.usage.candidates} candidates tried in pricing.py; none passes every test`,
    );
    expect(proposed.usage.candidates).toBeGreaterThan(100);
  });

  it('tries no more candidates than the budget has, and says that it ran out', async () => {
    const seen: Candidate[] = [];
    const limited = tools(() => false, {
      budget: { candidates: 70, wallMs: 30_000, tokens: null, costUsd: null },
    });
    const proposed = await searchProposer().propose(feedback(), {
      ...limited,
      evaluate: (candidates, options) => {
        seen.push(...candidates);
        return limited.evaluate(candidates, options);
      },
    });
    expect(seen).toHaveLength(70);
    expect(proposed).toMatchObject({
      kind: 'no_proposal',
      exhausted: 'candidates',
      usage: { candidates: 70 },
    });
  });

  it('ends at the wall budget and keeps what had passed by then', async () => {
    let now = 0;
    const clock = { monotonicMs: () => now, now: () => new Date(0) };
    const slow = (accepts: (text: string) => boolean) => {
      const made = tools(accepts, {
        budget: { candidates: null, wallMs: 5000, tokens: null, costUsd: null },
      });
      return {
        ...made,
        evaluate: (...args: Parameters<typeof made.evaluate>) => {
          now += 3000;
          return made.evaluate(...args);
        },
      };
    };
    const none = await searchProposer({ clock }).propose(
      feedback(),
      slow(() => false),
    );
    expect(none).toMatchObject({
      kind: 'no_proposal',
      exhausted: 'wall',
      usage: { candidates: 24, wallMs: 6000 },
    });
    now = 0;
    const found = await searchProposer({ clock }).propose(feedback(), slow(fixed));
    expect(found).toMatchObject({ kind: 'proposal', usage: { wallMs: 6000 } });
  });

  it('keeps the results of a batch that the wall budget cut', async () => {
    const cut = tools(fixed, { budget: { candidates: null, wallMs: 300, tokens: null, costUsd: null } });
    const proposed = await searchProposer().propose(feedback(), {
      ...cut,
      evaluate: async (candidates, { signal, onResult }) => {
        for (const candidate of candidates.slice(0, 5)) judged(candidate, fixed, onResult);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw signal.reason;
      },
    });
    expect(proposed).toMatchObject({ kind: 'proposal', usage: { candidates: 5 } });
  });

  it('stops when the run is stopped', async () => {
    const stop = new AbortController();
    const stopped = tools(() => false, { signal: stop.signal });
    let batches = 0;
    const proposed = await searchProposer().propose(feedback(), {
      ...stopped,
      evaluate: (...args) => {
        batches += 1;
        stop.abort(new Error('stopped by the user'));
        return stopped.evaluate(...args);
      },
    });
    expect(proposed).toMatchObject({
      kind: 'no_proposal',
      reason: 'stopped',
      exhausted: null,
      usage: { candidates: 16 },
    });
    expect(batches).toBe(1);
  });

  it('throws when the evaluator cannot run', async () => {
    const broken = { ...tools(() => false), evaluate: async () => Promise.reject(new Error('no sandbox')) };
    await expect(searchProposer().propose(feedback(), broken)).rejects.toThrow('no sandbox');
  });

  it('does not propose again what was tried before', async () => {
    const first = await searchProposer().propose(feedback(), tools(fixed));
    if (first.kind !== 'proposal') throw new Error('nothing found');
    const attempts = [first, ...first.alternatives].map(({ motivation }) => ({
      round: 1,
      motivation,
      outcome: 'taken back',
    }));
    const again = await searchProposer().propose(feedback({ attempts, round: 2 }), tools(fixed));
    const motivations =
      again.kind === 'proposal' ? [again, ...again.alternatives].map((one) => one.motivation) : [];
    for (const { motivation } of attempts) expect(motivations).not.toContain(motivation);
  });

  it('answers the same every time', async () => {
    const accepts = (text: string) => /total <=|'silver'|return None/.test(text);
    const once = async () => {
      const proposed = await searchProposer().propose(feedback(), tools(accepts));
      return { ...proposed, usage: null };
    };
    expect(await once()).toEqual(await once());
  });

  it('touches no file that is protected', async () => {
    const proposed = await searchProposer().propose(
      feedback(),
      tools(fixed, { protectedBecause: () => 'everything is' }),
    );
    expect(proposed).toMatchObject({
      kind: 'no_proposal',
      reason: 'no failing test ran a file that may be edited and is in a language the search speaks',
      usage: { candidates: 0 },
    });
  });

  it('tells the user how far it is', async () => {
    const told: unknown[] = [];
    await searchProposer().propose(
      feedback(),
      tools(() => false, { onProgress: (progress) => told.push(progress) }),
    );
    expect(told[0]).toMatchObject({ generated: 16, tried: 16, passing: 0, hung: 0, at: 'pricing.py:2' });
  });
});
