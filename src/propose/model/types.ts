import type { z } from 'zod';
import type { ModelFailure, ModelResult, ToolCall } from '../../core/index.ts';

/** One call to a model, in assay's own words: nothing but sdk.ts knows how a provider says it. */
export type ModelRequest = {
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  /** `required`: some tool must be called · `none`: answer in text. */
  toolChoice: 'required' | 'auto' | 'none' | { tool: string };
  /** Most tokens of the reply, its reasoning included. */
  maxOutputTokens: number;
};

export type ModelMessage =
  | { role: 'user'; text: string; images?: readonly ModelImage[] }
  | { role: 'assistant'; text: string; toolCalls: readonly ToolCall[] }
  /** Answers to every call of the assistant message before, in its order. */
  | { role: 'tool'; results: readonly { callId: string; tool: string; text: string }[] };

/** For a model that can see: shown after the text of its message. */
export type ModelImage = { mediaType: string; base64: string };

export type ModelTool = { name: string; description: string; input: z.ZodType };

export type ModelCallOptions = {
  signal: AbortSignal;
  /** Shows that the model is alive. */
  onProgress?: (progress: ModelProgress) => void;
  /** A stream that goes on beyond it is stopped: its reply is one that was cut, `length`. */
  maxOutputChars?: number;
  /** Whoever pays: asked between the tries of a call that is tried again. */
  tries?: TryLog;
};

/** The tries of one call, which each cost and are each accounted for. */
export type TryLog = {
  /** After a try that another one could follow. False: the next one cannot be paid. */
  failed(failure: ModelFailure): Promise<boolean>;
  /** When the next one begins, which may be less than the one before. */
  again(): Promise<Pick<ModelCallOptions, 'maxOutputChars'>>;
};

export type ModelProgress =
  | { at: 'waiting' }
  | { at: 'streaming'; outputChars: number }
  | { at: 'retrying'; inMs: number; because: string };

/** A model to call. Rejects only on a bug: what a provider does, and an abort, is a failure in the result. */
export type Model = {
  /** `provider/model`, as given. */
  readonly id: string;
  /** Who gets the source, for the sentence that says so: `anthropic`, or the host and port of a base URL. */
  readonly receiver: string;
  /** Loads what the first call will need. Called while something else is waited for; never throws. */
  prepare?(): void;
  call(request: ModelRequest, options: ModelCallOptions): Promise<ModelResult>;
};
