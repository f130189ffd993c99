import fc from 'fast-check';
import type { BudgetLimits, Proposed, Report } from '../core/index.ts';
import { noUsage } from './budget.ts';
import { madeProposal, madeReport, madeSpec } from './made.ts';

/** A world that always answers the same question in the same way, so that a cut run can be compared with a whole one. */
export type World = {
  limits: BudgetLimits;
  baselines: Report[];
  reports: Report[];
  proposals: Proposed[];
  /** Candidate batches before each reply. */
  batches: number;
  /** Of 4 patches, how many are refused. */
  refused: number;
  agreeing: number;
  /** Active time of each effect. */
  effectMs: number;
  projectedTokens: number;
  /** Calls to a model in each proposal. */
  modelCalls: number;
  /** A reply's usage counts the calls of earlier attempts too, whose results were given again. */
  countsPast: boolean;
  /** How often the model cannot be had, from the first call on. */
  outages: number;
  /** Proposers that take over from one another. */
  stages: number;
};

export const ids = ['a', 'b', 'c'];
const reportOf = (failing: string[], message: string): Report => {
  const red = Object.fromEntries(failing.map((id) => [id, message]));
  return madeReport({ passing: ids.filter((id) => !failing.includes(id)), failing: red });
};
const message = fc.constantFrom('is 3', 'is 4');
const tested = fc.tuple(fc.subarray(ids), message).map(([failing, text]) => reportOf(failing, text));
const red = fc
  .tuple(fc.subarray(ids, { minLength: 1 }), message)
  .map(([failing, text]) => reportOf(failing, text));
const odd = fc
  .tuple(tested, fc.constantFrom('timeout', 'tampered', 'error', 'unavailable', 'no_tests', 'oom'))
  .map(([report, verdict]) => ({ ...report, verdict }) as Report);
const usually = (common: fc.Arbitrary<Report>) =>
  fc.oneof({ weight: 9, arbitrary: common }, { weight: 1, arbitrary: odd });
const usage = fc.record({
  tokens: fc.nat({ max: 300 }),
  costUsd: fc.option(fc.nat({ max: 3 }), { freq: 9 }),
  candidates: fc.nat({ max: 60 }),
});
const proposed: fc.Arbitrary<Proposed> = fc
  .oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(fc.constantFrom('x', 'y', 'z', 'u', 'v'), fc.subarray(['p', 'q']), usage),
    },
    { weight: 1, arbitrary: fc.tuple(fc.constant('malformed'), fc.constant([]), usage) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('none'), fc.constant([]), usage) },
  )
  .map(([text, alternatives, spent]) => {
    const all = { ...noUsage, ...spent };
    if (text === 'malformed') return { kind: 'malformed', problem: 'no tool call', usage: all };
    if (text === 'none') return { kind: 'no_proposal', reason: 'nothing left', exhausted: null, usage: all };
    return madeProposal(text, { alternatives, usage: all });
  });
const limit = (max: number) => fc.option(fc.integer({ min: 1, max }));
/** Any world. */
export const world: fc.Arbitrary<World> = fc.record({
  limits: fc.record({
    rounds: fc.integer({ min: 1, max: 6 }),
    tokens: limit(2000),
    costUsd: limit(20),
    candidates: limit(300),
    wallMs: fc.integer({ min: 1, max: 9000 }),
  }),
  baselines: fc.array(usually(red), { minLength: 1, maxLength: 2 }),
  reports: fc.array(usually(tested), { minLength: 1, maxLength: 12 }),
  proposals: fc.array(proposed, { minLength: 1, maxLength: 8 }),
  batches: fc.nat({ max: 3 }),
  refused: fc.nat({ max: 3 }),
  agreeing: fc.nat({ max: 4 }),
  effectMs: fc.constantFrom(1, 100, 300),
  projectedTokens: fc.nat({ max: 200 }),
  modelCalls: fc.nat({ max: 3 }),
  countsPast: fc.boolean(),
  outages: fc.nat({ max: 2 }),
  stages: fc.integer({ min: 1, max: 3 }),
});

/** One in which the first patch is as red as the baseline. */
export const fixed = (): World => ({
  limits: madeSpec().limits,
  baselines: [reportOf(['a'], 'is 3')],
  reports: [reportOf(['a'], 'is 3')],
  proposals: [madeProposal('x')],
  batches: 0,
  refused: 0,
  agreeing: 4,
  effectMs: 50,
  projectedTokens: 100,
  modelCalls: 0,
  countsPast: false,
  outages: 0,
  stages: 1,
});
