import { describe, expect, it } from 'vitest';
import { exampleArguments } from './prompt/index.ts';
import { madeFeedback, madeSettings, madeTools } from './proposer.fixture.ts';
import { modelProposer } from './proposer.ts';
import { scriptedModel } from './scripted.ts';

const patchCall = { toolCalls: [{ id: 'c1', name: 'propose_patch', input: exampleArguments }] };

describe('modelProposer', () => {
  it('proposes what the model calls for', async () => {
    const model = scriptedModel({ replies: [patchCall] });
    const proposer = modelProposer({
      model,
      settings: madeSettings(),
      env: {},
      price: { input: 1, output: 2 },
    });
    const proposed = await proposer.propose(madeFeedback(), madeTools());
    expect(proposed).toMatchObject({
      kind: 'proposal',
      motivation: 'The loop stops one item early.',
      edits: [{ op: 'replace', path: 'src/total.py' }],
      usage: { tokens: 110, costUsd: 0.00012 },
    });
  });
});
