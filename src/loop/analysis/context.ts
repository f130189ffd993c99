import {
  type CallSizes,
  charactersIn,
  estimateTokens,
  type Fence,
  fenceFor,
  type ModelMessage,
  type ModelRequest,
  requestCharacters,
} from '../../propose/index.ts';
import { blocksOf, keptFrom, type MadeBlocks, messagesOf } from './conversation.ts';
import { digestText, mustText, planText, statusText, steeringText } from './opening.ts';
import { type AnalysisState, partOf, usesText } from './state.ts';
import { systemPrompt } from './system-prompt.ts';
import { analysisTools } from './tools.ts';

/** An image that goes with the last message, to be filled in by who can read it. */
export type ImageRef = { artifact: string; mediaType: string; cell: number; name: string };

export type Context =
  | { ok: true; request: ModelRequest; images: ImageRef[] }
  /** What must be told whole is longer than the model takes. */
  | { ok: false; neededTokens: number };

/** More than this is not told, however much context there is: every turn is paid for. */
const usualTokens = 60_000;
const imageTokens = 1_600;
const maxImages = 4;
/** Kept free of the context: tokens are estimated. */
const margin = 0.03;

/**
 * What the model is asked in this turn, made anew from the state and held within a budget of tokens: the task, the
 * subtask and its instructions whole; the conversation from where it fits, older cells in a line each; and last what
 * variables and artifacts there are. It is compacted to half when it is full, so that between two compactions each
 * request begins like the one before and a provider's cache holds it. Pure.
 * @param options.budgetTokens of the request; default: what is usual, within what the model takes
 * @param options.made what was made for earlier turns of the run; changes what it costs, not what comes of it
 */
export function contextOf(
  state: AnalysisState,
  options: { sizes: CallSizes; budgetTokens?: number; made?: MadeBlocks },
): Context {
  const { sizes, budgetTokens = usualTokens, made } = options;
  const fence = fenceFor([state.spec.task, String(state.spec.seed)]);
  const request = requestWith(state, fence, sizes);
  const fixed = estimateTokens(requestCharacters(request([])));
  const most = Math.floor(sizes.contextTokens * (1 - margin)) - sizes.maxOutputTokens - fixed;
  const must = mustText(state);
  const mustTokens = estimateTokens(must.length + state.steering.join('\n- ').length) + leastRest;
  if (mustTokens > most) return { ok: false, neededTokens: mustTokens + fixed + sizes.maxOutputTokens };
  // A long task must leave room for the work on it.
  const budget = Math.min(most, Math.max(budgetTokens - fixed, 2 * mustTokens));
  const images = imagesOf(state);
  const rest =
    charactersIn(budget - imageTokens * images.length) - must.length - state.steering.join('\n- ').length;
  return {
    ok: true,
    request: request(messagesWithin(state, { fence, must, room: Math.max(0, rest), images, made })),
    images,
  };
}

/** Tokens without which nothing useful can be told beside the task. */
const leastRest = 2_000;

/** Shares of the room; what is left of them is for the frames. */
const shares = { summaries: 0.18, digest: 0.14, variables: 0.1, artifacts: 0.08, conversation: 0.44 };

const requestWith =
  (state: AnalysisState, fence: Fence, { maxOutputTokens }: CallSizes) =>
  (messages: readonly ModelMessage[]): ModelRequest => ({
    system: systemPrompt(state, fence.word),
    messages,
    tools: usesText(state) ? [] : analysisTools,
    toolChoice: usesText(state) ? 'none' : 'auto',
    maxOutputTokens,
  });

function messagesWithin(
  state: AnalysisState,
  options: {
    fence: Fence;
    must: string;
    room: number;
    images: readonly ImageRef[];
    made: MadeBlocks | undefined;
  },
): ModelMessage[] {
  const { fence, must, room, images, made } = options;
  const of = (share: keyof typeof shares) => Math.floor(room * shares[share]);
  const blocks = blocksOf(state, { fence, maxChars: of('conversation'), made });
  const from = keptFrom(blocks, of('conversation'));
  const kept = blocks.slice(from);
  const told = new Set(kept.flatMap(({ cells }) => cells));
  const earlier = state.cells.filter(({ cell }) => !told.has(cell));
  const steered = kept.reduce((count, block) => count + block.steered, 0);
  const opening = [
    must,
    steeringText(state, steered),
    planText(state, fence, of('summaries')),
    digestText(earlier, fence, of('digest')),
  ];
  const status = statusText(state, fence, { variables: of('variables'), artifacts: of('artifacts') });
  const seen = images.map(({ name, cell }) => `The image ${name} of cell ${cell} comes with this message.`);
  return messagesOf([
    { role: 'user', text: opening.filter((text) => text !== '').join('\n\n') },
    ...kept.flatMap(({ messages }) => messages),
    { role: 'user', text: [status, ...seen].join('\n') },
  ]);
}

/** Longer ones are told of in words only. */
const maxImageBytes = 1_500_000;
const visible = /^image\/(?:png|jpeg|gif|webp)$/;

/** The figures of the cells since the last reply, for a model that can see. */
function imagesOf(state: AnalysisState): ImageRef[] {
  if (!state.spec.images) return [];
  const reply = state.entries.findLast((entry) => entry.kind === 'reply');
  const cells = new Set(reply?.jobs.flatMap(({ answer }) => (answer?.kind === 'cell' ? [answer.cell] : [])));
  const { id } = partOf(state).subtask;
  return state.cells
    .filter(({ cell, subtask }) => cells.has(cell) && subtask === id)
    .flatMap(({ cell, artifacts }) =>
      artifacts
        .filter(({ mediaType, bytes }) => visible.test(mediaType) && bytes <= maxImageBytes)
        .map(({ sha256, mediaType, name }) => ({ artifact: sha256, mediaType, cell, name })),
    )
    .slice(-maxImages);
}
