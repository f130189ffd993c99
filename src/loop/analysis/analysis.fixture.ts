import { createHash } from 'node:crypto';
import { type AnalysisEvent, type AnalysisSpec, analysisEventSchema } from '../../core/index.ts';
import { type FakeKernel, type FakeReply, fakeKernel } from '../../kernel/index.ts';
import { type ScriptedModel, type ScriptedModelReply, scriptedModel } from '../../propose/index.ts';
import { drive, type Inbox } from '../drive.ts';
import { createInbox } from '../inbox.ts';
import { fakeClock, memoryJournal } from '../testing.ts';
import { analysisBudget } from './budget.ts';
import { analysisEffects } from './effects.ts';
import { fileEvidence } from './evidence-port.ts';
import { holdKernel } from './kernel-holder.ts';
import { analysisMachine } from './machine.ts';
import { madeAnalysisSpec, madeError, madePrint } from './made.ts';
import { askedOf } from './models.ts';
import type { AnalysisState } from './state.ts';
import { positionResumed, takeUpAnalysis } from './take-up.ts';

/** A kernel that answers by the code, e.g. `print 4`, `raise no column`, `save a.csv`. */
export function byCode(code: string): FakeReply {
  const [, verb, rest = ''] = /^(\w+) ?(.*)$/s.exec(code.trim()) ?? [];
  switch (verb) {
    case 'raise':
      return madeError('ValueError', rest);
    case 'save':
      return { files: { [rest]: `content of ${rest}` } };
    case 'drop':
      return { files: { [rest]: null } };
    case 'slow':
      return { end: { status: 'timeout', deadlineMs: 1000, stateLost: false }, files: { [rest]: 'half' } };
    case 'die':
      return { end: { status: 'died', cause: 'oom', detail: 'out of memory' } };
    case 'hang':
      return { end: { status: 'timeout', deadlineMs: 1000, stateLost: true } };
    case 'gone':
      return { end: { status: 'unavailable', detail: 'no answer', fix: 'start it' } };
    default:
      return madePrint(rest);
  }
}

export type Scene = {
  replies: readonly ScriptedModelReply[];
  spec?: Partial<AnalysisSpec>;
  kernel?: (code: string) => FakeReply;
  files?: Record<string, string>;
  inbox?: Inbox;
  /** Called before each event is journaled; may throw to cut the run there. */
  before?: (event: AnalysisEvent) => void;
  /** The journal of a process that was cut, to be taken up again. */
  earlier?: readonly AnalysisEvent[];
};

export type Played = {
  state: AnalysisState;
  events: AnalysisEvent[];
  model: ScriptedModel;
  kernel: FakeKernel;
  resumable: boolean;
  /** The ids of the models that were looked up. */
  ids: string[];
};

/** Plays an analysis in memory to its end, with a scripted model and a fake kernel; 10 ms of active time a reading. */
export async function play(scene: Scene): Promise<Played> {
  const spec = madeAnalysisSpec(scene.spec);
  const clock = fakeClock();
  const ticking = {
    ...clock,
    monotonicMs() {
      clock.advance(10);
      return clock.monotonicMs();
    },
  };
  const model = scriptedModel({ replies: scene.replies });
  const kernel = fakeKernel({
    replies: scene.kernel ?? byCode,
    files: scene.files ?? { 'prices.csv': 'a,b\n' },
  });
  const journal = memoryJournal<AnalysisEvent>();
  const events = [...(scene.earlier ?? [{ type: 'run_started' as const, spec }])];
  let { position, resumed } = takeUpAnalysis(events);
  if (scene.earlier !== undefined) {
    events.push(resumed);
    position = positionResumed(position, resumed);
  }
  const kept = new Map<string, Buffer>();
  const ids: string[] = [];
  const modelOf = (id: string) => {
    ids.push(id);
    return model;
  };
  const asked = askedOf(modelOf, position.state.spec);
  const { state, resumable } = await drive({
    machine: analysisMachine,
    position,
    effects: analysisEffects({
      asked,
      clock: ticking,
      holder: holdKernel(async () => kernel),
      evidenceOf: fileEvidence,
      keep: async (data) => {
        const bytes = Buffer.from(data);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        kept.set(sha256, bytes);
        return { sha256, bytes: bytes.length };
      },
      readArtifact: async (sha256) => kept.get(sha256) ?? Buffer.from(''),
      compareInputs: async () => [],
    }),
    journal: {
      async append(event, options) {
        scene.before?.(event);
        const journaled = await journal.append(event, options);
        analysisEventSchema.parse(journaled);
        events.push(journaled);
        return journaled;
      },
    },
    budget: analysisBudget(asked),
    inbox: scene.inbox ?? createInbox(),
    signal: new AbortController().signal,
    clock,
  });
  return { state, events, model, kernel, resumable, ids };
}

/** What the last request of a model holds, as one text. */
export function lastAsked(model: ScriptedModel): string {
  return model.requests.at(-1)?.messages.map(textOf).join('\n') ?? '';
}

export function textOf(message: ScriptedModel['requests'][number]['messages'][number]): string {
  switch (message.role) {
    case 'user':
      return message.text;
    case 'assistant':
      return [message.text, ...message.toolCalls.map(({ input }) => input)].join('\n');
    case 'tool':
      return message.results.map(({ text }) => text).join('\n');
  }
}
