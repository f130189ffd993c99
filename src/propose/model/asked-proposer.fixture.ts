import type { ModelFailure, Proposed } from '../../core/index.ts';
import { exampleArguments, formatEdits } from './prompt/index.ts';
import { failingTest, madeFeedback, madeSettings, madeTools, smallProject } from './proposer.fixture.ts';
import { type ModelProposerOptions, modelProposer } from './proposer.ts';
import { type ScriptedModelReply, scriptedModel } from './scripted.ts';
import type { ModelRequest } from './types.ts';

export const call = (name: string, input: unknown, id = 'c1') => ({
  id,
  name,
  input: typeof input === 'string' ? input : JSON.stringify(input),
});
export const patchOf = (...edits: unknown[]) => ({
  toolCalls: [call('propose_patch', { motivation: 'why', edits })],
});
export const rightPatch = { toolCalls: [call('propose_patch', exampleArguments)] };
export const rightText = `The loop stops early.\n\n${formatEdits([
  {
    op: 'replace',
    path: 'src/total.py',
    search: '    for item in items[:-1]:\n',
    replace: '    for item in items:\n',
  },
])}`;

export function proposerOf(
  replies: readonly ScriptedModelReply[],
  given: Partial<ModelProposerOptions> = {},
) {
  const model = scriptedModel({ replies });
  const options = { settings: madeSettings(), env: {}, price: { input: 1, output: 2 }, ...given };
  return { model, proposer: modelProposer({ model, ...options }) };
}

export async function propose(
  replies: readonly ScriptedModelReply[],
  given: Partial<ModelProposerOptions> = {},
) {
  const { model, proposer } = proposerOf(replies, given);
  return { model, proposed: await proposer.propose(madeFeedback(), madeTools()) };
}

export const firstText = (request: ModelRequest | undefined): string => {
  const [message] = request?.messages ?? [];
  return message?.role === 'user' ? message.text : '';
};

export const problemOf = (proposed: Proposed): string =>
  proposed.kind === 'malformed' ? proposed.problem : '';

/** Many files, so that the first message cannot hold them all. */
export const largeProject: Record<string, string> = {
  ...smallProject,
  ...Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`lib/m${index}.py`, `# module ${index}\n`.repeat(100)]),
  ),
};

/** Failures that fill every message. */
export const longFailures = Array.from({ length: 60 }, (_, index) =>
  failingTest({ id: `t.py::test_${index}`, message: `kind ${index}`, trace: `${index}\n`.repeat(1500) }),
);

export const failure = (kind: ModelFailure['kind'], message = 'Too bad.'): ScriptedModelReply => ({
  failure: {
    kind,
    message,
    fix: 'Do this.',
    usage: { inputTokens: 7, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, estimated: true },
  },
});
