import type { ModelFailure, ModelReply } from '../../core/index.ts';
import type { ProposerTools } from '../types.ts';
import type { CallSizes } from './call-sizes.ts';
import type { CallOutcome, PaidCalls } from './paid-calls.ts';
import {
  charactersIn,
  estimateTokens,
  type Opening,
  type ParsedPatch,
  proposePatchName,
  proposePatchTool,
  type Reader,
  readerOf,
  readingLimits,
  readingTools,
  systemPrompt,
  type Transport,
} from './prompt/index.ts';
import { readReply } from './read-reply.ts';
import type { ModelMessage, ModelRequest, ModelTool } from './types.ts';
import { requestCharacters } from './usage.ts';

export type Conversed =
  | { kind: 'answered'; answer: ParsedPatch }
  /** `asked`: calls that were answered before. */
  | { kind: 'failure'; failure: ModelFailure; asked: number }
  | Extract<CallOutcome, { kind: 'exhausted' }>;

export type ConverseOptions = {
  opening: Extract<Opening, { ok: true }>;
  transport: Transport;
  /** False: it has to propose at once. */
  mayRead: boolean;
  sizes: CallSizes;
  calls: PaidCalls;
  tools: Pick<ProposerTools, 'files' | 'read'>;
  clean: (text: string) => string;
};

/** Calls in which a model may read before it has to propose. */
const maxReadingCalls = 6;

/**
 * Asks for one patch. By tool, in a project that the opening does not hold in full, the model may first read: a
 * small project is shown whole, where every further call would only cost. After the caps it must propose.
 */
export async function converse(options: ConverseOptions): Promise<Conversed> {
  const { opening, transport, sizes, calls, tools, clean } = options;
  const reader = options.mayRead && transport === 'tool' && !opening.complete ? readerFor(options) : null;
  const first: ModelMessage = { role: 'user', text: opening.text };
  let messages: ModelMessage[] = [first];
  for (let asked = 0; ; asked += 1) {
    const mayRead = reader !== null && reader.left > 0 && asked < maxReadingCalls;
    const ask = () => requestOf({ transport, reads: reader !== null, mayRead, messages, sizes });
    // The model's own words may have filled the context: what it read is dropped rather than the proposal.
    if (requestTokens(ask()) + sizes.maxOutputTokens > sizes.contextTokens) messages = [first];
    const outcome = await calls.call(ask());
    if (outcome.kind === 'failure') return { ...outcome, asked };
    if (outcome.kind === 'exhausted') return outcome;
    const { reply } = outcome;
    const answer = cutShort(reply, sizes) ?? readReply(reply, { transport, read: tools.read });
    if (answer !== null) return { kind: 'answered', answer };
    if (reader === null || !mayRead) return { kind: 'answered', answer: wrongTool(reply) };
    messages = [...messages, ...readings(reply, reader, clean)];
  }
}

function requestOf(options: {
  transport: Transport;
  reads: boolean;
  mayRead: boolean;
  messages: readonly ModelMessage[];
  sizes: CallSizes;
}): ModelRequest {
  const { transport, reads, mayRead, messages, sizes } = options;
  const byTool = transport === 'tool';
  return {
    system: systemPrompt({ transport, reading: reads }),
    messages,
    // The tools stay when reading is over: providers want those that earlier messages name.
    tools: byTool ? toolsFor(reads) : [],
    toolChoice: byTool ? (mayRead ? 'required' : { tool: proposePatchName }) : 'none',
    maxOutputTokens: sizes.maxOutputTokens,
  };
}

const toolsFor = (reads: boolean): readonly ModelTool[] =>
  reads ? [...readingTools, proposePatchTool] : [proposePatchTool];

const requestTokens = (request: ModelRequest): number => estimateTokens(requestCharacters(request));

/** Tokens of a request besides its messages, with everything that may be offered. */
export function fixedTokens(transport: Transport): number {
  const empty = { messages: [], mayRead: true, reads: true, transport };
  return requestTokens(requestOf({ ...empty, sizes: { contextTokens: 0, maxOutputTokens: 0 } }));
}

/** Room in the context for answers is shared out beforehand, so that what is read never makes a call too long. */
function readerFor({ opening, sizes, tools, clean, transport }: ConverseOptions): Reader | null {
  const used = estimateTokens(opening.text) + fixedTokens(transport) + sizes.maxOutputTokens;
  const room = charactersIn((sizes.contextTokens - used) * answerShare);
  const chars = Math.min(
    readingLimits.charsPerAnswer,
    Math.max(leastAnswer, Math.floor(room / readingLimits.answers)),
  );
  const answers = Math.min(readingLimits.answers, Math.floor(room / chars));
  if (answers === 0) return null;
  return readerOf({ tools, fence: opening.fence, clean, limits: { answers, charsPerAnswer: chars } });
}

/** The rest is for what the model says and for the frames of answers. */
const answerShare = 0.75;
const leastAnswer = 2000;

/** Every call of a reply gets its answer, in order. */
function readings(reply: ModelReply, reader: Reader, clean: (text: string) => string): ModelMessage[] {
  const results = reply.toolCalls.map((call) => ({
    callId: call.id,
    tool: call.name,
    text: reader.answer(call) ?? `There is no tool of this name. Call ${proposePatchName}.`,
  }));
  const toolCalls = reply.toolCalls.map((call) => ({ ...call, input: clean(call.input) }));
  return [
    { role: 'assistant', text: clean(reply.text), toolCalls },
    { role: 'tool', results },
  ];
}

/** A reply that a limit or a refusal cut: what there is of a patch is not the patch. */
function cutShort({ finish }: ModelReply, { maxOutputTokens }: CallSizes): ParsedPatch | null {
  switch (finish) {
    case 'length': {
      const problem = `The reply was cut at maxOutputTokens (${maxOutputTokens}): propose a smaller patch, in fewer words.`;
      return { ok: false, problem };
    }
    case 'refused':
      return { ok: false, problem: 'The model refused to answer.' };
    case 'stop':
    case 'tool_calls':
    case 'other':
      return null;
  }
}

function wrongTool({ toolCalls }: ModelReply): ParsedPatch {
  const names = [...new Set(toolCalls.map(({ name }) => JSON.stringify(name.slice(0, 80))))].slice(0, 5);
  return { ok: false, problem: `The reply calls ${names.join(', ')}, not ${proposePatchName}.` };
}
