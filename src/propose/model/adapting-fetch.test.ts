import { describe, expect, it } from 'vitest';
import { adaptedBody } from './adapting-fetch.ts';
import { failureIn, modelOverHttp, replyOf } from './scripted-server/ask.fixture.ts';
import type { ScriptedAnswer, ServedRequest } from './scripted-server/server.fixture.ts';

const { ask } = modelOverHttp();

const refusing =
  (parameters: readonly string[], status = 400) =>
  ({ body }: ServedRequest): ScriptedAnswer => {
    const sent = JSON.stringify(body);
    const blamed = parameters.find((parameter) => sent.includes(`"${parameter}"`));
    if (blamed === undefined) return { text: 'Fine.', usage: null };
    return { status, body: JSON.stringify({ error: { message: `Unsupported parameter: ${blamed}` } }) };
  };

describe('a server that does not take all of the request', () => {
  it('is asked without it', async () => {
    const { result, server } = await ask({ script: refusing(['stream_options', 'required'], 422) });
    // It blames `required`, which tells nothing of what to leave out.
    expect(failureIn({ result }).kind).toBe('bad_request');
    expect(server.requests).toHaveLength(2);

    const taken = await ask({ script: refusing(['stream_options']) });
    expect(replyOf(taken)).toMatchObject({ text: 'Fine.', usage: { estimated: true } });
    expect(taken.server.requests).toHaveLength(2);
  });

  it('is asked with the newer name of the limit, and without force where it cannot be forced', async () => {
    const { result, server } = await ask({
      script: ({ body }) => {
        const sent = JSON.stringify(body);
        const refusal = (message: string) => ({ status: 400, body: JSON.stringify({ error: { message } }) });
        if (sent.includes('"max_tokens"')) {
          return refusal(
            "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          );
        }
        if (sent.includes('"tool_choice":"required"')) {
          return refusal('tool_choice "required" is not supported in thinking mode');
        }
        return { text: 'Fine.' };
      },
    });
    expect(replyOf({ result }).text).toBe('Fine.');
    expect(server.requests.at(-1)?.body).toMatchObject({ max_completion_tokens: 1000, tool_choice: 'auto' });
  });

  it('is asked once where it refuses for another reason, and not for ever where it insists', async () => {
    const other = await ask({
      script: [{ status: 400, body: '{"error":{"message":"temperature is too high"}}' }],
    });
    expect(other.server.requests).toHaveLength(1);
    const stubborn = await ask({
      script: [{ status: 400, body: 'stream_options, max_completion_tokens and tool_choice are all wrong' }],
    });
    expect(failureIn(stubborn).kind).toBe('bad_request');
    expect(stubborn.server.requests).toHaveLength(4);
  });
});

describe('adaptedBody', () => {
  it('leaves alone what is no request', () => {
    for (const body of ['', 'null', '[]', '{"max_tokens":1}']) {
      expect(adaptedBody(body, 'use max_completion_tokens')).toBeNull();
    }
  });
});
