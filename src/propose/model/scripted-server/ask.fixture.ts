import { afterEach } from 'vitest';
import { z } from 'zod';
import type { ModelFailure, ModelReply, ModelResult } from '../../../core/index.ts';
import type { CallLimits } from '../call-watch.ts';
import { createModel } from '../providers.ts';
import type { ModelProgress, ModelRequest } from '../types.ts';
import { type Script, type ScriptedServer, startScriptedServer } from './server.fixture.ts';

export const request: ModelRequest = {
  system: 'You repair programs.',
  messages: [{ role: 'user', text: 'The test fails.' }],
  tools: [
    {
      name: 'propose_patch',
      description: 'Proposes a patch.',
      input: z.object({ motivation: z.string(), edits: z.array(z.object({ path: z.string() })) }),
    },
  ],
  toolChoice: { tool: 'propose_patch' },
  maxOutputTokens: 1000,
};

/** Made up, in the forms of the real ones. */
export const env = {
  OPENAI_API_KEY: 'sk-proj-openai0123456789abcdefghij',
  ANTHROPIC_API_KEY: 'sk-ant-api03-0123456789abcdefghij',
  GEMINI_API_KEY: 'gemini-key-0123456789abcdefghij',
  ASSAY_API_KEY: 'own-server-key-0123456789',
};

export const ids = ['openai-compatible/qwen', 'openai/gpt', 'anthropic/claude', 'google/gemini'] as const;

export type Asked = { result: ModelResult; progress: ModelProgress[]; server: ScriptedServer };

export type AskOptions = {
  script: Script;
  id?: string;
  limits?: Partial<CallLimits>;
  signal?: AbortSignal;
  request?: ModelRequest;
  onProgress?: (progress: ModelProgress) => void;
};

/** For one test file: servers that are closed after each test, and models that ask them through the real SDK. */
export function modelOverHttp(): {
  serve: (script: Script) => Promise<ScriptedServer>;
  ask: (options: AskOptions) => Promise<Asked>;
} {
  const open: ScriptedServer[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
  });
  const serve = async (script: Script): Promise<ScriptedServer> => {
    const server = await startScriptedServer({ script });
    open.push(server);
    return server;
  };
  const ask = async (options: AskOptions): Promise<Asked> => {
    const server = await serve(options.script);
    const { id = ids[0], limits = {} } = options;
    const model = createModel({ id, baseUrl: server.url, env, limits });
    const progress: ModelProgress[] = [];
    const result = await model.call(options.request ?? request, {
      signal: options.signal ?? new AbortController().signal,
      onProgress: (step) => {
        progress.push(step);
        options.onProgress?.(step);
      },
    });
    return { result, progress, server };
  };
  return { serve, ask };
}

export function replyOf({ result }: { result: ModelResult }): ModelReply {
  if (!result.ok) throw new Error(`no reply: ${JSON.stringify(result.failure)}`);
  return result.reply;
}

export function failureIn({ result }: { result: ModelResult }): ModelFailure {
  if (result.ok) throw new Error(`no failure: ${JSON.stringify(result.reply)}`);
  return result.failure;
}
