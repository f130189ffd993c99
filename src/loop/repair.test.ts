import { describe, expect, it } from 'vitest';
import type { Proposed, RepairEvent, RepairSpec, Report } from '../core/index.ts';
import { feedbackOf } from './feedback.ts';
import { madeProposal, madeReport, madeSpec } from './made.ts';
import { repairMachine } from './repair.ts';
import { positionAfter, startOf } from './resume.ts';
import { type EffectsScript, runScript } from './testing.ts';

const green = madeReport({ passing: ['a', 'b', 'c'] });
const red = (failing: Record<string, string>, options: Partial<Report> = {}) => {
  const passing = ['a', 'b', 'c'].filter((id) => !(id in failing));
  return madeReport({ passing, failing, ...options });
};
const agreed = { agreed: true, report: green, whole: green, heldOut: null };
const heldOutDisagrees = {
  agreed: false,
  report: green,
  whole: red({ hidden: 'secret 42' }),
  heldOut: { total: 2, passed: 1 },
};
const malformed: Proposed = { kind: 'malformed', problem: 'no tool call', usage: madeProposal('x').usage };
const nothing: Proposed = {
  kind: 'no_proposal',
  reason: 'no template is left',
  exhausted: null,
  usage: madeProposal('x').usage,
};

async function run(script: Partial<EffectsScript>, spec: Partial<RepairSpec> = {}) {
  const whole = {
    baseline: [red({ a: 'is 3' })],
    propose: [madeProposal('x')],
    test: [green],
    confirm: [agreed],
    ...script,
  };
  const went = await runScript(whole, spec);
  expect(went.events.filter(({ type }) => type === 'run_ended')).toHaveLength(1);
  expect(went.events.at(-1)).toEqual({ type: 'run_ended', end: went.end });
  return went;
}

/** The feedback of the `n`th propose (from 1) of a run, rebuilt from its journal. */
function feedbackAt(spec: Partial<RepairSpec>, events: RepairEvent[], n: number) {
  let seen = 0;
  const upTo = events.findIndex(
    (event) => event.type === 'effect_started' && event.effect.kind === 'propose' && ++seen === n,
  );
  const start = startOf(repairMachine, madeSpec(spec));
  return feedbackOf(positionAfter(repairMachine, start, events.slice(0, upTo)).state);
}

