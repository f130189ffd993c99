import { jsonrepair } from 'jsonrepair';
import { z } from 'zod';
import type { ModelReply, ToolCall } from '../../core/index.ts';
import type { ModelTool } from '../../propose/index.ts';
import type { Job, Want } from './state.ts';

/** Opens a block of a reply that is run as a cell, for models that call no tools. */
export const cellMark = '```execute';

const codeSchema = z.object({ code: z.string().describe('The whole cell.') });
const pathSchema = z.object({
  path: z.string().describe('Relative to the working folder, or artifact:NAME.'),
  from: z.int().min(1).optional().describe('First line to show, from 1.'),
});
const nothingSchema = z.object({});

/** What the model may call. */
export const analysisTools: readonly ModelTool[] = [
  {
    name: 'execute_code',
    description:
      'Runs one cell in the persistent kernel and gives what it printed, showed and changed. Variables and files stay.',
    input: codeSchema,
  },
  {
    name: 'list_artifacts',
    description: 'Lists the data files, and the files and figures that cells have made so far.',
    input: nothingSchema,
  },
  {
    name: 'read_file',
    description: 'Shows a text file of the working folder, or the whole of an output that was cut.',
    input: pathSchema,
  },
  {
    name: 'list_variables',
    description: 'Lists the variables of the kernel with type, shape and a short value.',
    input: nothingSchema,
  },
];

/** Calls of one reply that are done; what is over it is answered as not run. */
export const maxCalls = 16;
const maxCode = 200_000;

/** The calls of a reply as jobs. A call that asks for nothing that can be done says what is wrong with it. */
export function jobsOf({ toolCalls, finish, text }: Omit<ModelReply, 'usage'>): Job[] {
  const calls = toolCalls.length > 0 ? toolCalls : callsInText(text);
  return calls.map((call, index) => {
    const because = `Not run: the reply has ${calls.length} calls, and ${maxCalls} are done at most. Send the others again, in smaller replies.`;
    const want = index < maxCalls ? wantOf(call, finish) : ({ kind: 'nothing', because } as const);
    return { call, want, answer: null };
  });
}

/** A block without an end is none: the reply may have been cut in it. */
function callsInText(text: string): ToolCall[] {
  const calls: ToolCall[] = [];
  let block: string[] | null = null;
  for (const line of text.split(/\r?\n/)) {
    if (block === null) {
      if (/^```execute(?:_code)?\s*$/.test(line)) block = [];
    } else if (/^```\s*$/.test(line)) {
      const input = JSON.stringify({ code: block.join('\n') });
      calls.push({ id: `block-${calls.length + 1}`, name: 'execute_code', input });
      block = null;
    } else block.push(line);
  }
  return calls;
}

const names = analysisTools.map(({ name }) => name).join(', ');

function wantOf({ name, input }: ToolCall, finish: ModelReply['finish']): Want {
  switch (name) {
    case 'list_artifacts':
      return { kind: 'artifacts' };
    case 'list_variables':
      return { kind: 'variables' };
    case 'read_file': {
      const path = fieldOf(input, 'path', finish);
      if (!path.ok) return { kind: 'nothing', because: path.because };
      const from = Number(path.others.from ?? 1);
      return { kind: 'read', path: path.value, from: Number.isSafeInteger(from) && from > 0 ? from : 1 };
    }
    case 'execute_code': {
      const code = fieldOf(input, 'code', finish);
      if (!code.ok) return { kind: 'nothing', because: code.because };
      // No language takes it, and kernels break on it.
      if (code.value.includes('\0'))
        return { kind: 'nothing', because: 'Not run: the cell holds a NUL character.' };
      if (code.value.length <= maxCode) return { kind: 'cell', code: code.value };
      const because = `Not run: the cell has ${code.value.length} characters, and may have ${maxCode}.`;
      return { kind: 'nothing', because };
    }
    default: {
      const asked = JSON.stringify(name.slice(0, 80));
      return { kind: 'nothing', because: `Not run: there is no tool ${asked}. The tools are: ${names}.` };
    }
  }
}

type Field = { ok: true; value: string; others: Record<string, unknown> } | { ok: false; because: string };

/** A text among the arguments. Small slips of JSON are mended, unless the reply was cut: half a cell is no cell. */
function fieldOf(input: string, field: string, finish: ModelReply['finish']): Field {
  const example = JSON.stringify({ [field]: field === 'code' ? 'print(1)' : 'results.csv' });
  const wrong = (what: string): Field => ({
    ok: false,
    because: `Not run: ${what}. The arguments must be a JSON object like ${example}.`,
  });
  const parsed = parsedObject(input, finish !== 'length');
  if (parsed === null) {
    const cut = finish === 'length' ? ', for the reply was cut at its longest: write less at once' : '';
    return wrong(`the arguments are no JSON object${cut}`);
  }
  const value = parsed[field];
  if (typeof value !== 'string') return wrong(`"${field}" is missing or no text`);
  return value.trim() === '' ? wrong(`"${field}" is empty`) : { ok: true, value, others: parsed };
}

function parsedObject(input: string, mayMend: boolean): Record<string, unknown> | null {
  for (const read of [JSON.parse, (text: string) => JSON.parse(jsonrepair(text))]) {
    // Mending would close what a cut left open.
    if (read !== JSON.parse && !(mayMend && input.trimEnd().endsWith('}'))) return null;
    try {
      const value: unknown = read(input);
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return value as Record<string, unknown>;
    } catch {
      // The next way, or none.
    }
  }
  return null;
}
