import { describe, expect, it } from 'vitest';
import { AssayError, type ModelFailure, type ModelResult, type Proposed } from '../../core/index.ts';
import { planEdits } from '../../patch/index.ts';
import type { CallLog, ProposeProgress } from '../types.ts';
import { noCallLog } from './call-log.ts';
import { projectionOf } from './projection.ts';
import { exampleArguments, formatEdits } from './prompt/index.ts';
import { failingTest, madeFeedback, madeSettings, madeTools, smallProject } from './proposer.fixture.ts';
import { type ModelProposerOptions, modelProposer } from './proposer.ts';
import { type ScriptedModelReply, scriptedModel } from './scripted.ts';
import type { ModelRequest } from './types.ts';

const call = (name: string, input: unknown, id = 'c1') => ({
  id,
  name,
  input: typeof input === 'string' ? input : JSON.stringify(input),
});
const patchOf = (...edits: unknown[]) => ({
  toolCalls: [call('propose_patch', { motivation: 'why', edits })],
});
const rightPatch = { toolCalls: [call('propose_patch', exampleArguments)] };
const rightText = `The loop stops early.\n\n${formatEdits([
  {
    op: 'replace',
    path: 'src/total.py',
    search: '    for item in items[:-1]:\n',
    replace: '    for item in items:\n',
  },
])}`;

function proposerOf(replies: readonly ScriptedModelReply[], given: Partial<ModelProposerOptions> = {}) {
  const model = scriptedModel({ replies });
  const options = { settings: madeSettings(), env: {}, price: { input: 1, output: 2 }, ...given };
  return { model, proposer: modelProposer({ model, ...options }) };
}

async function propose(replies: readonly ScriptedModelReply[], given: Partial<ModelProposerOptions> = {}) {
  const { model, proposer } = proposerOf(replies, given);
  return { model, proposed: await proposer.propose(madeFeedback(), madeTools()) };
}

const firstText = (request: ModelRequest | undefined): string => {
  const [message] = request?.messages ?? [];
  return message?.role === 'user' ? message.text : '';
};

const problemOf = (proposed: Proposed): string => (proposed.kind === 'malformed' ? proposed.problem : '');

/** Many files, so that the first message cannot hold them all. */
const largeProject: Record<string, string> = {
  ...smallProject,
  ...Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`lib/m${index}.py`, `# module ${index}\n`.repeat(100)]),
  ),
};

/** Failures that fill every message. */
const longFailures = Array.from({ length: 60 }, (_, index) =>
  failingTest({ id: `t.py::test_${index}`, message: `kind ${index}`, trace: `${index}\n`.repeat(1500) }),
);

describe('a proposal', () => {
  it('is what the model calls the forced tool with', async () => {
    const { model, proposed } = await propose([rightPatch]);
    expect(proposed).toMatchObject({
      kind: 'proposal',
      motivation: 'The loop stops one item early.',
      edits: [{ op: 'replace', path: 'src/total.py' }],
      alternatives: [],
      usage: { tokens: 110, costUsd: 0.00012, candidates: 0 },
    });
    expect(model.requests).toHaveLength(1);
    // A small project is shown whole: nothing to read, so no reading tools.
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['propose_patch']);
    expect(model.requests[0]?.toolChoice).toEqual({ tool: 'propose_patch' });
    expect(firstText(model.requests[0])).toContain('3 |     for item in items[:-1]:');
  });

  it('touches no file that holds credentials, found or not', async () => {
    const edits = [{ op: 'replace', path: '.env', search: 'KEY=a', replace: 'KEY=b' }];
    const { proposed } = await propose([
      { toolCalls: [{ id: '1', name: 'propose_patch', input: JSON.stringify({ motivation: 'm', edits }) }] },
    ]);
    expect(proposed).toMatchObject({ kind: 'malformed', problem: expect.stringContaining('.env') });
  });

  it('takes the calls of one reply together', async () => {
    const one = { op: 'delete', path: 'a' };
    const two = { op: 'delete', path: 'b' };
    const toolCalls = [one, two].map((edit, index) =>
      call('propose_patch', { motivation: `part ${index}.`, edits: [edit] }, `c${index}`),
    );
    const { proposed } = await propose([{ toolCalls }]);
    expect(proposed).toMatchObject({ kind: 'proposal', motivation: 'part 0. part 1.', edits: [one, two] });
  });

  it('is read from text where a model answers the tool by text', async () => {
    const { proposed } = await propose([rightText]);
    expect(proposed).toMatchObject({ kind: 'proposal', motivation: 'The loop stops early.' });
  });

  it('loses the line numbers that the model copied', async () => {
    const edit = {
      op: 'replace',
      path: 'src/total.py',
      search: '3*|     for item in items[:-1]:\n',
      replace: '3 |     for item in items:\n',
    };
    const { proposed } = await propose([patchOf(edit)]);
    expect(proposed).toMatchObject({
      edits: [{ search: '    for item in items[:-1]:\n', replace: '    for item in items:\n' }],
    });
  });

  it.each([
    ['a test', { op: 'delete', path: 'tests/test_total.py' }, 'protected'],
    ['a path outside', { op: 'create', path: '../evil', content: 'x' }, 'bad_path'],
    ['an absolute path', { op: 'create', path: '/etc/cron.d/evil', content: 'x' }, 'bad_path'],
    ['a whole file', { op: 'create', path: 'src/total.py', content: 'x' }, 'exists'],
  ])('on %s is handed on, for the patch room to refuse', async (_, edit, code) => {
    const { proposed } = await propose([patchOf(edit)]);
    if (proposed.kind !== 'proposal') throw new Error(proposed.kind);
    const { files, read, protectedBecause } = madeTools();
    const planned = planEdits({
      edits: proposed.edits,
      files,
      read: (path) => {
        const text = read(path);
        return text === null ? null : { bytes: Buffer.from(text), mode: 0o644 };
      },
      policy: { protectedBecause, autoLoaded: () => false },
    });
    expect(planned).toMatchObject({ ok: false, refusals: [{ code }] });
  });
});