describe('baseline', () => {
  it('is already green without a second run', async () => {
    const { end, calls } = await run({ baseline: [green] });
    expect(end).toEqual({ status: 'already_green' });
    expect(calls).toEqual(['baseline']);
  });

  it('runs twice when cheap and leaves out tests that differ', async () => {
    const { end, state } = await run({ baseline: [red({ a: 'x', b: 'y' }), red({ a: 'x' })] });
    expect(state.flaky).toEqual(['b']);
    expect(end).toEqual({ status: 'done' });
  });

  it('does not call tests flaky that a cut run did not come to', async () => {
    const cut = { ...red({ a: 'x' }), verdict: 'timeout' as const };
    const tests = cut.tests.filter(({ id }) => id === 'a');
    const { state } = await run({ baseline: [red({ a: 'x' }), { ...cut, tests }] });
    expect(state.flaky).toEqual([]);
    expect(state.baseline?.verdict).toBe('failed');
  });

  it('is already green when every failure is flaky', async () => {
    const { end, state } = await run({ baseline: [red({ b: 'y' }), green] });
    expect(end).toEqual({ status: 'already_green' });
    expect(state.flaky).toEqual(['b']);
  });

  it('runs once when it is not cheap', async () => {
    const baseline = [red({ a: 'is 3' }, { usage: { ...green.usage, wallMs: 31_000 } })];
    const limits = (wallMs: number) => ({ limits: { ...madeSpec().limits, wallMs } });
    const { calls } = await run({ baseline }, limits(600_000));
    expect(calls.filter((call) => call === 'baseline')).toHaveLength(1);
    const roomy = await run({ baseline }, limits(6_000_000));
    expect(roomy.calls.filter((call) => call === 'baseline')).toHaveLength(2);
  });

  it.each([
    ['nothing collected', madeReport({ verdict: 'no_tests', reason: 'no tests were found' })],
    ['no sandbox', madeReport({ verdict: 'unavailable', reason: 'no user namespaces' })],
    [
      'a suite that changes protected files',
      red({ a: 'x' }, { verdict: 'tampered', reason: 'tests/x changed' }),
    ],
    ['a run that fails without a failing test', madeReport({ verdict: 'failed', passing: ['a'] })],
    ['a hang before anything is known of the tests', madeReport({ verdict: 'timeout' })],
    [
      'a runner that never starts',
      madeReport({ verdict: 'error', integrity: { ...green.integrity, missing: ['a'] } }),
    ],
    [
      'tests that nobody knows',
      red({ a: 'x' }, { integrity: { ...green.integrity, expected: 'unknown' }, reason: 'not known' }),
    ],
  ])('ends as environment_error: %s', async (_, report) => {
    const { end } = await run({ baseline: [report] });
    expect(end).toMatchObject({
      status: 'environment_error',
      detail: expect.stringContaining(report.reason),
    });
    expect(end.status === 'environment_error' && end.fix).toBeTruthy();
  });

  it('repairs no suite that fails for want of the network alone', async () => {
    const offline = '<urlopen error [Errno -3] Temporary failure in name resolution>';
    const { end } = await run({ baseline: [red({ a: offline, b: offline })] });
    expect(end).toMatchObject({
      status: 'environment_error',
      detail: 'all 2 failing tests need the network, and the sandbox has none: a',
    });
    const { end: mixed } = await run({ baseline: [red({ a: offline, b: 'is 3' })] });
    expect(mixed).toEqual({ status: 'done' });
  });

  it('repairs an endless loop: a timeout with known tests is a red suite', async () => {
    const hung = red(
      {},
      { verdict: 'timeout', tests: [], integrity: { ...green.integrity, missing: ['a'] } },
    );
    const tests = red({ b: 'x' }).tests;
    expect((await run({ baseline: [{ ...hung, tests }] })).end).toEqual({ status: 'done' });
  });

  it('blames the environment when nothing can be collected and nothing is proposed', async () => {
    const frames = [{ file: 'src/a.py', line: 1, function: '', inProject: true }];
    const problem = { type: 'SyntaxError', message: 'invalid syntax', trace: '', frames, file: 'src/a.py' };
    const integrity = { ...green.integrity, missing: ['a'] };
    const broken = madeReport({ verdict: 'error', problems: [problem], integrity });
    expect((await run({ baseline: [broken] })).end).toEqual({ status: 'done' });
    const { end } = await run({ baseline: [broken], propose: [nothing] });
    expect(end).toMatchObject({ status: 'environment_error' });
    expect(JSON.stringify(end)).toContain('SyntaxError at src/a.py:1');
  });
});

