import { describe, expect, it } from 'vitest';
import { createInbox } from '../inbox.ts';
import { lastAsked, type Played, play, textOf } from './analysis.fixture.ts';
import { madeAnalysisSpec, madeCalls } from './made.ts';
import { subtaskOf } from './plan.ts';
import { analysisResultOf } from './result.ts';

const limits = madeAnalysisSpec().limits;
const done = 'The mean is 4.';
const endsOf = ({ events }: Played) =>
  events.flatMap((event) => (event.type === 'subtask_ended' ? [event.end] : []));
const call = (name: string, input: string, id = 'x') => ({ toolCalls: [{ id, name, input }] });

describe('subtasks', () => {
  const subtasks = ['Explore', 'Answer', 'Sensitivity'].map((title, index) =>
    subtaskOf({ title, prompt: `Do ${title}.`, index }),
  );

  it('are worked on in turn with what was found before, each with its own end', async () => {
    const replies = [madeCalls('a'), 'Found 12 rows.', madeCalls('b'), 'It is 4.', madeCalls('c'), 'Robust.'];
    const played = await play({ replies, spec: { subtasks } });
    expect(endsOf(played).map(({ status }) => status)).toEqual(['complete', 'complete', 'complete']);
    expect(played.state.phase).toMatchObject({ end: { status: 'complete', verification: 'not_run' } });
    const last = lastAsked(played.model);
    expect(last).toContain('Found 12 rows.');
    expect(last).toContain('3 of 3');
    expect(last).toContain('Do Sensitivity.');
    expect(last).toContain(madeAnalysisSpec().task);
    expect(played.kernel.executed).toEqual(['a', 'b', 'c']);
  });

  it('go on after one that failed, which then decides the end of the run', async () => {
    const again = madeCalls('print 1');
    const replies = [again, again, again, madeCalls('b'), 'It is 4.', madeCalls('c'), 'Robust.'];
    const played = await play({ replies, spec: { subtasks } });
    expect(endsOf(played).map(({ status }) => status)).toEqual(['stuck', 'complete', 'complete']);
    expect(played.state.phase).toMatchObject({ end: { status: 'stuck', subtask: '1-explore' } });
    expect(lastAsked(played.model)).toContain('not finished, nothing new came');
  });

  it('may each ask a model of their own', async () => {
    const own = subtasks.map((subtask, index) =>
      index === 1 ? { ...subtask, model: 'other/model' } : subtask,
    );
    const { ids } = await play({
      replies: [madeCalls('a'), done, madeCalls('b'), done, madeCalls('c'), done],
      spec: { subtasks: own },
    });
    expect(ids).toEqual(['scripted/model', 'other/model']);
  });

  const plan = (titles: readonly string[]) =>
    call(
      'split_task',
      JSON.stringify({ subtasks: titles.map((title) => ({ title, prompt: `Do ${title}.` })) }),
    );

  it('are what the model plans, where it is asked to', async () => {
    const replies = [plan(['Look', 'Answer']), madeCalls('a'), done, madeCalls('b'), done];
    const played = await play({ replies, spec: { plan: true } });
    expect(played.state.subtasks.map(({ id }) => id)).toEqual(['1-look', '2-answer']);
    expect(endsOf(played).map(({ status }) => status)).toEqual(['complete', 'complete']);
    expect(played.model.requests[0]?.toolChoice).toEqual({ tool: 'split_task' });
  });

  it('have titles of one short line, and no plan has prompts that leave no room for the work', async () => {
    const split = (...subtasks: { title: string; prompt: string }[]) =>
      call('split_task', JSON.stringify({ subtasks }));
    const long = split({ title: 'A', prompt: 'word '.repeat(100_000) });
    const odd = split(
      { title: 'A\n\n# B', prompt: 'a' },
      { title: ' ', prompt: 'b' },
      { title: 'c'.repeat(999), prompt: 'c' },
    );
    const { state } = await play({
      replies: [long, odd, madeCalls('a'), done, madeCalls('b'), done, madeCalls('c'), done],
      spec: { plan: true },
    });
    const titles = state.subtasks.map(({ title }) => title);
    expect(titles).toEqual(['A # B', 'Part 2', expect.stringMatching(/^c{119}…$/)]);
    expect(state.phase).toMatchObject({ end: { status: 'complete' } });
  });

  it('are the task as it stands after two replies that are no plan', async () => {
    const played = await play({
      replies: ['No.', call('split_task', '{}'), madeCalls('a'), done],
      spec: { plan: true },
    });
    expect(played.state.subtasks.map(({ id }) => id)).toEqual(['1-mean-price']);
    expect(played.state.warnings[0]).toContain('the task was not split');
    expect(lastAsked({ ...played.model, requests: played.model.requests.slice(0, 2) })).toContain(
      'was no plan',
    );
    expect(endsOf(played)).toMatchObject([{ status: 'complete' }]);
  });
});

