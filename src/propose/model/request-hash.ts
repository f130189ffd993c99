import { createHash } from 'node:crypto';
import { toolJsonSchema } from './json-schema.ts';
import type { ModelRequest } from './types.ts';

/**
 * The sha256, in hex, of what a request asks: the same for the same words, tools (by name, description and JSON
 * schema) and limits, whatever the order of an object's keys.
 */
export function requestHash(request: ModelRequest): string {
  const { system, messages, tools, toolChoice, maxOutputTokens } = request;
  const asked = {
    system,
    messages,
    tools: tools.map(({ name, description, input }) => ({ name, description, input: toolJsonSchema(input) })),
    toolChoice,
    maxOutputTokens,
  };
  return createHash('sha256')
    .update(JSON.stringify(canonical(asked)))
    .digest('hex');
}

/** As a call is journaled: another model's reply answers nothing. `request`: its `requestHash`. */
export const callHash = (model: string, request: string): string =>
  createHash('sha256')
    .update(JSON.stringify([model, request]))
    .digest('hex');

/** The value with the keys of every object in order, and without those that are undefined. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  // By code unit, not by locale: the same on every machine.
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, inner]) => [key, canonical(inner)]));
}
