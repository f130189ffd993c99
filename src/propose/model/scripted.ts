import type { ModelFailure, ModelReply, ModelResult } from '../../core/index.ts';
import type { Model, ModelRequest } from './types.ts';
import { noUsage } from './usage.ts';

/** One reply of a scripted model: text, a reply, a whole result, or one made from the request. */
export type ScriptedModelReply =
  | string
  | Partial<ModelReply>
  | ModelResult
  | { failure: Partial<ModelFailure> & Pick<ModelFailure, 'kind'> }
  | ((request: ModelRequest) => string | Partial<ModelReply> | ModelResult);

export type ScriptedModel = Model & {
  /** What it was asked so far. */
  readonly requests: readonly ModelRequest[];
};

/**
 * A model for tests: it gives its replies in turn, and the last one again and again (`repeatLast`), else a
 * `bad_request` when they are used up.
 */
export function scriptedModel(options: {
  replies: readonly ScriptedModelReply[];
  id?: string;
  receiver?: string;
  repeatLast?: boolean;
}): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    id: options.id ?? 'scripted/model',
    receiver: options.receiver ?? 'scripted',
    requests,
    call: async (request, { signal, onProgress }) => {
      const next =
        options.replies[requests.length] ?? (options.repeatLast ? options.replies.at(-1) : undefined);
      requests.push(request);
      onProgress?.({ at: 'waiting' });
      if (signal.aborted) return failed({ kind: 'aborted', message: 'The call was stopped.' });
      if (next === undefined) {
        return failed({
          kind: 'bad_request',
          message: `The script has only ${options.replies.length} replies.`,
        });
      }
      const result = resultOf(next, request);
      if (result.ok) {
        const { text, toolCalls } = result.reply;
        const outputChars = text.length + toolCalls.reduce((sum, call) => sum + call.input.length, 0);
        onProgress?.({ at: 'streaming', outputChars });
      }
      return result;
    },
  };
}

function resultOf(reply: ScriptedModelReply, request: ModelRequest): ModelResult {
  if (typeof reply === 'function') return resultOf(reply(request), request);
  if (typeof reply === 'string') return resultOf({ text: reply }, request);
  if ('ok' in reply) return reply;
  if ('failure' in reply) return failed(reply.failure);
  const toolCalls = reply.toolCalls ?? [];
  return {
    ok: true,
    reply: {
      text: '',
      toolCalls,
      finish: toolCalls.length > 0 ? 'tool_calls' : 'stop',
      usage: { ...noUsage, inputTokens: 100, outputTokens: 10 },
      ...reply,
    },
  };
}

function failed(failure: Partial<ModelFailure> & Pick<ModelFailure, 'kind'>): ModelResult {
  const filled = { message: `Scripted: ${failure.kind}.`, fix: 'Change the script.', retryAfterMs: null };
  return { ok: false, failure: { ...filled, usage: noUsage, ...failure } };
}
