import type { Output } from '../../core/index.ts';
import { normaliseMessage } from '../stagnation.ts';
import type { Job, RanCell } from './state.ts';

/** How many cells back a repetition counts: two that take turns are seen, a look at a table from long ago is none. */
const windowCells = 4;

/** What was done and what came of it. Equal ones brought nothing new. */
export function signatureOfCell({ code, result, evidence }: RanCell): string {
  const { end } = result;
  const same = normaliseCode(code);
  switch (end.status) {
    case 'error':
      return JSON.stringify(['error', same, end.ename, normaliseMessage(end.evalue)]);
    case 'ok': {
      const { files, variables } = evidence;
      const made = [...files.created, ...files.changed].map(({ path, sha256 }) => [path, sha256]);
      const held = [...(variables?.created ?? []), ...(variables?.changed ?? [])];
      const values = held.map(({ name, repr }) => [name, normaliseMessage(repr)]);
      const gone = [files.deleted.map(({ path }) => path), variables?.deleted ?? []];
      return JSON.stringify(['ok', same, result.outputs.map(outputText), made, values, gone]);
    }
    default:
      return JSON.stringify([end.status, same]);
  }
}

/** Of a reply in which no call could be done. */
export const signatureOfCalls = (jobs: readonly Job[]): string =>
  JSON.stringify(['calls', jobs.map(({ call }) => [call.name, call.input])]);

/** Whether `signature` came among the last few, and the list with it. */
export function repeats(
  signatures: readonly string[],
  signature: string,
): { again: boolean; signatures: string[] } {
  return {
    again: signatures.includes(signature),
    signatures: [...signatures, signature].slice(-windowCells),
  };
}

/** Code without what does not change what it does: comments on lines of their own, blank lines, spaces at ends. */
export function normaliseCode(code: string): string {
  return code
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !/^\s*#(?!!)/.test(line))
    .join('\n');
}

/** The text of an output without noise; images count as their kind only. */
export function outputText(output: Output): string {
  switch (output.output_type) {
    case 'stream':
      return `${output.name}: ${normaliseMessage(output.text)}`;
    case 'error':
      return `${output.ename}: ${normaliseMessage(output.evalue)}`;
    case 'display_data':
    case 'execute_result': {
      const plain = output.data['text/plain'];
      const kinds = Object.keys(output.data).sort().join(' ');
      return `${kinds}: ${normaliseMessage(typeof plain === 'string' ? plain : '')}`;
    }
  }
}
