import { addAbortSignal, type Readable } from 'node:stream';
import { AssayError } from '../core/index.ts';

/**
 * Standard input to its end.
 * @throws AssayError `input` where it is over `maxBytes`; the signal's reason on abort.
 */
export async function readStdin(options: {
  stdin: Readable;
  maxBytes: number;
  signal: AbortSignal;
}): Promise<Uint8Array> {
  const { stdin, maxBytes, signal } = options;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of addAbortSignal(signal, stdin)) {
    const part = chunk as Uint8Array;
    bytes += part.length;
    if (bytes > maxBytes) {
      throw new AssayError({
        code: 'input',
        message: `Standard input is over ${maxBytes / 2 ** 20} MiB`,
        fix: 'give the files as a folder',
      });
    }
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}
