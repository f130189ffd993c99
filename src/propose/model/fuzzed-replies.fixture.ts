import fc from 'fast-check';
import type { ModelReply } from '../../core/index.ts';
import { exampleArguments, textFormat } from './prompt/index.ts';

/** A text that is nearly right: cut somewhere, with something put in. */
const nearly = (text: string) =>
  fc
    .tuple(
      fc.nat(text.length),
      fc.nat(text.length),
      fc.oneof(fc.constant(''), fc.string({ unit: 'binary', maxLength: 5 })),
    )
    .map(([from, to, put]) => text.slice(0, from) + put + text.slice(to));

const argumentsArb = fc.oneof(
  fc.constant(exampleArguments),
  nearly(exampleArguments),
  fc.json(),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constantFrom('{"path": "src/total.py"}', '{"regex": "(a+)+$"}', '{"text": "x"}', '{"glob": "**/*"}', ''),
);
const callArb = fc.record({
  id: fc.string({ maxLength: 5 }),
  name: fc.constantFrom(
    'propose_patch',
    'read_file',
    'search',
    'list_files',
    'constructor',
    '__proto__',
    'bash',
    '',
  ),
  input: argumentsArb,
});
/** One reply of a model that may do anything, often nearly right. */
export const replyArb: fc.Arbitrary<Partial<ModelReply>> = fc.record(
  {
    text: fc.oneof(fc.constant(''), nearly(textFormat), fc.string({ unit: 'binary', maxLength: 200 })),
    toolCalls: fc.array(callArb, { maxLength: 6 }),
    finish: fc.constantFrom('stop', 'tool_calls', 'length', 'refused', 'other'),
  },
  { requiredKeys: ['text'] },
);
