import type { ModelUsage } from '../../core/index.ts';
import { toolJsonSchema } from './json-schema.ts';
import type { ModelMessage, ModelRequest } from './types.ts';

export const noUsage: ModelUsage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  estimated: false,
};

/** Adds what two calls cost; one estimate makes the sum an estimate. */
export function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    estimated: a.estimated || b.estimated,
  };
}

/** The usual rule of thumb for English and code. */
const charactersPerToken = 4;

/** Tokens of a text where nobody counted them, e.g. of a reply that was cut. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** Characters that `estimateTokens` takes for so many tokens. */
export function charactersOf(tokens: number): number {
  return tokens * charactersPerToken;
}

/** What of `total` is not in `part`, which is a part of it. */
export function usageWithout(total: ModelUsage, part: ModelUsage): ModelUsage {
  return {
    inputTokens: Math.max(0, total.inputTokens - part.inputTokens),
    cacheReadTokens: Math.max(0, total.cacheReadTokens - part.cacheReadTokens),
    cacheWriteTokens: Math.max(0, total.cacheWriteTokens - part.cacheWriteTokens),
    outputTokens: Math.max(0, total.outputTokens - part.outputTokens),
    estimated: total.estimated,
  };
}

/** A figure costs some 1,600 tokens with the providers that tell how they count; its base64 says nothing of it. */
const charactersOfImage = 5_600;

/** Characters of everything a request sends, or what stands for them. */
export function requestCharacters(request: ModelRequest): number {
  const messages = request.messages.map(messageCharacters).reduce((sum, n) => sum + n, 0);
  const tools = request.tools.map((tool) => [tool.name, tool.description, toolJsonSchema(tool.input)]);
  return request.system.length + messages + (tools.length === 0 ? 0 : JSON.stringify(tools).length);
}

function messageCharacters(message: ModelMessage): number {
  switch (message.role) {
    case 'user':
      return message.text.length + charactersOfImage * (message.images?.length ?? 0);
    case 'assistant':
      return message.text.length + message.toolCalls.reduce((n, call) => n + call.input.length, 0);
    case 'tool':
      return message.results.reduce((n, result) => n + result.text.length, 0);
  }
}
