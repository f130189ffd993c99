import type { ToolCall } from '../../core/index.ts';
import type { Fence, ModelMessage } from '../../propose/index.ts';
import { cellText, clip } from './cell-text.ts';
import { lineOf } from './listings.ts';
import type { AnalysisState, Entry, Job, RanCell } from './state.ts';

/** A reply with the answers to its calls and what was said after it; kept or left out as one. */
export type Block = {
  messages: ModelMessage[];
  chars: number;
  /** Numbers of the cells it tells of. */
  cells: number[];
  /** Messages of the user in it. */
  steered: number;
};

/**
 * Blocks made before, of one run. All but the last stay what they are from turn to turn, and making a thousand of them
 * anew in each costs more than everything else: entries and cells are never changed, only replaced.
 */
export type MadeBlocks = WeakMap<Entry, { entries: readonly Entry[]; word: string; inSizes: Block[] }>;

/** Characters of one cell's outputs, of its code, and of a text of the model, when there is room. */
const usual = { output: 8_000, code: 20_000, text: 8_000, note: 6_000 };
type Sizes = typeof usual;

/** The conversation of the subtask in blocks, each at most `maxChars` long. */
export function blocksOf(
  state: AnalysisState,
  {
    fence,
    maxChars,
    made = new WeakMap(),
  }: { fence: Fence; maxChars: number; made?: MadeBlocks | undefined },
): Block[] {
  const { cells } = state;
  return groups(state.entries).map((entries) => {
    const inSizes = madeOf(entries, fence, made);
    // Halved until the block fits: a reply of many calls, or a page of code.
    for (let [sizes, halvings] = [usual, 0]; ; sizes = halved(sizes), halvings += 1) {
      const block = inSizes[halvings] ?? blockOf(entries, { cells, fence, sizes });
      inSizes[halvings] = block;
      if (block.chars <= maxChars || sizes.output < 100) return block;
    }
  });
}

/** The blocks that were made of these very entries, from the usual sizes on, each half as large as the one before. */
function madeOf(entries: readonly Entry[], { word }: Fence, made: MadeBlocks): Block[] {
  const [first] = entries;
  if (first === undefined) return [];
  const known = made.get(first);
  const isSame =
    known?.word === word &&
    known.entries.length === entries.length &&
    known.entries.every((entry, index) => entry === entries[index]);
  if (isSame) return known.inSizes;
  const inSizes: Block[] = [];
  made.set(first, { entries, word, inSizes });
  return inSizes;
}

/** The first block to keep: all of them while they fit; when they are full, from where half of the room is used. */
export function keptFrom(blocks: readonly Pick<Block, 'chars'>[], room: number): number {
  let from = 0;
  let chars = 0;
  for (const [index, block] of blocks.entries()) {
    chars += block.chars;
    if (chars <= room) continue;
    while (from < index && chars > room / 2) {
      chars -= blocks[from]?.chars ?? 0;
      from += 1;
    }
  }
  return from;
}

/** Messages of one side in a row as one: some providers want turns to alternate. */
export function messagesOf(messages: readonly ModelMessage[]): ModelMessage[] {
  const joined: ModelMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === 'user' && last?.role === 'user')
      joined[joined.length - 1] = { role: 'user', text: `${last.text}\n\n${message.text}` };
    else joined.push(message);
  }
  return joined;
}

function groups(entries: readonly Entry[]): Entry[][] {
  const grouped: Entry[][] = [];
  for (const entry of entries) {
    const last = grouped.at(-1);
    if (entry.kind === 'reply' || last === undefined) grouped.push([entry]);
    else last.push(entry);
  }
  return grouped;
}

const halved = (sizes: Sizes): Sizes => ({
  output: Math.floor(sizes.output / 2),
  code: Math.floor(sizes.code / 2),
  text: Math.floor(sizes.text / 2),
  note: Math.max(1_000, Math.floor(sizes.note / 2)),
});

