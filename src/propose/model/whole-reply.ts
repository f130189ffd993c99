import { z } from 'zod';

const wholeReplySchema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        message: z.looseObject({ tool_calls: z.array(z.looseObject({})).nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
});

const errorSchema = z.looseObject({
  error: z.unknown().refine((error) => error !== null && error !== undefined),
});

/**
 * A chat completion in one piece as the stream it was asked for, or null when it is none: some servers of the OpenAI
 * kind do not stream, or not where there are tools. So does an error that came with a success status.
 */
export function asStream(text: string): string | null {
  const body = parse(text);
  const failed = errorSchema.safeParse(body);
  if (failed.success) return event(failed.data);
  const whole = wholeReplySchema.safeParse(body);
  if (!whole.success) return null;
  const choices = whole.data.choices.map(({ message, finish_reason }, index) => ({
    index,
    delta: { ...message, tool_calls: message.tool_calls?.map((call, at) => ({ index: at, ...call })) },
    finish_reason,
  }));
  return `${event({ ...whole.data, object: 'chat.completion.chunk', choices })}data: [DONE]\n\n`;
}

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
