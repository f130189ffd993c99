import { describe, expect, it } from 'vitest';
import { failureIn, modelOverHttp } from './scripted-server/ask.fixture.ts';
import type { RawAnswer } from './scripted-server/server.fixture.ts';

const { ask } = modelOverHttp();

const stream = (...events: object[]): RawAnswer => ({
  status: 200,
  body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
  headers: { 'content-type': 'text/event-stream' },
});

describe('errors in the middle of a stream', () => {
  it('anthropic: overloaded after it began', async () => {
    const start = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'c',
      content: [],
      usage: { input_tokens: 9, output_tokens: 1 },
    };
    const failure = failureIn(
      await ask({
        id: 'anthropic/claude',
        script: [
          stream(
            { type: 'message_start', message: start },
            { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
            { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Well' } },
            { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
          ),
        ],
      }),
    );
    expect(failure.kind).toBe('overloaded');
    expect(failure.usage.inputTokens).toBeGreaterThan(0);
  });

  it('openai: a response that failed', async () => {
    const response = { id: 'r', created_at: 1, model: 'gpt', output: [], usage: null };
    const failure = failureIn(
      await ask({
        id: 'openai/gpt',
        script: [
          stream(
            { type: 'response.created', sequence_number: 0, response },
            {
              type: 'response.failed',
              sequence_number: 1,
              response: {
                ...response,
                error: {
                  code: 'rate_limit_exceeded',
                  message: 'Rate limit reached. Please try again in 1.5s.',
                },
              },
            },
          ),
        ],
      }),
    );
    expect(failure).toMatchObject({ kind: 'rate_limit', retryAfterMs: 1500 });
  });

  it('google: an error object for a candidate', async () => {
    const failure = failureIn(
      await ask({
        id: 'google/gemini',
        script: [
          stream(
            { candidates: [{ content: { role: 'model', parts: [{ text: 'Well' }] } }] },
            { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
          ),
        ],
      }),
    );
    expect(failure.kind).toBe('overloaded');
  });

  it('openai-compatible: an error event', async () => {
    const failure = failureIn(
      await ask({
        script: [
          stream(
            { id: 'x', choices: [{ index: 0, delta: { content: 'Well' } }] },
            {
              error: {
                message: 'the request exceeds the available context size',
                code: 500,
                type: 'server_error',
              },
            },
          ),
        ],
      }),
    );
    expect(failure.kind).toBe('context_too_long');
  });

  it('google: a prompt that is blocked, and a call that the model did not get right', async () => {
    const blocked = await ask({
      id: 'google/gemini',
      script: [stream({ promptFeedback: { blockReason: 'SAFETY' } })],
    });
    expect(blocked.result).toMatchObject({ ok: true, reply: { finish: 'refused' } });
    const malformed = await ask({
      id: 'google/gemini',
      script: [stream({ candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }] })],
    });
    expect(malformed.result).toMatchObject({ ok: true, reply: { finish: 'other', text: '', toolCalls: [] } });
  });
});
