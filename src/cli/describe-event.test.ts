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

it('a reply that is no patch is told in one line, without the template for the model', () => {
  const usage = { tokens: 5, costUsd: null, candidates: 0, wallMs: 10 };
  const problem = 'The reply holds no edit.\nEach edit is a block like this:\n<<<<<<< SEARCH';
  const line = describeEvent({ type: 'proposed', round: 1, proposed: { kind: 'malformed', problem, usage } });
  expect(line).toBe('round 1: no usable proposal: The reply holds no edit. (5 tokens, cost unknown)');
});

it.each([
  ['tests/a.py is protected: a test', 'tests/a.py is protected: a test'],
  ['The search text is empty.', 'tests/a.py: The search text is empty.'],
])('a refusal names its path once: %s', (message, told) => {
  const refusals = [{ code: 'protected' as const, path: 'tests/a.py', edit: 0, message, near: [] }];
  expect(describeEvent({ type: 'refused', round: 2, refusals, wallMs: 1 })).toBe(
    `round 2: not applied: ${told}`,
  );
});

it('candidates that the reason counts are not counted again', () => {
  const usage = { tokens: 0, costUsd: 0, candidates: 5, wallMs: 10 };
  const reason = '5 candidates tried in shop.py; none passes every test';
  const proposed = { kind: 'no_proposal' as const, reason, exhausted: null, usage };
  expect(describeEvent({ type: 'proposed', round: 1, proposed })).toBe(
    `round 1: nothing to propose: ${reason}`,
  );
});
