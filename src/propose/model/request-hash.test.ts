import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { requestHash } from './request-hash.ts';
import { request } from './scripted-server/ask.fixture.ts';
import type { ModelRequest, ModelTool } from './types.ts';

const tool = (more: Partial<ModelTool>): ModelRequest => {
  const [first] = request.tools;
  if (first === undefined) throw new Error('the request has no tool');
  return { ...request, tools: [{ ...first, ...more }] };
};

describe('requestHash', () => {
  it('is a sha256 that another process finds too', () => {
    expect(
      requestHash({ system: 's', messages: [], tools: [], toolChoice: 'none', maxOutputTokens: 1 }),
    ).toBe(
      // printf '{"maxOutputTokens":1,"messages":[],"system":"s","toolChoice":"none","tools":[]}' | sha256sum
      '252df2301e7cdb625cb410cca31afa0b53bf6acfe4ed36832ea935e648c11325',
    );
  });

  it('is the same for the same words, however the object was made', () => {
    const reordered: ModelRequest = {
      maxOutputTokens: request.maxOutputTokens,
      toolChoice: { tool: 'propose_patch' },
      tools: request.tools.map(({ input, name, description }) => ({ input, description, name })),
      messages: [{ text: 'The test fails.', role: 'user' }],
      system: request.system,
    };
    expect(requestHash(reordered)).toBe(requestHash(request));
  });

  it('is another for anything that is asked differently', () => {
    const variants: ModelRequest[] = [
      request,
      { ...request, system: 'You repair programs!' },
      { ...request, messages: [{ role: 'user', text: 'The test fails' }] },
      { ...request, messages: [...request.messages, { role: 'assistant', text: '', toolCalls: [] }] },
      { ...request, toolChoice: 'auto' },
      { ...request, maxOutputTokens: 1001 },
      { ...request, tools: [] },
      tool({ name: 'patch' }),
      tool({ description: 'Proposes it.' }),
      tool({ input: z.object({ motivation: z.string() }) }),
      tool({
        input: z.object({
          motivation: z.string().describe('why'),
          edits: z.array(z.object({ path: z.string() })),
        }),
      }),
    ];
    expect(new Set(variants.map(requestHash)).size).toBe(variants.length);
  });
});
