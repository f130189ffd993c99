import { describe, expect, it } from 'vitest';
import { planEdits } from '../../patch/index.ts';
import type { ProposeProgress } from '../types.ts';
import {
  call,
  firstText,
  largeProject,
  patchOf,
  problemOf,
  propose,
  proposerOf,
  rightPatch,
  rightText,
} from './asked-proposer.fixture.ts';
import { failingTest, madeFeedback, madeTools } from './proposer.fixture.ts';
import type { ScriptedModelReply } from './scripted.ts';

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
