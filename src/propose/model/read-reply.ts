import type { Edit, ModelReply } from '../../core/index.ts';
import { isScrubbed } from '../../store/index.ts';
import type { ProposerTools } from '../types.ts';
import {
  type ParsedPatch,
  parsePatchArguments,
  parsePatchText,
  proposePatchName,
  type Transport,
  withoutNumbers,
} from './prompt/index.ts';

/** What a reply proposes, or why it proposes nothing; null where it only asks to read. */
export function readReply(
  reply: ModelReply,
  options: { transport: Transport; read: ProposerTools['read'] },
): ParsedPatch | null {
  const { transport, read } = options;
  const parsed = transport === 'text' ? fromText(reply, read) : fromTool(reply, read);
  return parsed?.ok === true ? checked(parsed, { reply, read }) : parsed;
}

function fromTool(reply: ModelReply, read: ProposerTools['read']): ParsedPatch | null {
  const patches = reply.toolCalls.filter(({ name }) => name === proposePatchName);
  if (patches.length > 0) return together(patches.map(({ input }) => parsePatchArguments(input)));
  if (reply.toolCalls.length > 0) return null;
  const text = fromText(reply, read);
  // A model that answers a tool by text may still have written the edits.
  if (text.ok) return text;
  return { ok: false, problem: `The reply calls no tool: call ${proposePatchName}. ${text.problem}` };
}

/** Some models call once for each file; it is one patch all the same. */
function together(parsed: readonly ParsedPatch[]): ParsedPatch {
  const wrong = parsed.find((one) => !one.ok);
  if (wrong !== undefined) return wrong;
  const right = parsed.filter((one) => one.ok);
  return {
    ok: true,
    motivation: right
      .map(({ motivation }) => motivation)
      .join(' ')
      .trim(),
    edits: right.flatMap(({ edits }) => edits),
  };
}

function fromText(reply: ModelReply, read: ProposerTools['read']): ParsedPatch {
  return parsePatchText(reply.text, {
    read: (path) => {
      const text = read(path);
      return text === null ? null : { bytes: Buffer.from(text), mode: 0o644 };
    },
  });
}

const maxMotivation = 2000;

function checked(
  { motivation, edits }: Extract<ParsedPatch, { ok: true }>,
  { reply, read }: { reply: ModelReply; read: ProposerTools['read'] },
): ParsedPatch {
  const plain = edits.map((edit) => unnumbered(edit, read));
  const marked = plain.findIndex((edit) => quotesSecret(edit, read));
  if (marked !== -1) {
    const problem = `Edit ${marked + 1} quotes a secret that was taken out ([scrubbed:...]): leave such lines out of it.`;
    return { ok: false, problem };
  }
  const why = motivation || reply.text.trim() || 'no reason given';
  return { ok: true, motivation: why.slice(0, maxMotivation).toWellFormed(), edits: plain };
}

/** Search text that was copied with its line numbers, where the file does not hold it that way. */
function unnumbered(edit: Edit, read: ProposerTools['read']): Edit {
  if (edit.op !== 'replace') return edit;
  const search = withoutNumbers(edit.search);
  if (search === null || read(edit.path)?.includes(edit.search) === true) return edit;
  return { ...edit, search, replace: withoutNumbers(edit.replace) ?? edit.replace };
}

/** Whether an edit holds a mark that stands for a secret, where the file has no such mark of its own. */
function quotesSecret(edit: Edit, read: ProposerTools['read']): boolean {
  const marked = textsOf(edit).filter(isScrubbed);
  if (marked.length === 0) return false;
  const file = read(edit.path) ?? '';
  return marked.some((text) =>
    (text.match(/\[scrubbed:[\w-]+\]/g) ?? []).some((mark) => !file.includes(mark)),
  );
}

function textsOf(edit: Edit): string[] {
  if (edit.op === 'replace') return [edit.search, edit.replace];
  return edit.op === 'create' ? [edit.content] : [];
}
