import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proposedSchema } from '../../core/index.ts';
import { replyArb } from './fuzzed-replies.fixture.ts';
import { madeFeedback, madeSettings, madeTools, smallProject } from './proposer.fixture.ts';
import { modelProposer } from './proposer.ts';
import { scriptedModel } from './scripted.ts';

const files = {
  ...smallProject,
  ...Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`lib/m${index}.py`, 'x = 1\n'.repeat(500)]),
  ),
};

describe('a thousand fuzzed replies', () => {
  it.each(['tool', 'text'] as const)('give a proposal or say what was wrong, by %s', async (transport) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(replyArb, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (replies, large) => {
          const model = scriptedModel({ replies, repeatLast: true });
          const proposer = modelProposer({ model, settings: madeSettings({ transport }), env: {} });
          const proposed = await proposer.propose(madeFeedback(), madeTools(large ? { files } : {}));
          expect(['proposal', 'malformed']).toContain(proposed.kind);
          expect(proposedSchema.safeParse(proposed).success).toBe(true);
          expect(proposed.usage.tokens).toBe(110 * model.requests.length);
          expect(model.requests.length).toBeLessThanOrEqual(7);
          if (proposed.kind === 'malformed') expect(proposed.problem.length).toBeLessThan(4000);
        },
      ),
      { numRuns: 500 },
    );
  });
});