type BlockOptions = { cells: readonly RanCell[]; fence: Fence; sizes: Sizes };

function blockOf(entries: readonly Entry[], options: BlockOptions): Block {
  const messages = entries.flatMap((entry) => entryMessages(entry, options));
  const jobs = entries.flatMap((entry) => (entry.kind === 'reply' ? entry.jobs : []));
  return {
    messages,
    chars: messages.reduce((sum, message) => sum + charsOf(message), 0),
    cells: jobs.flatMap(({ answer }) => (answer?.kind === 'cell' ? [answer.cell] : [])),
    steered: entries.filter((entry) => entry.kind === 'note' && entry.by === 'user').length,
  };
}

/** With what a message costs besides its text. */
function charsOf(message: ModelMessage): number {
  switch (message.role) {
    case 'user':
      return message.text.length + 20;
    case 'assistant':
      return message.toolCalls.reduce((sum, call) => sum + call.input.length + 60, message.text.length + 20);
    case 'tool':
      return message.results.reduce((sum, { text }) => sum + text.length + 60, 0);
  }
}

function entryMessages(entry: Entry, options: BlockOptions): ModelMessage[] {
  switch (entry.kind) {
    case 'note': {
      // What the user says is never shortened.
      if (entry.by === 'user') return [{ role: 'user', text: `The user says: ${entry.text}` }];
      return [{ role: 'user', text: clip(entry.text, options.sizes.note) }];
    }
    case 'reflection':
      return [{ role: 'user', text: reflectionText(entry, options) }];
    case 'reply': {
      const { text, jobs } = entry;
      const toolCalls = jobs.map(({ call }) => ({ ...call, input: clippedInput(call, options.sizes.code) }));
      const said: ModelMessage = { role: 'assistant', text: clip(text, options.sizes.text), toolCalls };
      if (jobs.length === 0) return said.text === '' ? [] : [said];
      if (entry.byText) {
        const answers = jobs.map((job) => answerText(job, options));
        return [
          { ...said, toolCalls: [] },
          { role: 'user', text: answers.join('\n\n') },
        ];
      }
      const results = jobs.map((job) => ({
        callId: job.call.id,
        tool: job.call.name,
        text: answerText(job, options),
      }));
      return [said, { role: 'tool', results }];
    }
  }
}

/** Long code is told by its beginning and end, in arguments that are still what the tool takes. */
function clippedInput({ name, input }: ToolCall, maxChars: number): string {
  if (input.length <= maxChars) return input;
  const field = name === 'execute_code' ? 'code' : 'cut';
  return JSON.stringify({ [field]: clip(input, Math.max(80, Math.floor(maxChars * 0.7))) });
}

function answerText({ answer }: Job, { cells, fence, sizes }: BlockOptions): string {
  if (answer === null) return 'Not done yet.';
  switch (answer.kind) {
    case 'text':
      return answer.text;
    case 'data':
      return fence.block(answer.label, clip(answer.text, 2 * sizes.output));
    case 'cell': {
      const ran = cells[answer.cell - 1];
      return ran === undefined ? 'Not known.' : cellText(ran, { fence, maxChars: sizes.output });
    }
  }
}

/** After an error: the code that failed, next to what is asked of the model now. */
function reflectionText(
  { cell, failures }: Extract<Entry, { kind: 'reflection' }>,
  { cells, fence, sizes }: BlockOptions,
): string {
  const ran = cells[cell - 1];
  const end = ran?.result.end;
  const what =
    end?.status === 'error' ? lineOf(`${end.ename}: ${end.evalue}`, 300) : 'no end within its time';
  const again =
    failures < 2
      ? ''
      : ` It is the ${failures}th failure in a row: look at what you assume, by a small cell that prints it.`;
  const code = fence.block(
    'the code that failed',
    clip(ran?.code ?? '', Math.max(200, Math.floor(sizes.code / 8))),
  );
  return `Cell ${cell} failed with ${what}\n${code}Say in a sentence what caused it, then run corrected code.${again}`;
}