describe('limits', () => {
  const cells = Array.from({ length: 30 }, (_, index) => madeCalls(`print ${index}`));

  it('of turns end the subtask, not the run', async () => {
    const subtasks = ['one', 'two'].map((title, index) => subtaskOf({ title, prompt: title, index }));
    const played = await play({ replies: cells, spec: { subtasks, limits: { ...limits, turns: 3 } } });
    expect(endsOf(played)).toEqual([
      { status: 'turn_limit', limit: 3 },
      { status: 'turn_limit', limit: 3 },
    ]);
  });

  it.each([
    ['tokens', { tokens: 12_000 }],
    ['cost', { costUsd: 0.012 }],
  ])('of %s end the run before a call that may go over them', async (which, limit) => {
    const used = { inputTokens: 2500, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const replies = cells.map((reply) => ({ ...reply, usage: { ...used, estimated: false } }));
    const played = await play({ replies, spec: { limits: { ...limits, turns: 50, ...limit } } });
    const { phase, parts, spent } = played.state;
    expect(phase).toMatchObject({
      at: 'ended',
      end: { status: 'budget_exhausted', which, subtask: '1-mean-price' },
    });
    expect(parts[0]?.end).toMatchObject({ status: 'budget_exhausted', which });
    expect(spent.tokens).toBeGreaterThan(0);
    expect(spent.tokens).toBeLessThanOrEqual(12_000);
  });

  it('of time end the run when they are used up', async () => {
    const { state } = await play({ replies: cells, spec: { limits: { ...limits, turns: 50, wallMs: 400 } } });
    expect(state.phase).toMatchObject({ end: { status: 'budget_exhausted', which: 'wall' } });
    expect(state.cells.length).toBeGreaterThan(0);
  });

  it('of time that the last step went over is told in seconds', async () => {
    const { state } = await play({ replies: cells, spec: { limits: { ...limits, turns: 50, wallMs: 399 } } });
    const { warnings } = analysisResultOf({ state, run: 'x', dir: '/x' });
    expect(warnings).toEqual([
      expect.stringMatching(/^the last step went over its limit: \d\.\d s of 0\.4 s$/),
    ]);
  });

  it('of the context that cannot hold the task are a pause with a way out', async () => {
    const task = 'Count the words. '.repeat(20_000);
    const subtasks = [subtaskOf({ title: 'Words', prompt: task, index: 0 })];
    const { state, resumable } = await play({ replies: cells, spec: { task, subtasks } });
    expect(resumable).toBe(true);
    expect(state.halted).toMatchObject({ status: 'environment_error' });
    expect(JSON.stringify(state.halted)).toContain('too small for this task');
  });
});

describe('messages of the user', () => {
  it('reach the model at the next turn, and in every later subtask', async () => {
    const inbox = createInbox();
    const subtasks = ['one', 'two'].map((title, index) => subtaskOf({ title, prompt: title, index }));
    const played = await play({
      replies: [madeCalls('a'), done, madeCalls('b'), done],
      spec: { subtasks },
      inbox,
      before: (event) => {
        if (event.type === 'cell_ran' && event.cell === 1)
          inbox.put({ kind: 'steer', text: 'Use the median.' });
      },
    });
    expect(
      played.model.requests.map(({ messages }) =>
        messages.map(textOf).join('\n').includes('Use the median.'),
      ),
    ).toEqual([false, true, true, true]);
  });

  it('take back a claim that is not decided yet', async () => {
    const inbox = createInbox();
    const played = await play({
      replies: [madeCalls('a'), done, madeCalls('b'), 'The median is 5.'],
      inbox,
      before: (event) => {
        if (event.type === 'replied' && event.turn === 2)
          inbox.put({ kind: 'steer', text: 'And the median?' });
      },
    });
    expect(played.kernel.executed).toEqual(['a', 'b']);
    expect(played.state.parts[0]?.summary).toBe('The median is 5.');
  });

  it('stop the run in good order', async () => {
    const inbox = createInbox();
    const { state, resumable, events } = await play({
      replies: [madeCalls('a'), done],
      inbox,
      before: (event) => {
        if (event.type === 'cell_ran') inbox.put({ kind: 'stop', detail: 'enough' });
      },
    });
    expect(resumable).toBe(true);
    expect(state.halted).toMatchObject({ status: 'aborted', detail: 'enough' });
    expect(events.some(({ type }) => type === 'run_ended')).toBe(false);
  });
});

describe('a provider', () => {
  it('that fails lets the run stand still; what was answered is not asked for again', async () => {
    const failing = await play({ replies: [madeCalls('a'), { failure: { kind: 'overloaded' } }] });
    expect(failing.state.halted).toMatchObject({ status: 'environment_error' });
    const resumed = await play({ replies: [done], earlier: failing.events });
    expect(resumed.model.requests).toHaveLength(1);
    expect(resumed.kernel.executed).toEqual([]);
    expect(endsOf(resumed)).toMatchObject([{ status: 'complete' }]);
  });

  it('that finds a request too long gets a shorter one', async () => {
    const tooLong = { failure: { kind: 'context_too_long' as const } };
    const { model, state } = await play({ replies: [madeCalls('a'), tooLong, tooLong, done] });
    expect(model.requests).toHaveLength(4);
    expect(state.phase).toMatchObject({ end: { status: 'complete' } });
  });

  it('that refuses is heard as a reply without words', async () => {
    const refused = { failure: { kind: 'refused' as const } };
    const { state } = await play({ replies: [refused, madeCalls('a'), done] });
    expect(state.phase).toMatchObject({ end: { status: 'complete' } });
  });
});

describe('a model without tools', () => {
  const block = (code: string) => `I run it.\n\n\`\`\`execute\n${code}\n\`\`\`\n`;

  it('has the blocks of its text run, and is answered in text', async () => {
    const spec = { settings: { ...madeAnalysisSpec().settings, transport: 'text' as const } };
    const { model, kernel, state } = await play({ replies: [block('print 4'), done], spec });
    expect(kernel.executed).toEqual(['print 4']);
    expect(state.phase).toMatchObject({ end: { status: 'complete' } });
    expect(model.requests[1]?.tools).toEqual([]);
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(lastAsked(model)).toContain('Cell 1 ran.');
    expect(model.requests[0]?.system).toContain('```execute');
  });

  it('behind a server that refuses tools is asked in text from then on', async () => {
    const refused = { failure: { kind: 'bad_request' as const, message: 'this model has no tools' } };
    const { model, state } = await play({ replies: [refused, block('print 4'), done] });
    expect(model.requests.map(({ tools }) => tools.length > 0)).toEqual([true, false, false]);
    expect(state.phase).toMatchObject({ end: { status: 'complete' } });
  });

  it('plans in text', async () => {
    const spec = { plan: true, settings: { ...madeAnalysisSpec().settings, transport: 'text' as const } };
    const plan = '```json\n{"subtasks": [{"title": "Look", "prompt": "Look."}]}\n```';
    const { state } = await play({ replies: [plan, block('print 4'), done], spec });
    expect(state.subtasks.map(({ id }) => id)).toEqual(['1-look']);
    expect(state.phase).toMatchObject({ end: { status: 'complete' } });
  });
});