describe('a round', () => {
  it('goes from a proposal to done through a confirmation', async () => {
    const { end, calls, state } = await run({});
    expect(end).toEqual({ status: 'done' });
    expect(calls).toEqual(['baseline', 'baseline', 'propose', 'apply', 'test', 'confirm']);
    expect(state.best).toMatchObject({ failing: 0, unconfirmed: null });
    expect(state.spent).toMatchObject({ rounds: 1, wallMs: 600 });
  });

  it('is stuck when the report equals the last one twice, the baseline included', async () => {
    const { end, calls } = await run({ test: [red({ a: 'is 3' })] });
    expect(end).toMatchObject({ status: 'stuck', why: 'same_report' });
    expect(calls.filter((call) => call === 'test')).toHaveLength(2);
  });

  it('goes on when the second run of the same patch differs, and does not trust its pass', async () => {
    const { end, state, events } = await run({
      propose: [madeProposal('x'), madeProposal('y')],
      test: [red({ a: 'is 3' }), green, green],
    });
    expect(end).toEqual({ status: 'done' });
    expect(state.unsteady).toEqual(['a']);
    expect(state.flaky).toEqual([]);
    expect(feedbackAt({}, events, 2).attempts[0]?.outcome).toContain('two runs of this patch differ: a');
  });

  it('is stuck on a state that was seen before', async () => {
    const { end, calls } = await run({
      propose: [madeProposal('x'), madeProposal('x')],
      test: [red({ a: 'is 3', b: 'broken' })],
    });
    expect(end).toMatchObject({ status: 'stuck', why: 'seen_state' });
    expect(calls.filter((call) => call === 'test')).toHaveLength(1);
  });

  it('is stuck on a patch that gives the original back', async () => {
    const { end } = await run({ apply: () => ({ kind: 'applied', diff: '', state: 's', alternatives: [] }) });
    expect(end).toMatchObject({ status: 'stuck', why: 'seen_state' });
  });

  it('takes a patch back that breaks something, and says so', async () => {
    const { events, state } = await run({
      propose: [madeProposal('x'), madeProposal('y')],
      test: [red({ b: 'broken' }), green],
    });
    const feedback = feedbackAt({}, events, 2);
    expect(feedback.diff).toBe('');
    expect(feedback.failing.map(({ id }) => id)).toEqual(['a']);
    expect(feedback.attempts).toMatchObject([
      {
        round: 1,
        motivation: 'say x',
        outcome: '1 of 1 failing test now pass; 1 new failure: b (AssertionError: broken); taken back',
      },
    ]);
    expect(state.best?.layers).toEqual([madeProposal('y').edits]);
  });

  it('lays the next patch on one that helped', async () => {
    const { events, state } = await run({
      baseline: [red({ a: 'x', b: 'y' })],
      propose: [madeProposal('x'), madeProposal('y')],
      test: [red({ b: 'y' }), green],
    });
    const feedback = feedbackAt({}, events, 2);
    expect(feedback.diff).not.toBe('');
    expect(feedback.attempts[0]?.outcome).toBe('1 of 2 failing tests now pass; kept');
    expect(feedback.failing.map(({ id }) => id)).toEqual(['b']);
    expect(state.best?.layers).toEqual([madeProposal('x').edits, madeProposal('y').edits]);
  });

  it('ends as tampered at once', async () => {
    const { end } = await run({ test: [red({}, { verdict: 'tampered', reason: 'tests/a.py changed' })] });
    expect(end).toMatchObject({ status: 'tampered' });
    expect(JSON.stringify(end)).toContain('tests/a.py changed');
  });

  it('keeps the best patch when the rounds run out', async () => {
    const texts = ['p', 'q', 'r'];
    const { end, state } = await run(
      {
        baseline: [red({ a: '1', b: '2', c: '3' })],
        propose: texts.map((text) => madeProposal(text)),
        test: [red({ a: '1', b: '2' }), red({ a: '1' }), red({ a: 'other' })],
      },
      { limits: { ...madeSpec().limits, rounds: 3 } },
    );
    expect(end).toEqual({ status: 'budget_exhausted', which: 'rounds', used: 3, limit: 3 });
    expect(state.best).toMatchObject({ failing: 1, motivation: 'say q' });
  });
});