describe('a reply that is no patch', () => {
  const length = { ...rightPatch, finish: 'length' as const };
  it.each<[string, ScriptedModelReply, string]>([
    ['prose', 'I think the loop is wrong.', 'calls no tool'],
    ['a whole file', '```python\ndef total(items):\n    return sum(items)\n```', 'whole files are not taken'],
    ['nothing', '', 'is empty'],
    [
      'broken arguments',
      { toolCalls: [call('propose_patch', '{"motivation": "x", "edits": [{"op"')] },
      'cut off',
    ],
    ['wrong arguments', patchOf({ op: 'replace', path: 'a' }), 'edits[0].search'],
    ['an unknown tool', { toolCalls: [call('write_file', {})] }, '"write_file"'],
    ['a reply that was cut', length, 'cut at maxOutputTokens (4000)'],
    ['a refusal', { text: 'I cannot help.', finish: 'refused' }, 'refused'],
    [
      'a failure that is a refusal',
      { failure: { kind: 'refused', message: 'Blocked by a filter.' } },
      'Blocked by a filter.',
    ],
    [
      'a quoted secret',
      patchOf({ op: 'replace', path: 'a', search: 'key = [scrubbed:KEY]\n', replace: 'x\n' }),
      'was taken out',
    ],
  ])('is malformed, with what was wrong: %s', async (_, reply, part) => {
    const { proposed } = await propose([reply]);
    expect(proposed.kind).toBe('malformed');
    expect(problemOf(proposed)).toContain(part);
  });

  it('counts as paid', async () => {
    const { proposed } = await propose(['prose']);
    expect(proposed.usage).toMatchObject({ tokens: 110, costUsd: 0.00012 });
  });
});

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

const failure = (kind: ModelFailure['kind'], message = 'Too bad.'): ScriptedModelReply => ({
  failure: {
    kind,
    message,
    fix: 'Do this.',
    usage: { inputTokens: 7, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, estimated: true },
  },
});

