import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnalysisEvent } from '../../core/index.ts';
import type { ModelRequest, ScriptedModelReply } from '../../propose/index.ts';
import { byCode, type Played, play, type Scene } from './analysis.fixture.ts';
import { analysisMachine } from './machine.ts';
import { madeAnalysisSpec, madeCalls } from './made.ts';
import { subtaskOf } from './plan.ts';
import { analysisResultOf } from './result.ts';
import { analysisViewOf, foldAnalysis } from './view.ts';

const code = fc.oneof(
  { weight: 6, arbitrary: fc.nat(5).map((n) => `print ${n}`) },
  { weight: 4, arbitrary: fc.nat(3).map((n) => `raise ${n}`) },
  { weight: 2, arbitrary: fc.constantFrom('save a.csv', 'save b/c.png') },
  { weight: 1, arbitrary: fc.constantFrom('die', 'hang', 'gone') },
);
const badCall = fc.constantFrom(
  { id: '1', name: 'shell', input: '{}' },
  { id: '2', name: 'execute_code', input: 'not json' },
  { id: '3', name: 'read_file', input: '{"path":"a.csv"}' },
  { id: '4', name: 'list_variables', input: '{}' },
);
const reply: fc.Arbitrary<ScriptedModelReply> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.array(code, { minLength: 1, maxLength: 4 }).map((cells) => madeCalls(...cells)),
  },
  {
    weight: 2,
    arbitrary: fc.array(badCall, { minLength: 1, maxLength: 3 }).map((toolCalls) => ({ toolCalls })),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom('Done.', 'See a.csv.', '', { text: 'cut', finish: 'length' as const }),
  },
);

const scenes: fc.Arbitrary<Scene> = fc
  .record({
    replies: fc.array(reply, { maxLength: 24 }),
    subtasks: fc.integer({ min: 1, max: 3 }),
    retries: fc.nat(3),
    turns: fc.integer({ min: 1, max: 8 }),
    tokens: fc.option(fc.integer({ min: 3_000, max: 20_000 })),
    wallMs: fc.constantFrom(300, 2_000, 600_000),
    checked: fc.boolean(),
  })
  .map(({ replies, subtasks, checked, ...limits }) => ({
    replies,
    spec: {
      subtasks: Array.from({ length: subtasks }, (_, index) =>
        subtaskOf({ title: `Part ${index}`, prompt: `Do part ${index}.`, index }),
      ),
      limits: { ...madeAnalysisSpec().limits, ...limits },
      checks: checked ? [{ name: 'c', code: 'print check', subtask: null }] : [],
    },
  }));

const foldAll = (events: readonly AnalysisEvent[]) =>
  events.reduce<ReturnType<typeof foldAnalysis> | null>(foldAnalysis, null);

/** Every call of an assistant's message is answered by the message after it, in order. */
function unanswered({ messages }: ModelRequest): number {
  return messages.filter((message, index) => {
    if (message.role !== 'assistant' || message.toolCalls.length === 0) return false;
    const after = messages[index + 1];
    const ids = after?.role === 'tool' ? after.results.map(({ callId }) => callId) : [];
    return JSON.stringify(ids) !== JSON.stringify(message.toolCalls.map(({ id }) => id));
  }).length;
}

function checkEnds({ state, events, resumable }: Played): void {
  const ended = events.filter(({ type }) => type === 'run_ended');
  expect(ended).toHaveLength(resumable ? 0 : 1);
  expect(events.at(-1)?.type === 'run_ended').toBe(!resumable);
  // Each subtask that was begun has exactly one end, but for the one that is worked on where the run stands still.
  const open = state.parts.filter(({ end }) => end === null);
  expect(open.length).toBe(resumable ? 1 : 0);
  const told = events.flatMap((event) => (event.type === 'subtask_ended' ? [event.subtask] : []));
  expect(new Set(told).size).toBe(told.length);
  expect(state.parts.length - told.length).toBeLessThanOrEqual(1);
}

describe('every analysis', () => {
  it('ends once, or stands still; each subtask ends once; every call is answered', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const played = await play(scene);
        checkEnds(played);
        for (const request of played.model.requests) expect(unanswered(request)).toBe(0);
        const { limits } = played.state.spec;
        for (const { turns, failed } of played.state.parts) {
          expect(turns).toBeLessThanOrEqual(limits.turns);
          expect(failed).toBeLessThanOrEqual(limits.totalRetries + 1);
        }
        const result = analysisResultOf({ state: played.state, run: 'r', dir: '/r' });
        expect(result.reason).not.toBe('');
      }),
      { numRuns: 150 },
    );
  });

  it('starts no effect that is projected over what is left', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { events } = await play(scene);
        let state: ReturnType<typeof foldAnalysis> | null = null;
        for (const event of events) {
          if (event.type === 'effect_started' && state !== null) {
            const { spent, spec } = state;
            const tokens = spent.tokens + (event.projection.tokens ?? 0);
            if (spec.limits.tokens !== null) expect(tokens).toBeLessThanOrEqual(spec.limits.tokens);
            if (event.projection.wallMs !== undefined) expect(spent.wallMs).toBeLessThan(spec.limits.wallMs);
          }
          state = foldAnalysis(state, event);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is the fold of its events: of a beginning and then the rest, as of all at once', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, fc.nat(200), async (scene, cut) => {
        const { events, state } = await play(scene);
        const at = 1 + (cut % events.length);
        const begun = foldAll(events.slice(0, at));
        const frozen = JSON.stringify(begun);
        const whole = events.slice(at).reduce<typeof begun>(foldAnalysis, begun);
        expect(whole).toEqual(state);
        expect(JSON.stringify(begun)).toBe(frozen);
        if (begun !== null) {
          expect(analysisMachine.next(begun)).toEqual(analysisMachine.next(begun));
          expect(analysisViewOf(begun).turn).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 80 },
    );
  });

  it('that is cut anywhere can be taken up, asks for nothing twice, and comes to one end', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, fc.nat(500), async (scene, cut) => {
        const whole = await play(scene);
        const at = 1 + (cut % whole.events.length);
        const earlier = whole.events.slice(0, at);
        if (earlier.at(-1)?.type === 'run_ended') return;
        const answered = earlier.filter(({ type }) => type === 'model_called').length;
        const replies = scene.replies.slice(answered);
        const resumed = await play({ ...scene, replies, earlier, kernel: byCode });
        checkEnds(resumed);
        // The cut cell has its place, and no cell has another's number.
        const numbers = resumed.state.cells.map(({ cell }) => cell);
        expect(numbers).toEqual(numbers.map((_, index) => index + 1));
        for (const request of resumed.model.requests) expect(unanswered(request)).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});
