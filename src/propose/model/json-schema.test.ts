import { expect, it } from 'vitest';
import { z } from 'zod';
import { toolJsonSchema } from './json-schema.ts';

it('closes objects at every depth, and leaves maps and descriptions as they are', () => {
  const schema = toolJsonSchema(
    z.object({
      motivation: z.string().describe('Why.'),
      edits: z.array(z.object({ path: z.string(), times: z.int().optional() })),
      names: z.record(z.string(), z.number()),
      either: z.union([z.object({ a: z.string() }), z.null()]),
      properties: z.string().default('x'),
    }),
  );
  expect(schema).toMatchObject({
    type: 'object',
    additionalProperties: false,
    required: ['motivation', 'edits', 'names', 'either'],
    properties: {
      motivation: { type: 'string', description: 'Why.' },
      edits: { items: { type: 'object', required: ['path'], additionalProperties: false } },
      names: { additionalProperties: { type: 'number' } },
      either: { anyOf: [{ additionalProperties: false }, { type: 'null' }] },
      properties: { type: 'string' },
    },
  });
  expect(schema).not.toHaveProperty('$schema');
});