describe('a model that cannot be had', () => {
  it.each([
    'key',
    'no_credit',
    'unknown_model',
    'rate_limit',
    'overloaded',
    'network',
    'timeout',
    'garbage',
    'bad_request',
  ] as const)('ends the proposal in a way that can be taken up again: %s', async (kind) => {
    const error = await propose([failure(kind)]).catch((caught: unknown) => caught);
    expect(AssayError.is(error)).toBe(true);
    expect(error).toMatchObject({ code: 'provider', because: 'Too bad.', fix: 'Do this.' });
  });

  it('has nothing to propose where it is a recording that is over', async () => {
    const over = failure('recording_over', 'The recording of a/b has no more replies: all 2 were used.');
    expect((await propose([over])).proposed).toMatchObject({
      kind: 'no_proposal',
      reason: 'the recording of a/b has no more replies: all 2 were used',
      exhausted: null,
    });
  });

  it('gets a shorter message where the context is too long, three times', async () => {
    const feedback = madeFeedback({ failing: longFailures });
    const long = failure('context_too_long');
    const { model, proposer } = proposerOf([long, long, long, rightPatch]);
    expect(await proposer.propose(feedback, madeTools({ files: largeProject }))).toMatchObject({
      kind: 'proposal',
      usage: { tokens: 131 },
    });
    const lengths = model.requests.map((request) => firstText(request).length);
    for (const [index, chars] of lengths.slice(1).entries()) {
      expect(chars).toBeLessThanOrEqual((lengths[index] ?? 0) / 2 + 4);
    }
    const again = proposerOf([long, long, long, long]);
    await expect(again.proposer.propose(feedback, madeTools({ files: largeProject }))).rejects.toMatchObject({
      code: 'provider',
    });
  });

  it('is asked without reading where it was what was read that was too long', async () => {
    const reading = { toolCalls: [call('list_files', {})] };
    const { model, proposer } = proposerOf([reading, failure('context_too_long'), rightPatch]);
    const proposed = await proposer.propose(madeFeedback(), madeTools({ files: largeProject }));
    expect(proposed.kind).toBe('proposal');
    expect(model.requests[2]?.tools.map(({ name }) => name)).toEqual(['propose_patch']);
    expect(firstText(model.requests[2])).toBe(firstText(model.requests[0]));
  });

  it('ends with what the provider said where nothing can be left out any more', async () => {
    const long = failure('context_too_long', 'At most 512 tokens.');
    const error = await propose([long, long, long]).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'provider', because: 'At most 512 tokens.' });
  });

  it('is told apart from a context that cannot hold the names of the failing tests', async () => {
    const failing = Array.from({ length: 5000 }, (_, index) =>
      failingTest({ id: `t.py::test_number_${index}` }),
    );
    const { model, proposer } = proposerOf([rightPatch], {
      settings: madeSettings({ contextTokens: 16_000 }),
    });
    const error = await proposer
      .propose(madeFeedback({ failing }), madeTools())
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'provider', message: expect.stringContaining('too small') });
    expect(model.requests).toHaveLength(0);
  });

  it('gives names of thousands of tests more room than the usual', async () => {
    const failing = Array.from({ length: 9000 }, (_, index) =>
      failingTest({ id: `t.py::test_with_a_long_name_${index}` }),
    );
    const { model, proposer } = proposerOf([rightPatch]);
    expect(await proposer.propose(madeFeedback({ failing }), madeTools())).toMatchObject({
      kind: 'proposal',
    });
    expect(firstText(model.requests[0])).toContain('test_with_a_long_name_8999');
  });
});

