import { z } from 'zod';

/** The JSON schema of a tool's arguments as it is sent: draft 7, with nothing allowed that is not named. */
export function toolJsonSchema(input: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    target: 'draft-7',
    io: 'input',
    reused: 'inline',
  });
  return closed(schema) as Record<string, unknown>;
}

/** OpenAI's strict mode, Anthropic and Gemini all read a closed object best; zod leaves it open on the input side. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isObject = inner.type === 'object' && typeof inner.properties === 'object';
  return isObject && inner.additionalProperties === undefined
    ? { ...inner, additionalProperties: false }
    : inner;
}
