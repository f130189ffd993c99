import { describe, expect, it } from 'vitest';
import type { ModelResult } from '../../core/index.ts';
import type { CallLog } from '../types.ts';
import { call, failure, largeProject, proposerOf, rightPatch } from './asked-proposer.fixture.ts';
import { madeFeedback, madeSettings, madeTools } from './proposer.fixture.ts';
import { modelProposer } from './proposer.ts';
import { scriptedModel } from './scripted.ts';
import type { ModelRequest } from './types.ts';

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