describe('budgets', () => {
  it('stop a call that they do not cover, before it is made', async () => {
    for (const [budget, exhausted] of [
      [{ tokens: 1000 }, 'tokens'],
      [{ costUsd: 0.001 }, 'cost'],
      [{ wallMs: 0 }, 'wall'],
    ] as const) {
      const { model, proposer } = proposerOf([rightPatch]);
      expect(await proposer.propose(madeFeedback(), madeTools({ budget }))).toMatchObject({
        kind: 'no_proposal',
        exhausted,
      });
      expect(model.requests).toHaveLength(0);
    }
  });

  it('tell what the call that they do not cover takes, and what reply they would pay for', async () => {
    const needOfCall = async (budget: { tokens?: number; costUsd?: number }) => {
      const { proposer } = proposerOf([rightPatch]);
      const proposed = await proposer.propose(madeFeedback(), madeTools({ budget }));
      return proposed.kind === 'no_proposal' ? proposed.need : undefined;
    };
    const whole = proposerOf([rightPatch]);
    await whole.proposer.propose(madeFeedback(), madeTools());
    const [asked] = whole.model.requests;
    const { maxOutputTokens = 0 } = asked ?? {};
    const tokens = asked === undefined ? 0 : (projectionOf(asked, null).tokens ?? 0);
    const need = await needOfCall({ tokens: tokens - 100 });
    expect(need).toMatchObject({ replyTokens: maxOutputTokens });
    // Counted with the tools for reading, which a small project goes without.
    expect(need?.tokens).toBeGreaterThanOrEqual(tokens);
    expect(need?.tokens).toBeLessThan(tokens + 1000);
    const payable = need?.payableReplyTokens ?? 0;
    expect(payable).toBeLessThanOrEqual(maxOutputTokens - 100);
    const settings = madeSettings({ maxOutputTokens: payable });
    const shorter = proposerOf([rightPatch], { settings });
    const paid = await shorter.proposer.propose(
      madeFeedback(),
      madeTools({ budget: { tokens: tokens - 100 } }),
    );
    expect(paid.kind).toBe('proposal');
    expect((await needOfCall({ costUsd: 0.001 }))?.costUsd).toBeGreaterThan(0.001);
  });

  it('stop a call of unknown price where cost is limited', async () => {
    const { model, proposer } = proposerOf([rightPatch], { price: null });
    const proposed = await proposer.propose(madeFeedback(), madeTools({ budget: { costUsd: 100 } }));
    expect(proposed).toMatchObject({ kind: 'no_proposal', exhausted: 'cost' });
    expect(model.requests).toHaveLength(0);
  });

  it('make the message shorter where that helps', async () => {
    const feedback = madeFeedback({ failing: longFailures });
    const lengthWith = async (budget: { tokens?: number; costUsd?: number }) => {
      const { model, proposer } = proposerOf([rightPatch]);
      const proposed = await proposer.propose(feedback, madeTools({ files: largeProject, budget }));
      expect(proposed.kind).toBe('proposal');
      return firstText(model.requests[0]).length;
    };
    const free = await lengthWith({});
    expect(await lengthWith({ tokens: 20_000 })).toBeLessThan(free / 2);
    expect(await lengthWith({ costUsd: 0.03 })).toBeLessThan(free);
  });

  it('know no cost without a price', async () => {
    const { proposed } = await propose([rightPatch], { price: null });
    expect(proposed.usage).toMatchObject({ tokens: 110, costUsd: null });
  });

  it('are told what a call costs at most', async () => {
    const projections: unknown[] = [];
    const calls: CallLog = {
      ...noCallLog,
      calling: async ({ projection }) => void projections.push(projection),
    };
    const { model, proposer } = proposerOf([rightPatch]);
    await proposer.propose(madeFeedback(), madeTools({ calls }));
    expect(projections).toHaveLength(1);
    const [{ tokens = 0, costUsd = 0 } = {}] = projections as { tokens?: number; costUsd?: number }[];
    expect(tokens).toBeGreaterThan(4000 + firstText(model.requests[0]).length / 3.5);
    expect(costUsd).toBeCloseTo((tokens - 4000 + 2 * 4000) / 1e6, 9);
  });
});

/** A call log in memory; `taken`: what another process had journaled. */
function journal(taken: { request: string; result: ModelResult }[] = []) {
  const left = [...taken];
  const kept: { request: string; result: ModelResult }[] = [];
  const order: string[] = [];
  const log: CallLog = {
    past(request) {
      if (left[0]?.request !== request) {
        left.length = 0;
        return null;
      }
      return left.shift()?.result ?? null;
    },
    async calling() {
      order.push('calling');
    },
    async called({ request, result }) {
      order.push('called');
      kept.push({ request, result });
    },
  };
  return { log, kept, order };
}

describe('the journal of calls', () => {
  it('has each call before and after it is made', async () => {
    const { log, kept, order } = journal();
    const { proposer } = proposerOf([{ toolCalls: [call('list_files', {})] }, rightPatch]);
    await proposer.propose(madeFeedback(), madeTools({ files: largeProject, calls: log }));
    expect(order).toEqual(['calling', 'called', 'calling', 'called']);
    expect(new Set(kept.map(({ request }) => request)).size).toBe(2);
  });

  it('gives again what a killed process had, unpaid, and goes on where it was', async () => {
    const first = journal();
    const reading = { toolCalls: [call('list_files', {})] };
    await proposerOf([reading, failure('network')])
      .proposer.propose(madeFeedback(), madeTools({ files: largeProject, calls: first.log }))
      .catch(() => {});
    const { model, proposer } = proposerOf([rightPatch]);
    const second = journal(first.kept);
    const proposed = await proposer.propose(
      madeFeedback(),
      madeTools({ files: largeProject, calls: second.log }),
    );
    // The reading is given again; the failure that ended the run is asked for again.
    expect(proposed).toMatchObject({ kind: 'proposal', usage: { tokens: 110, costUsd: 0.00012 } });
    expect(model.requests).toHaveLength(1);
    expect(second.order).toEqual(['calling', 'called']);
  });

  it('needs no call at all where the reply was journaled', async () => {
    const first = journal();
    await proposerOf([rightPatch]).proposer.propose(madeFeedback(), madeTools({ calls: first.log }));
    const { model, proposer } = proposerOf([]);
    const proposed = await proposer.propose(madeFeedback(), madeTools({ calls: journal(first.kept).log }));
    expect(proposed).toMatchObject({ kind: 'proposal', usage: { tokens: 0, costUsd: 0 } });
    expect(model.requests).toHaveLength(0);
  });
});

