import { createHash } from 'node:crypto';
import { withoutNoise } from '../noise.ts';
import type { ModelMessage, ModelRequest } from './types.ts';

/**
 * The sha256, in hex, of what a request says of the project: the same where only times, places on the disk, the rounds
 * that are left, or assay's own instructions and limits differ.
 */
export function requestGist({ messages }: ModelRequest): string {
  const said = JSON.stringify(messages.map(saidIn));
  return createHash('sha256').update(said).digest('hex');
}

function saidIn(message: ModelMessage): unknown {
  switch (message.role) {
    case 'user':
      return gistOf(message.text);
    case 'assistant':
      return [gistOf(message.text), message.toolCalls.map(({ name, input }) => [name, gistOf(input)])];
    case 'tool':
      return message.results.map(({ text }) => gistOf(text));
  }
}

/** Beside noise, what depends on where a project lies and on how long a run may go on. */
const circumstances: readonly (readonly [RegExp, string])[] = [
  // The word of a fence is made of all that it parts, noise included.
  [/\bDATA-[0-9a-f]{12}\b/g, 'DATA'],
  [/(?:This is the last patch that will be tested|\d+ more patches can be tested)\./g, ''],
  // Of a path its last part stays, whatever folder it is in.
  [/(?:file:\/\/|(?<![\w.~/]))\/(?:[\w.@+~-]+\/)+/g, '/'],
];

const gistOf = (text: string): string =>
  // First, for to noise a file in a temporary folder has no name.
  withoutNoise(circumstances.reduce((rest, [pattern, word]) => rest.replace(pattern, word), text));
