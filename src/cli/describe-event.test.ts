import { expect, it } from 'vitest';
import { describeEvent } from './describe-event.ts';

it.each([
  [0, 'round 1: nothing to propose: all were tried'],
  [1, 'round 1: nothing to propose: all were tried (1 candidate)'],
  [2, 'round 1: nothing to propose: all were tried (2 candidates)'],
])('%i candidates are counted in words', (candidates, line) => {
  const usage = { tokens: 0, costUsd: 0, candidates, wallMs: 10 };
  const proposed = { kind: 'no_proposal' as const, reason: 'all were tried', exhausted: null, usage };
  expect(describeEvent({ type: 'proposed', round: 1, proposed })).toBe(line);
});

it('candidates that the reason counts are not counted again', () => {
  const usage = { tokens: 0, costUsd: 0, candidates: 5, wallMs: 10 };
  const reason = '5 candidates tried in shop.py; none passes every test';
  const proposed = { kind: 'no_proposal' as const, reason, exhausted: null, usage };
  expect(describeEvent({ type: 'proposed', round: 1, proposed })).toBe(
    `round 1: nothing to propose: ${reason}`,
  );
});