describe('an abort', () => {
  it('rejects with its reason, after the call was journaled', async () => {
    const stop = new AbortController();
    const { log, order } = journal();
    const { model } = proposerOf([]);
    const slow = {
      ...model,
      call: async (): Promise<ModelResult> => {
        stop.abort(new Error('stopped by the user'));
        const result = await scriptedModel({ replies: [failure('aborted')] }).call(
          { system: '', messages: [], tools: [], toolChoice: 'none', maxOutputTokens: 1 },
          { signal: new AbortController().signal },
        );
        return result;
      },
    };
    const proposer = modelProposer({ model: slow, settings: madeSettings(), env: {} });
    const tools = madeTools({ signal: stop.signal, calls: log });
    await expect(proposer.propose(madeFeedback(), tools)).rejects.toThrow('stopped by the user');
    expect(order).toEqual(['calling', 'called']);
  });

  it('by the wall budget is the end of that budget', async () => {
    const waiting = {
      ...scriptedModel({ replies: [] }),
      call: (_: ModelRequest, { signal }: { signal: AbortSignal }) =>
        new Promise<ModelResult>((resolve) => {
          const give = () =>
            resolve({
              ok: false,
              failure: {
                kind: 'aborted',
                message: 'Stopped.',
                fix: '',
                retryAfterMs: null,
                usage: {
                  inputTokens: 5,
                  cacheReadTokens: 0,
                  cacheWriteTokens: 0,
                  outputTokens: 0,
                  estimated: true,
                },
              },
            });
          signal.addEventListener('abort', give, { once: true });
        }),
    };
    const proposer = modelProposer({ model: waiting, settings: madeSettings(), env: {} });
    const proposed = await proposer.propose(madeFeedback(), madeTools({ budget: { wallMs: 60 } }));
    expect(proposed).toMatchObject({ kind: 'no_proposal', exhausted: 'wall', usage: { tokens: 5 } });
    expect(proposed).toMatchObject({ because: expect.stringMatching(/ was silent for \d+\.\d s$/) });
  });
});

describe('what is sent', () => {
  it('holds no secret of the environment, nor one of a usual form', async () => {
    const value = 'hunter2-Long-secret';
    const files = { ...largeProject, 'src/total.py': `KEY = "${value}"\nTOKEN = "ghp_${'a1'.repeat(20)}"\n` };
    const { model, proposer } = proposerOf(
      [
        {
          text: value,
          toolCalls: [call('read_file', { path: 'src/total.py' }), call('search', { text: value })],
        },
        rightPatch,
      ],
      { env: { MY_API_KEY: value } },
    );
    const failing = [failingTest({ id: 'tests/test_total.py::test_sum', message: `leaked ${value}` })];
    await proposer.propose(madeFeedback({ failing, task: value }), madeTools({ files }));
    const sent = JSON.stringify(model.requests);
    expect(sent).toContain('[scrubbed:MY_API_KEY]');
    expect(sent).not.toContain(value);
    expect(sent).not.toContain('ghp_');
  });

  it('marks what the failing tests ran, where that can be had', async () => {
    const coverage = async () => ({
      tests: [
        { id: 'tests/test_total.py::test_sum', passed: false, lines: { 'src/total.py': [2, 3, 4, 5] } },
      ],
    });
    const { model, proposer } = proposerOf([rightPatch]);
    await proposer.propose(madeFeedback(), madeTools({ coverage }));
    expect(firstText(model.requests[0])).toContain('1 | def total(items):\n2*|     result = 0\n');
  });

  it('asks for coverage once where it cannot be had', async () => {
    let asked = 0;
    const coverage = () => {
      asked += 1;
      return Promise.reject(new Error('not for this framework'));
    };
    const { proposer } = proposerOf([rightPatch, rightPatch]);
    for (let round = 0; round < 2; round += 1)
      await proposer.propose(madeFeedback(), madeTools({ coverage }));
    expect(asked).toBe(1);
  });

  it('shows that the model is alive', async () => {
    const seen: ProposeProgress[] = [];
    const { proposer } = proposerOf([rightPatch]);
    await proposer.propose(madeFeedback(), madeTools({ onProgress: (progress) => seen.push(progress) }));
    expect(seen[0]).toEqual({ kind: 'model', model: 'scripted/model', at: 'waiting' });
  });
});
