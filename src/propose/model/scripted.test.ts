import { describe, expect, it } from 'vitest';
import { modelResultSchema } from '../../core/index.ts';
import { scriptedModel } from './scripted.ts';
import { failureIn, replyOf, request } from './scripted-server/ask.fixture.ts';
import type { ModelProgress } from './types.ts';

const signal = new AbortController().signal;

describe('scriptedModel', () => {
  it('gives its replies in turn, each a result of the contract, and keeps what it was asked', async () => {
    const call = { id: 'c', name: 'propose_patch', input: '{}' };
    const model = scriptedModel({
      replies: [
        'Text.',
        { toolCalls: [call] },
        { failure: { kind: 'overloaded', retryAfterMs: 5 } },
        (asked) => `You said ${asked.system}`,
      ],
    });
    const results = [];
    for (let at = 0; at < 5; at += 1) results.push(await model.call(request, { signal }));
    for (const result of results) expect(modelResultSchema.parse(result)).toEqual(result);
    const [text, tool, busy, made, none] = results;
    expect(text).toMatchObject({ reply: { text: 'Text.', toolCalls: [], finish: 'stop' } });
    expect(tool).toMatchObject({ reply: { toolCalls: [call], finish: 'tool_calls' } });
    expect(busy).toMatchObject({ failure: { kind: 'overloaded', retryAfterMs: 5 } });
    expect(made).toMatchObject({ reply: { text: `You said ${request.system}` } });
    expect(none).toMatchObject({ failure: { kind: 'bad_request' } });
    expect(model.requests).toHaveLength(5);
  });

  it('repeats its last reply where it is told to, shows progress, and stops on a signal', async () => {
    const model = scriptedModel({ replies: ['Again.'], repeatLast: true });
    const progress: ModelProgress[] = [];
    await model.call(request, { signal });
    const result = await model.call(request, { signal, onProgress: (step) => progress.push(step) });
    expect(replyOf({ result }).text).toBe('Again.');
    expect(progress).toEqual([{ at: 'waiting' }, { at: 'streaming', outputChars: 6 }]);
    expect(failureIn({ result: await model.call(request, { signal: AbortSignal.abort() }) }).kind).toBe(
      'aborted',
    );
  });
});
