import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ModelReply, proposedSchema } from '../../core/index.ts';
import { exampleArguments, textFormat } from './prompt/index.ts';
import { madeFeedback, madeSettings, madeTools, smallProject } from './proposer.fixture.ts';
import { modelProposer } from './proposer.ts';
import { scriptedModel } from './scripted.ts';

const files = {
  ...smallProject,
  ...Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`lib/m${index}.py`, 'x = 1\n'.repeat(500)]),
  ),
};

/** A text that is nearly right: cut somewhere, with something put in. */
const nearly = (text: string) =>
  fc
    .tuple(
      fc.nat(text.length),
      fc.nat(text.length),
      fc.oneof(fc.constant(''), fc.string({ unit: 'binary', maxLength: 5 })),
    )
    .map(([from, to, put]) => text.slice(0, from) + put + text.slice(to));

const argumentsArb = fc.oneof(
  fc.constant(exampleArguments),
  nearly(exampleArguments),
  fc.json(),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constantFrom('{"path": "src/total.py"}', '{"regex": "(a+)+$"}', '{"text": "x"}', '{"glob": "**/*"}', ''),
);
const callArb = fc.record({
  id: fc.string({ maxLength: 5 }),
  name: fc.constantFrom(
    'propose_patch',
    'read_file',
    'search',
    'list_files',
    'constructor',
    '__proto__',
    'bash',
    '',
  ),
  input: argumentsArb,
});
const replyArb: fc.Arbitrary<Partial<ModelReply>> = fc.record(
  {
    text: fc.oneof(fc.constant(''), nearly(textFormat), fc.string({ unit: 'binary', maxLength: 200 })),
    toolCalls: fc.array(callArb, { maxLength: 6 }),
    finish: fc.constantFrom('stop', 'tool_calls', 'length', 'refused', 'other'),
  },
  { requiredKeys: ['text'] },
);

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
