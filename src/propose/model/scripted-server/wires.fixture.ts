import type { ReplyAnswer } from './answers.fixture.ts';

/** The reply of one wire format: events of an SSE stream, and the same in one piece where the format has it. */
export type WireReply = { events: string[]; whole: unknown };

export type WireFormat = (answer: ReplyAnswer, model: string) => WireReply;

const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

function pieces(text: string, size: number): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
}

type Filled = {
  text: string;
  calls: { id: string; name: string; arguments: string }[];
  finish: 'stop' | 'tool_calls' | 'length' | 'refused' | null;
  size: number;
  usage: ReplyAnswer['usage'];
};

function filled(answer: ReplyAnswer): Filled {
  const calls = (answer.toolCalls ?? []).map((call, at) => ({ id: `call_${at + 1}`, ...call }));
  const finish = answer.finish === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : answer.finish;
  const usage = answer.usage === undefined ? { input: 100, output: 20 } : answer.usage;
  return { text: answer.text ?? '', calls, finish, size: answer.pieceSize ?? 7, usage };
}

/** OpenAI chat completions, as every compatible server speaks it. */
export const chatWire: WireFormat = (answer, model) => {
  const { text, calls, finish, size, usage } = filled(answer);
  const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model };
  const delta = (part: unknown) =>
    event({ ...base, choices: [{ index: 0, delta: part, finish_reason: null }] });
  const reason = finish === 'refused' ? 'content_filter' : finish;
  const counted =
    usage === null || usage === undefined
      ? null
      : {
          prompt_tokens: usage.input,
          completion_tokens: usage.output,
          total_tokens: usage.input + usage.output,
          prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
        };
  const events = [
    delta({ role: 'assistant', content: '' }),
    ...pieces(answer.reasoning ?? '', size).map((piece) => delta({ reasoning_content: piece })),
    ...pieces(text, size).map((piece) => delta({ content: piece })),
    ...calls.flatMap((call, index) => [
      delta({
        tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }],
      }),
      ...pieces(call.arguments, size).map((piece) =>
        delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    ...(reason === null
      ? []
      : [event({ ...base, choices: [{ index: 0, delta: {}, finish_reason: reason }] })]),
    ...(counted === null ? [] : [event({ ...base, choices: [], usage: counted })]),
    event('[DONE]'),
  ];
  const message = {
    role: 'assistant',
    content: text,
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map(({ id, ...call }) => ({ id, type: 'function', function: call })) }),
  };
  const choices = [{ index: 0, message, finish_reason: reason }];
  return {
    events,
    whole: { ...base, object: 'chat.completion', choices, ...(counted === null ? {} : { usage: counted }) },
  };
};

/** Anthropic messages. */
export const anthropicWire: WireFormat = (answer, model) => {
  const { text, calls, finish, size, usage } = filled(answer);
  const named = (type: string, rest: object) => event({ type, ...rest }, type);
  const input = {
    input_tokens: usage?.input ?? 0,
    cache_read_input_tokens: usage?.cacheRead ?? 0,
    cache_creation_input_tokens: usage?.cacheWrite ?? 0,
  };
  const reasons = { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens', refused: 'refusal' };
  const block = (index: number, start: object, deltas: object[]): string[] => [
    named('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => named('content_block_delta', { index, delta })),
    named('content_block_stop', { index }),
  ];
  const blocks = [
    ...(text === ''
      ? []
      : [
          {
            start: { type: 'text', text: '' },
            deltas: pieces(text, size).map((piece) => ({ type: 'text_delta', text: piece })),
          },
        ]),
    ...calls.map((call) => ({
      start: { type: 'tool_use', id: call.id, name: call.name, input: {} },
      deltas: pieces(call.arguments, size).map((piece) => ({
        type: 'input_json_delta',
        partial_json: piece,
      })),
    })),
  ];
  const events = [
    named('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...input, output_tokens: 1 },
      },
    }),
    named('ping', {}),
    ...blocks.flatMap(({ start, deltas }, index) => block(index, start, deltas)),
    ...(finish === null
      ? []
      : [
          named('message_delta', {
            delta: { stop_reason: reasons[finish], stop_sequence: null },
            usage: { output_tokens: usage?.output ?? 0 },
          }),
          named('message_stop', {}),
        ]),
  ];
  return { events, whole: null };
};