describe('replies that cost no round', () => {
  it('is unpatchable after three malformed ones', async () => {
    const { end, state, events } = await run({ propose: [malformed] });
    expect(end).toMatchObject({ status: 'unpatchable' });
    expect(state.spent.rounds).toBe(0);
    expect(feedbackAt({}, events, 2).refusals).toMatchObject([
      { code: 'malformed', message: 'no tool call' },
    ]);
  });

  it('counts anew after a patch that applies', async () => {
    const propose = [malformed, malformed, madeProposal('x'), malformed, malformed, madeProposal('y')];
    const { end } = await run({ propose, test: [red({ a: 'now 5' }), green] });
    expect(end).toEqual({ status: 'done' });
  });

  it('tells of the same refused patch and ends at its third time, others in between', async () => {
    const refusals = [
      { code: 'no_match' as const, path: 'src/a.py', edit: 0, message: 'src/a.py lacks it', near: [] },
    ];
    const bad = madeProposal('bad');
    const { end, events } = await run({
      propose: [bad, bad, madeProposal('x'), bad],
      apply: (edits) => (edits.includes('bad') ? { kind: 'refused', refusals } : null),
      test: [red({ a: 'now 5' })],
    });
    expect(feedbackAt({}, events, 2).refusals).toEqual(refusals);
    expect(feedbackAt({}, events, 2).refused).toEqual(bad.kind === 'proposal' && bad.edits);
    expect(feedbackAt({}, events, 3).refusals).toHaveLength(2);
    expect(feedbackAt({}, events, 4).refusals).toEqual([]);
    expect(feedbackAt({}, events, 4).refused).toBeUndefined();
    expect(end).toMatchObject({ status: 'unpatchable' });
    expect(end).toMatchObject({ detail: 'the same patch was refused 3 times: src/a.py lacks it' });
  });
});

describe('no proposal', () => {
  it('is stuck', async () => {
    expect((await run({ propose: [nothing] })).end).toEqual({
      status: 'stuck',
      why: 'no_proposal',
      detail: 'no template is left',
    });
  });

  it('is the budget when the proposer ran out of it', async () => {
    const usage = { ...nothing.usage, candidates: 70 };
    const { end } = await run(
      { propose: [{ ...nothing, exhausted: 'candidates', usage }] },
      { limits: { ...madeSpec().limits, candidates: 64 } },
    );
    expect(end).toEqual({ status: 'budget_exhausted', which: 'candidates', used: 70, limit: 64 });
  });
});

describe('confirming', () => {
  it('tries the other patches of a proposal before asking again', async () => {
    const { end, calls, state } = await run({
      propose: [madeProposal('x', { alternatives: ['y', 'z'] })],
      confirm: [heldOutDisagrees, agreed],
    });
    expect(end).toEqual({ status: 'done' });
    expect(calls.filter((call) => call === 'propose')).toHaveLength(1);
    expect(state.best?.motivation).toBe('say y');
    expect(state.alternatives.map(({ motivation }) => motivation)).toEqual(['say z']);
    expect(state.confirmations).toBe(2);
    expect(state.spent.rounds).toBe(2);
  });

  it('is allowed three times and then stuck, with the unconfirmed patch as the best', async () => {
    const texts = ['p', 'q', 'r', 's'];
    const { end, state, calls } = await run({
      propose: texts.map((text) => madeProposal(text)),
      confirm: [heldOutDisagrees],
    });
    expect(end).toMatchObject({ status: 'stuck', why: 'unconfirmed' });
    expect(calls.filter((call) => call === 'confirm')).toHaveLength(3);
    expect(state.best).toMatchObject({
      failing: 0,
      unconfirmed: '1 of 2 held-out tests did not pass',
      motivation: 'say p',
    });
  });

  it('reveals nothing of the held-out tests to the proposer', async () => {
    const { events } = await run({
      propose: [madeProposal('x'), madeProposal('y')],
      confirm: [heldOutDisagrees, agreed],
    });
    const feedback = feedbackAt({}, events, 2);
    expect(JSON.stringify(feedback)).not.toMatch(/hidden|secret|heldOut|"total":2/);
    expect(feedback.diff).toBe('');
    expect(feedback.attempts[0]?.outcome).toContain('not confirmed');
  });

  it('says what fails when the visible tests fail cold', async () => {
    const cold = red({ b: 'only cold' });
    const { events } = await run({
      propose: [madeProposal('x'), madeProposal('y')],
      confirm: [{ agreed: false, report: cold, whole: cold, heldOut: null }, agreed],
    });
    expect(feedbackAt({}, events, 2).attempts[0]?.outcome).toContain('b (AssertionError: only cold)');
  });
});
