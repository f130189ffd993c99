import type { OutputSink } from './remote-cell.ts';

/** Characters of one cell that the SDK, which keeps all of them until the cell ends, is let take. */
const maxChars = 256 * 2 ** 20;

export const flooded = `The cell put out more than ${maxChars / 2 ** 20} million characters and was interrupted.`;

/** Passes everything on, and tells when it is too much. */
export function withLimit(sink: OutputSink, onFlood: () => void): OutputSink {
  let chars = 0;
  const count = (value: unknown) => {
    chars += typeof value === 'string' ? value.length : 0;
    if (chars > maxChars) onFlood();
  };
  return {
    put: (output) => {
      if (output.output_type === 'stream') count(output.text);
      sink.put(output);
    },
    apply: (change) => {
      if (change.kind === 'put') for (const value of Object.values(change.output.data)) count(value);
      sink.apply(change);
    },
  };
}