/** Gemini, `streamGenerateContent?alt=sse`. Its tool calls come whole, their arguments as an object. */
export const googleWire: WireFormat = (answer) => {
  const { text, calls, finish, size, usage } = filled(answer);
  const reasons = { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', refused: 'SAFETY' };
  const parts = [
    ...pieces(text, size).map((piece) => ({ text: piece })),
    ...calls.map((call) => ({ functionCall: { name: call.name, args: JSON.parse(call.arguments) } })),
  ];
  const content = (part: object) =>
    event({ candidates: [{ index: 0, content: { role: 'model', parts: [part] } }] });
  const usageMetadata =
    usage === null || usage === undefined
      ? {}
      : {
          usageMetadata: {
            promptTokenCount: usage.input,
            candidatesTokenCount: usage.output,
            totalTokenCount: usage.input + usage.output,
            cachedContentTokenCount: usage.cacheRead ?? 0,
          },
        };
  const last = { index: 0, content: { role: 'model', parts: [{ text: '' }] } };
  const end =
    finish === null
      ? []
      : [event({ candidates: [{ ...last, finishReason: reasons[finish] }], ...usageMetadata })];
  return { events: [...parts.map(content), ...end], whole: null };
};

/** OpenAI responses. */
export const responsesWire: WireFormat = (answer, model) => {
  const { text, calls, finish, size, usage } = filled(answer);
  const typed = (type: string, rest: object) => event({ type, sequence_number: 0, ...rest }, type);
  const response = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model, service_tier: null };
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [] };
  const items = calls.map((call, at) => ({
    type: 'function_call',
    id: `fc_${at}`,
    call_id: call.id,
    name: call.name,
    arguments: call.arguments,
    status: 'completed',
  }));
  const first = text === '' ? 0 : 1;
  const events = [
    typed('response.created', { response: { ...response, status: 'in_progress' } }),
    ...(text === ''
      ? []
      : [
          typed('response.output_item.added', { output_index: 0, item: message }),
          ...pieces(text, size).map((delta) =>
            typed('response.output_text.delta', {
              item_id: 'msg_1',
              output_index: 0,
              content_index: 0,
              delta,
            }),
          ),
          typed('response.output_item.done', { output_index: 0, item: message }),
        ]),
    ...items.flatMap((item, at) => [
      typed('response.output_item.added', {
        output_index: first + at,
        item: { ...item, arguments: '', status: 'in_progress' },
      }),
      ...pieces(item.arguments, size).map((delta) =>
        typed('response.function_call_arguments.delta', {
          item_id: item.id,
          output_index: first + at,
          delta,
        }),
      ),
      typed('response.function_call_arguments.done', {
        item_id: item.id,
        output_index: first + at,
        arguments: item.arguments,
      }),
      typed('response.output_item.done', { output_index: first + at, item }),
    ]),
    ...(finish === null ? [] : [finished(finish)]),
  ];
  function finished(reason: NonNullable<typeof finish>): string {
    const isWhole = reason === 'stop' || reason === 'tool_calls';
    const type = isWhole ? 'response.completed' : 'response.incomplete';
    const details = isWhole ? null : { reason: reason === 'length' ? 'max_output_tokens' : 'content_filter' };
    return typed(type, {
      response: {
        ...response,
        status: isWhole ? 'completed' : 'incomplete',
        incomplete_details: details,
        usage: {
          input_tokens: usage?.input ?? 0,
          input_tokens_details: { cached_tokens: usage?.cacheRead ?? 0 },
          output_tokens: usage?.output ?? 0,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: (usage?.input ?? 0) + (usage?.output ?? 0),
        },
      },
    });
  }
  return { events, whole: null };
};

/** The format that the path of a request speaks, or null. */
export function wireOf(path: string): WireFormat | null {
  if (path.endsWith('/chat/completions')) return chatWire;
  if (path.endsWith('/messages')) return anthropicWire;
  if (path.endsWith('/responses')) return responsesWire;
  return path.includes(':streamGenerateContent') ? googleWire : null;
}
