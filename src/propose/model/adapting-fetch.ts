import { z } from 'zod';

type Fetch = typeof globalThis.fetch;

const bodySchema = z.record(z.string(), z.unknown()).refine((body) => Array.isArray(body.messages));
type Body = z.infer<typeof bodySchema>;

/** What servers of the OpenAI kind differ in, and how to ask for the same without it. */
const adaptations: readonly { blamed: RegExp; adapt: (body: Body) => Body | null }[] = [
  // Then the tokens are estimated.
  { blamed: /stream_options|include_usage/, adapt: (body) => without(body, 'stream_options') },
  {
    blamed: /max_completion_tokens/,
    adapt: (body) =>
      body.max_tokens === undefined
        ? null
        : { ...without(body, 'max_tokens'), max_completion_tokens: body.max_tokens },
  },
  // Models that think, and small servers, take tools and cannot be made to call one.
  {
    blamed: /tool_choice|tool choice/i,
    adapt: (body) => (body.tool_choice === 'required' ? { ...body, tool_choice: 'auto' } : null),
  },
];

function without(body: Body, key: string): Body | null {
  if (body[key] === undefined) return null;
  const { [key]: _, ...rest } = body;
  return rest;
}

/**
 * A request in which a refusal (400 or 422) can find nothing more to blame, or null when it blames something else.
 * Pure.
 */
export function adaptedBody(body: string, refusal: string): string | null {
  const parsed = bodySchema.safeParse(parse(body));
  if (!parsed.success) return null;
  for (const { blamed, adapt } of adaptations) {
    const adapted = blamed.test(refusal) ? adapt(parsed.data) : null;
    if (adapted !== null) return JSON.stringify(adapted);
  }
  return null;
}

/** Asks again, in a way the server takes, where it refused a part that can be done without. Nothing else is repeated. */
export function adaptingFetch(inner: Fetch): Fetch {
  return async (input, init) => {
    let body = init?.body;
    for (;;) {
      const response = await inner(input, { ...init, ...(body === undefined ? {} : { body }) });
      if (response.status !== 400 && response.status !== 422) return response;
      const refusal = await response.text();
      const adapted = typeof body === 'string' ? adaptedBody(body, refusal) : null;
      if (adapted === null) return new Response(refusal, response);
      body = adapted;
    }
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
