import type { OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';
import type { ModelReply, ToolCall } from '../../core/index.ts';
import { toolJsonSchema } from './json-schema.ts';
import type { ModelMessage, ModelRequest, ModelTool } from './types.ts';

/*
 * The one file that touches the AI SDK. It speaks to the models of the provider packages (specification v4), not
 * through `streamText`: that parses the arguments of tool calls and turns prose under a forced tool into an error,
 * where assay wants to see both as the model wrote them, and it warns on stderr and retries by itself.
 */
type SdkModel = ReturnType<OpenAICompatibleProvider['languageModel']>;
type SdkCall = Parameters<SdkModel['doStream']>[0];
type SdkPart =
  Awaited<ReturnType<SdkModel['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

export const providerNames = ['openai', 'anthropic', 'google', 'openai-compatible'] as const;
export type ProviderName = (typeof providerNames)[number];

/** Where a model is, and with what key. */
export type Endpoint = {
  provider: ProviderName;
  /** As the provider calls it. */
  model: string;
  baseUrl: string;
  key: string | null;
};

/** What streams in. `finish` may be missing when a stream is cut; after an `error` more may come, none of it good. */
export type StreamPart =
  | { type: 'text'; text: string }
  /** Arguments of a tool call while they are written. */
  | { type: 'arguments'; id: string; text: string }
  | { type: 'tool_call'; call: ToolCall }
  | { type: 'reasoning'; text: string }
  /** The model is at work, out of sight. */
  | { type: 'alive' }
  | { type: 'finish'; reason: FinishReason; tokens: SdkTokens }
  /** The stream ended, and its provider did not say that it was over. */
  | { type: 'cut' }
  | { type: 'error'; error: unknown };

export type FinishReason = ModelReply['finish'];

/** As the provider counted, null where it did not. */
export type SdkTokens = {
  input: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
  output: number | null;
};

/** One call. Rejects and streams whatever the SDK rejects and streams. */
export async function openStream(options: {
  endpoint: Endpoint;
  request: ModelRequest;
  fetch: typeof globalThis.fetch;
  signal: AbortSignal;
}): Promise<ReadableStream<StreamPart>> {
  const { endpoint, request, fetch, signal } = options;
  const model = await loadModel(endpoint, fetch);
  const { stream } = await model.doStream({ ...callOptions(endpoint, request), abortSignal: signal });
  return stream.pipeThrough(
    new TransformStream<SdkPart, StreamPart>({
      transform: (part, controller) => {
        for (const said of inOurWords(part)) controller.enqueue(said);
      },
    }),
  );
}

/** Each package is loaded when it is needed only: a run with the search pays for none of them. */
/** Loads the provider's package ahead of the first call, which else waits for it. What fails here fails there. */
export function preload(endpoint: Endpoint): void {
  loadModel(endpoint, globalThis.fetch).catch(() => undefined);
}

async function loadModel(endpoint: Endpoint, fetch: typeof globalThis.fetch): Promise<SdkModel> {
  const { provider, model, baseUrl: baseURL, key } = endpoint;
  // Without a key these read one from the process's environment, which may belong to another host.
  const settings = { baseURL, apiKey: key ?? 'none', fetch };
  switch (provider) {
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(settings).responses(model);
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(settings).languageModel(model);
    case 'google':
      return (await import('@ai-sdk/google')).createGoogleGenerativeAI(settings).languageModel(model);
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const apiKey = key === null ? {} : { apiKey: key };
      const name = 'openai-compatible';
      return createOpenAICompatible({ name, baseURL, fetch, includeUsage: true, ...apiKey }).chatModel(model);
    }
  }
}

function callOptions(endpoint: Endpoint, request: ModelRequest): SdkCall {
  const { tools, choice } = toolsOf(endpoint, request);
  // Every round has a new feedback under the same instructions; a conversation repeats all that was said.
  const cached = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };
  const messages = request.messages.flatMap(promptMessage);
  // The last message of an analysis tells how things stand and is another one each time: the one before it stays.
  if (request.messages.length > 1) for (const message of messages.slice(-2)) Object.assign(message, cached);
  return {
    prompt: [{ role: 'system', content: request.system, ...cached }, ...messages],
    maxOutputTokens: request.maxOutputTokens,
    ...(tools.length === 0 ? {} : { tools: tools.map(functionTool), toolChoice: choice }),
    // Else OpenAI keeps what it was sent for 30 days.
    ...(endpoint.provider === 'openai' ? { providerOptions: { openai: { store: false } } } : {}),
  };
}

