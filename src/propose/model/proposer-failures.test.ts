import { describe, expect, it } from 'vitest';
import { AssayError } from '../../core/index.ts';
import {
  call,
  failure,
  firstText,
  largeProject,
  longFailures,
  propose,
  proposerOf,
  rightPatch,
} from './asked-proposer.fixture.ts';
import { failingTest, madeFeedback, madeSettings, madeTools } from './proposer.fixture.ts';

describe('a model that cannot be had', () => {
  it.each([
    'key',
    'no_credit',
    'unknown_model',
    'rate_limit',
    'overloaded',
    'network',
    'timeout',
    'garbage',
    'bad_request',
  ] as const)('ends the proposal in a way that can be taken up again: %s', async (kind) => {
    const error = await propose([failure(kind)]).catch((caught: unknown) => caught);
    expect(AssayError.is(error)).toBe(true);
    expect(error).toMatchObject({ code: 'provider', because: 'Too bad.', fix: 'Do this.' });
  });

  it('has nothing to propose where it is a recording that is over', async () => {
    const over = failure('recording_over', 'The recording of a/b has no more replies: all 2 were used.');
    expect((await propose([over])).proposed).toMatchObject({
      kind: 'no_proposal',
      reason: 'the recording of a/b has no more replies: all 2 were used',
      exhausted: null,
    });
  });

  it('gets a shorter message where the context is too long, three times', async () => {
    const feedback = madeFeedback({ failing: longFailures });
    const long = failure('context_too_long');
    const { model, proposer } = proposerOf([long, long, long, rightPatch]);
    expect(await proposer.propose(feedback, madeTools({ files: largeProject }))).toMatchObject({
      kind: 'proposal',
      usage: { tokens: 131 },
    });
    const lengths = model.requests.map((request) => firstText(request).length);
    for (const [index, chars] of lengths.slice(1).entries()) {
      expect(chars).toBeLessThanOrEqual((lengths[index] ?? 0) / 2 + 4);
    }
    const again = proposerOf([long, long, long, long]);
    await expect(again.proposer.propose(feedback, madeTools({ files: largeProject }))).rejects.toMatchObject({
      code: 'provider',
    });
  });

  it('is asked without reading where it was what was read that was too long', async () => {
    const reading = { toolCalls: [call('list_files', {})] };
    const { model, proposer } = proposerOf([reading, failure('context_too_long'), rightPatch]);
    const proposed = await proposer.propose(madeFeedback(), madeTools({ files: largeProject }));
    expect(proposed.kind).toBe('proposal');
    expect(model.requests[2]?.tools.map(({ name }) => name)).toEqual(['propose_patch']);
    expect(firstText(model.requests[2])).toBe(firstText(model.requests[0]));
  });

  it('ends with what the provider said where nothing can be left out any more', async () => {
    const long = failure('context_too_long', 'At most 512 tokens.');
    const error = await propose([long, long, long]).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'provider', because: 'At most 512 tokens.' });
  });

  it('is told apart from a context that cannot hold the names of the failing tests', async () => {
    const failing = Array.from({ length: 5000 }, (_, index) =>
      failingTest({ id: `t.py::test_number_${index}` }),
    );
    const { model, proposer } = proposerOf([rightPatch], {
      settings: madeSettings({ contextTokens: 16_000 }),
    });
    const error = await proposer
      .propose(madeFeedback({ failing }), madeTools())
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'provider', message: expect.stringContaining('too small') });
    expect(model.requests).toHaveLength(0);
  });

  it('gives names of thousands of tests more room than the usual', async () => {
    const failing = Array.from({ length: 9000 }, (_, index) =>
      failingTest({ id: `t.py::test_with_a_long_name_${index}` }),
    );
    const { model, proposer } = proposerOf([rightPatch]);
    expect(await proposer.propose(madeFeedback({ failing }), madeTools())).toMatchObject({
      kind: 'proposal',
    });
    expect(firstText(model.requests[0])).toContain('test_with_a_long_name_8999');
  });
});
