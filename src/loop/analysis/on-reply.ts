import { beginChecks } from './checking.ts';
import { answerPure } from './on-cell.ts';
import { repeats, signatureOfCalls } from './repeats.ts';
import { type AnalysisState, closing, type EventOf, partOf, withNote, withPart } from './state.ts';
import { jobsOf, maxCalls } from './tools.ts';
import { toAsk } from './turns.ts';

/** Replies that may be cut, or say nothing, before one counts as all that the model has to say. */
const maxCutShort = 3;

/** A reply calls tools, or says that the subtask is complete, or says nothing. */
export function onReply(state: AnalysisState, { turn, reply }: EventOf<'replied'>): AnalysisState {
  const jobs = jobsOf(reply);
  const { text } = reply;
  const byText = reply.toolCalls.length === 0 && jobs.length > 0;
  const entries = [...state.entries, { kind: 'reply' as const, turn, text, jobs, byText }];
  const part = partOf(state);
  const taken = withPart(
    { ...state, entries },
    { turns: turn, calls: part.calls + jobs.length, summary: text.trim() === '' ? part.summary : text },
  );
  if (jobs.length === 0) return onText(taken, reply);
  const able = jobs.slice(0, maxCalls).some(({ want }) => want.kind !== 'nothing');
  const working: AnalysisState = { ...taken, phase: { at: 'tool_call_issued' } };
  return able ? answerPure(withPart(working, { cutShort: 0 })) : onUseless(working);
}

/** Every call is answered with what is wrong with it; the same reply again is answered once more, and no more. */
function onUseless(state: AnalysisState): AnalysisState {
  const reply = state.entries.at(-1);
  const answered = answerPure(state);
  const { signatures: past, toldRepeat } = partOf(state);
  const jobs = reply?.kind === 'reply' ? reply.jobs : [];
  const { again, signatures } = repeats(past, signatureOfCalls(jobs));
  const noted = withPart(answered, { signatures, toldRepeat: again });
  if (again && toldRepeat) {
    const detail = 'the model sends the same calls again, which cannot be done';
    return closing(noted, { status: 'stuck', why: 'same_error', detail });
  }
  return noted;
}

function onText(state: AnalysisState, { text, finish }: EventOf<'replied'>['reply']): AnalysisState {
  const part = partOf(state);
  const cut = finish === 'length' || text.trim() === '';
  if (cut && part.cutShort < maxCutShort) {
    const why =
      finish === 'length'
        ? 'Your reply was cut at the longest it may be. Go on in smaller steps.'
        : 'Your reply was empty. Call a tool, or say in words what you found.';
    return toAsk(withNote(withPart(state, { cutShort: part.cutShort + 1 }), why));
  }
  if (part.calls === 0 && !part.reminded) {
    const reminder =
      'You have not run any code. Call execute_code to work on the task: what you say without having run it cannot be checked, and will not be accepted. If you cannot call tools, put the cell into a block that begins with a line ```execute and ends with a line ```.';
    return toAsk(withNote(withPart(state, { reminded: true }), reminder));
  }
  return beginChecks(withPart(state, { cutShort: cut ? part.cutShort : 0 }), text);
}