/** Servers of one's own know `required`, and few of them a tool by its name: one tool that is required is the same. */
function toolsOf(
  { provider }: Endpoint,
  { tools, toolChoice }: ModelRequest,
): { tools: readonly ModelTool[]; choice: NonNullable<SdkCall['toolChoice']> } {
  if (typeof toolChoice === 'string') return { tools, choice: { type: toolChoice } };
  if (provider !== 'openai-compatible') return { tools, choice: { type: 'tool', toolName: toolChoice.tool } };
  return { tools: tools.filter(({ name }) => name === toolChoice.tool), choice: { type: 'required' } };
}

function functionTool({ name, description, input }: ModelTool): NonNullable<SdkCall['tools']>[number] {
  return { type: 'function', name, description, inputSchema: toolJsonSchema(input) };
}

type PromptMessage = SdkCall['prompt'][number];

function promptMessage(message: ModelMessage): PromptMessage[] {
  switch (message.role) {
    case 'user': {
      const images = (message.images ?? []).map(({ mediaType, base64 }) => ({
        type: 'file' as const,
        mediaType,
        data: { type: 'data' as const, data: base64 },
      }));
      return [{ role: 'user', content: [{ type: 'text', text: message.text }, ...images] }];
    }
    case 'assistant': {
      // Providers refuse an empty text, and an empty message.
      const text = message.text === '' ? [] : [{ type: 'text' as const, text: message.text }];
      const calls = message.toolCalls.map((call) => ({
        type: 'tool-call' as const,
        toolCallId: call.id,
        toolName: call.name,
        input: argumentsOf(call),
      }));
      const content = [...text, ...calls];
      return content.length === 0 ? [] : [{ role: 'assistant', content }];
    }
    case 'tool':
      return [
        {
          role: 'tool',
          content: message.results.map((result) => ({
            type: 'tool-result',
            toolCallId: result.callId,
            toolName: result.tool,
            output: { type: 'text', value: result.text },
          })),
        },
      ];
  }
}

/** Providers take arguments back as an object only; what was none is shown to the model as it wrote it. */
function argumentsOf(call: ToolCall): object {
  try {
    const value: unknown = JSON.parse(call.input);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Shown below.
  }
  return { not_an_object: call.input };
}

function inOurWords(part: SdkPart): StreamPart[] {
  switch (part.type) {
    case 'text-delta':
      return [{ type: 'text', text: part.delta }];
    case 'reasoning-delta':
      return [{ type: 'reasoning', text: part.delta }];
    case 'tool-input-delta':
      return [{ type: 'arguments', id: part.id, text: part.delta }];
    case 'tool-call':
      return [{ type: 'tool_call', call: { id: part.toolCallId, name: part.toolName, input: part.input } }];
    case 'finish': {
      const { unified } = part.finishReason;
      const cut: StreamPart[] = unified === 'interrupted' ? [{ type: 'cut' }] : [];
      return [...cut, { type: 'finish', reason: finishReason(unified), tokens: tokensOf(part.usage) }];
    }
    case 'error':
      return [isCut(part.error) ? { type: 'cut' } : { type: 'error', error: part.error }];
    default:
      return [{ type: 'alive' }];
  }
}

/** How openai-compatible tells it; the others finish as `interrupted`. */
function isCut(error: unknown): boolean {
  return error instanceof Error && error.message === 'Response stream ended without a finish reason.';
}

function finishReason(reason: string): FinishReason {
  switch (reason) {
    case 'stop':
    case 'length':
      return reason;
    case 'tool-calls':
      return 'tool_calls';
    case 'content-filter':
      return 'refused';
    default:
      return 'other';
  }
}

function tokensOf(usage: Extract<SdkPart, { type: 'finish' }>['usage']): SdkTokens {
  return {
    input: count(usage.inputTokens.total),
    cacheRead: count(usage.inputTokens.cacheRead),
    cacheWrite: count(usage.inputTokens.cacheWrite),
    output: count(usage.outputTokens.total),
  };
}

/** A server may say anything here; the journal takes whole numbers, and no call is of a billion tokens. */
function count(tokens: number | undefined): number | null {
  return tokens !== undefined && tokens >= 0 && tokens < 1e9 ? Math.round(tokens) : null;
}
