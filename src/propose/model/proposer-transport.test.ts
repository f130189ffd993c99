import { describe, expect, it } from 'vitest';
import {
  call,
  firstText,
  largeProject,
  longFailures,
  problemOf,
  propose,
  proposerOf,
  rightPatch,
  rightText,
} from './asked-proposer.fixture.ts';
import { madeFeedback, madeSettings, madeTools } from './proposer.fixture.ts';
import { modelProposer } from './proposer.ts';
import { scriptedModel } from './scripted.ts';
import type { ModelRequest } from './types.ts';

describe('the transport', () => {
  const transportOf = (request: ModelRequest | undefined) =>
    request?.toolChoice === 'none' ? 'text' : 'tool';

  it('changes to text after two malformed replies, for good, in another process too', async () => {
    const { model, proposer } = proposerOf(['prose', 'prose', rightText]);
    const kinds: string[] = [];
    for (const malformedReplies of [0, 1, 2]) {
      kinds.push((await proposer.propose(madeFeedback({ malformedReplies }), madeTools())).kind);
    }
    expect(kinds).toEqual(['malformed', 'malformed', 'proposal']);
    const other = proposerOf([rightText]);
    await other.proposer.propose(madeFeedback({ malformedReplies: 2 }), madeTools());
    expect(other.model.requests[0]).toEqual(model.requests[2]);
    expect(model.requests.map(transportOf)).toEqual(['tool', 'tool', 'text']);
    expect(model.requests[2]?.tools).toEqual([]);
    expect(model.requests[2]?.system).toContain('<<<<<<< SEARCH');
  });

  it.each(['tool', 'text'] as const)('stays %s where that is asked for', async (transport) => {
    const { model, proposer } = proposerOf(['prose', 'prose', 'prose'], {
      settings: madeSettings({ transport }),
    });
    for (const malformedReplies of [0, 1, 2]) {
      await proposer.propose(madeFeedback({ malformedReplies, toolsRefused: true }), madeTools());
    }
    expect(model.requests.map(transportOf)).toEqual([transport, transport, transport]);
  });

  it('changes to text at once where the server knows no tools', async () => {
    const message = 'registry.ollama.ai/x does not support tools';
    const { model, proposed } = await propose([{ failure: { kind: 'bad_request', message } }, rightText]);
    expect(proposed.kind).toBe('proposal');
    expect(model.requests.map(transportOf)).toEqual(['tool', 'text']);
    const next = proposerOf([rightText]);
    await next.proposer.propose(madeFeedback({ toolsRefused: true }), madeTools());
    expect(next.model.requests[0]).toEqual(model.requests[1]);
  });

  it('of text says that nothing can be read, and shows more of a large project', async () => {
    const asked = async (transport: 'tool' | 'text') => {
      const settings = madeSettings({ transport, contextTokens: 30_000 });
      const { model, proposer } = proposerOf([rightPatch], { settings });
      const feedback = madeFeedback({ failing: longFailures });
      await proposer.propose(feedback, madeTools({ files: largeProject }));
      return model.requests[0];
    };
    const [tool, text] = [await asked('tool'), await asked('text')];
    expect(text?.system).toContain('There are no tools here');
    expect(tool?.system).not.toContain('There are no tools here');
    expect(firstText(text).length).toBeGreaterThan(1.2 * firstText(tool).length);
  });
});

describe('reading', () => {
  const tools = () => madeTools({ files: largeProject });
  const read = (path: string, id = path) => call('read_file', { path }, id);
  const answersIn = (request: ModelRequest | undefined) =>
    (request?.messages ?? []).flatMap((message) => (message.role === 'tool' ? message.results : []));

  it('comes before the proposal where the first message does not hold the project', async () => {
    const { model, proposer } = proposerOf([{ toolCalls: [read('lib/m7.py')] }, rightPatch]);
    const proposed = await proposer.propose(madeFeedback(), tools());
    expect(proposed).toMatchObject({ kind: 'proposal', usage: { tokens: 220 } });
    expect(model.requests[0]?.toolChoice).toBe('required');
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(answersIn(model.requests[1])[0]?.text).toContain('# module 7');
  });

  it('answers every call of a reply, in order, unknown tools and a hundred calls too', async () => {
    const calls = Array.from({ length: 100 }, (_, index) =>
      index === 1 ? call('rm', {}, 'id-1') : read(`lib/m${index}.py`, `id-${index}`),
    );
    const { model, proposer } = proposerOf([{ toolCalls: calls }, rightPatch]);
    const proposed = await proposer.propose(madeFeedback(), tools());
    expect(proposed.kind).toBe('proposal');
    const answers = answersIn(model.requests[1]);
    expect(answers.map(({ callId }) => callId)).toEqual(calls.map(({ id }) => id));
    expect(answers[1]?.text).toContain('There is no tool of this name');
    expect(answers.filter(({ text }) => text.includes('# module'))).toHaveLength(12);
    expect(answers[99]?.text).toContain('propose the patch now');
    expect(model.requests[1]?.toolChoice).toEqual({ tool: 'propose_patch' });
  });

  it('ends: a model that only reads must propose, and is malformed if it does not', async () => {
    const model = scriptedModel({ replies: [{ toolCalls: [read('lib/m1.py')] }], repeatLast: true });
    const proposer = modelProposer({ model, settings: madeSettings(), env: {} });
    const proposed = await proposer.propose(madeFeedback(), tools());
    expect(problemOf(proposed)).toContain('"read_file"');
    expect(model.requests).toHaveLength(7);
    expect(model.requests.at(-1)?.toolChoice).toEqual({ tool: 'propose_patch' });
    expect(model.requests.at(-1)?.tools.map(({ name }) => name)).toContain('read_file');
  });

  it('never makes a call longer than the context', async () => {
    const settings = madeSettings({ contextTokens: 16_000, maxOutputTokens: 2000 });
    const wordy = { text: 'x'.repeat(30_000), toolCalls: [read('lib/m1.py')] };
    const model = scriptedModel({ replies: [wordy], repeatLast: true });
    const proposer = modelProposer({ model, settings, env: {} });
    const proposed = await proposer.propose(madeFeedback(), tools());
    expect(proposed.kind).toBe('malformed');
    for (const { system, messages } of model.requests) {
      expect(JSON.stringify([system, messages]).length).toBeLessThan(14_000 * 3.5);
    }
  });
});
