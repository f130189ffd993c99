import type { ModelReply, ModelResult, ModelUsage, ToolCall } from '../../core/index.ts';
import { adaptingFetch } from './adapting-fetch.ts';
import { type CallLimits, watchCall } from './call-watch.ts';
import { endedFailure, type FailureContext, failureOf } from './failures.ts';
import {
  type Endpoint,
  type FinishReason,
  openStream,
  preload,
  type SdkTokens,
  type StreamPart,
} from './sdk.ts';
import type { Model, ModelCallOptions, ModelRequest } from './types.ts';
import { estimateTokens, noUsage, requestCharacters } from './usage.ts';
import { openWire, type Wire, WireError } from './wire.ts';

export type SdkModelOptions = {
  id: string;
  receiver: string;
  endpoint: Endpoint;
  limits: CallLimits;
  tell: Pick<FailureContext, 'baseUrl' | 'keyVariable' | 'secrets' | 'unusedProxy'>;
};

/** A model behind the AI SDK. One try a call; what goes wrong is a failure in the result. */
export function sdkModel(options: SdkModelOptions): Model {
  const { id, receiver } = options;
  return {
    id,
    receiver,
    prepare: () => preload(options.endpoint),
    call: (request, callOptions) => callOnce(options, request, callOptions),
  };
}

async function callOnce(
  options: SdkModelOptions,
  request: ModelRequest,
  { signal, onProgress, maxOutputChars = Number.POSITIVE_INFINITY }: ModelCallOptions,
): Promise<ModelResult> {
  const watch = watchCall(options.limits, signal);
  const anyServer = options.endpoint.provider === 'openai-compatible';
  const wire = openWire({ onBytes: watch.alive, wholeReplies: anyServer });
  const fetch = anyServer ? adaptingFetch(wire.fetch) : wire.fetch;
  const received = emptyReceived();
  const asked = requestCharacters(request);
  const failed = (fail: (context: FailureContext) => ModelResult & { ok: false }): ModelResult =>
    fail(failureContext({ options, asked, received, wire, ended: watch.end() !== null }));
  onProgress?.({ at: 'waiting' });
  try {
    const { endpoint } = options;
    const stream = await watch.race(openStream({ endpoint, request, fetch, signal: watch.signal }));
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await watch.race(reader.read());
        if (done) break;
        take(received, value);
        if (received.error !== undefined) break;
        // A server that heeds no limit would write, and charge, for ever.
        if (received.characters > maxOutputChars) return { ok: true, reply: cutReply(received, asked) };
        if (received.characters > 0) onProgress?.({ at: 'streaming', outputChars: received.characters });
      }
    } finally {
      void reader.cancel().catch(() => {});
    }
    const problem = problemOf(received, wire);
    if (problem === null) return { ok: true, reply: replyOf(received, asked) };
    return failed((context) => ({ ok: false, failure: failureOf(problem, context) }));
  } catch (error) {
    const end = watch.end();
    return failed((context) => ({
      ok: false,
      failure: end === null ? failureOf(error, context) : endedFailure(end, context),
    }));
  } finally {
    watch.close();
  }
}

/** What came so far. */
type Received = {
  text: string;
  calls: ToolCall[];
  /** Of text, of arguments, and of reasoning, which is not kept. */
  characters: number;
  finish: FinishReason | null;
  cut: boolean;
  tokens: SdkTokens | null;
  error: { value: unknown } | undefined;
};

function emptyReceived(): Received {
  return { text: '', calls: [], characters: 0, finish: null, cut: false, tokens: null, error: undefined };
}

function take(received: Received, part: StreamPart): void {
  switch (part.type) {
    case 'text':
      received.text += part.text;
      received.characters += part.text.length;
      return;
    case 'reasoning':
    case 'arguments':
      received.characters += part.text.length;
      return;
    case 'tool_call':
      received.calls.push(part.call);
      return;
    case 'alive':
      return;
    case 'cut':
      received.cut = true;
      return;
    case 'finish':
      received.finish = part.reason;
      received.tokens = part.tokens;
      return;
    case 'error':
      received.error = { value: part.error };
      return;
  }
}

/** Why what came is no reply, as an error to classify, or null. */
function problemOf(received: Received, wire: Wire): unknown {
  if (received.error !== undefined) return received.error.value;
  const isEmpty = received.text === '' && received.calls.length === 0;
  if (!isEmpty && (wire.done || !isCut(received))) return null;
  if (!isCut(received)) return null;
  if (received.characters > 0) return new WireError('cut', 'it ended without saying that the reply is whole');
  return new WireError('no_reply', wire.head === '' ? 'the reply is empty' : `it begins with ${wire.head}`);
}

const isCut = (received: Received): boolean => received.cut || received.finish === null;

function replyOf(received: Received, asked: number): ModelReply {
  const { text, calls, finish } = received;
  // A server that forgets the reason, but ends its stream as it should.
  const assumed = calls.length > 0 ? 'tool_calls' : 'stop';
  return {
    text,
    toolCalls: calls,
    finish: isCut(received) || finish === null ? assumed : finish,
    usage: usageOf(received, asked),
  };
}

/** What there is of a reply that assay stopped. */
function cutReply(received: Received, asked: number): ModelReply {
  const { text, calls } = received;
  return { text, toolCalls: calls, finish: 'length', usage: usageOf(received, asked) };
}

/** `asked`: characters of the request. */
function usageOf({ tokens, characters, calls, text }: Received, asked: number): ModelUsage {
  const written = Math.max(characters, text.length + calls.reduce((sum, call) => sum + call.input.length, 0));
  // No request is of no tokens: a server that counts so does not count.
  const input = tokens?.input || null;
  const output = tokens?.output || (written === 0 ? (tokens?.output ?? 0) : null);
  return {
    inputTokens: input ?? estimateTokens(asked),
    cacheReadTokens: tokens?.cacheRead ?? 0,
    cacheWriteTokens: tokens?.cacheWrite ?? 0,
    outputTokens: output ?? estimateTokens(written),
    estimated: input === null || output === null,
  };
}

function failureContext(options: {
  options: SdkModelOptions;
  asked: number;
  received: Received;
  wire: Wire;
  ended: boolean;
}): FailureContext {
  const { received, asked, wire, ended } = options;
  const { receiver, endpoint, tell } = options.options;
  const written = received.characters > 0 || received.calls.length > 0;
  // What was streamed has been paid for, and so, as far as anyone can know, has a prompt that was being read. Not so
  // where the provider itself says, before it wrote anything, that it cannot.
  const paid = written || (ended ? wire.sent : wire.begun && received.error === undefined);
  return {
    ...tell,
    model: endpoint.model,
    receiver,
    usage: paid ? usageOf(received, asked) : noUsage,
    begun: wire.begun || written,
    now: new Date(),
  };
}
