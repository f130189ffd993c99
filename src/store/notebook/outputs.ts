import { createHash } from 'node:crypto';
import {
  type ArtifactRef,
  artifactRefSchema,
  type CellArtifact,
  type MimeBundle,
  type Output,
} from '../../core/index.ts';
import type { NotebookOutput } from './format.ts';
import { bytesOfData, dataOfBytes, isJsonType, textOfData } from './mime.ts';

export type OutputOptions = {
  /** The bytes of an artifact that stands in a bundle in place of its data. */
  readArtifact: (sha256: string) => Promise<Uint8Array>;
  /** What the cell gave that is kept, to be pointed to. */
  artifacts: readonly CellArtifact[];
  /** Bytes of one MIME type of one output that a notebook holds; more becomes a pointer to the artifact. */
  maxBytes: number;
};

/** The outputs of a result as nbformat 4.5 has them. */
export async function notebookOutputs(
  outputs: readonly Output[],
  options: OutputOptions,
): Promise<NotebookOutput[]> {
  const made: NotebookOutput[] = [];
  for (const [index, output] of outputs.entries()) made.push(await notebookOutput(output, index, options));
  return made;
}

async function notebookOutput(
  output: Output,
  index: number,
  options: OutputOptions,
): Promise<NotebookOutput> {
  switch (output.output_type) {
    case 'stream':
      return { output_type: 'stream', name: output.name, text: capText(output.text, options.maxBytes) };
    case 'error':
      return {
        output_type: 'error',
        ename: output.ename,
        evalue: capText(output.evalue, options.maxBytes),
        traceback: output.traceback.map((frame) => capText(frame, options.maxBytes)),
      };
    case 'display_data':
      return { output_type: 'display_data', ...(await rich(output, index, options)) };
    case 'execute_result':
      return {
        output_type: 'execute_result',
        execution_count: output.execution_count,
        ...(await rich(output, index, options)),
      };
  }
}

type Rich = { data: MimeBundle; metadata: Record<string, unknown> };

async function rich(output: Rich, index: number, options: OutputOptions): Promise<Rich> {
  const data: MimeBundle = {};
  const metadata = { ...output.metadata };
  const pointers: Pointer[] = [];
  for (const [mediaType, value] of Object.entries(output.data)) {
    const found = await resolve({ mediaType, value, index, options });
    if ('left' in found) pointers.push(found.left);
    else data[mediaType] = found.value;
  }
  if (pointers.length > 0) {
    metadata.assay = { artifacts: pointers };
    data['text/plain'] = [
      ...('text/plain' in data ? [textOfData(data['text/plain'])] : []),
      ...pointers.map(wordsOf),
    ].join('\n');
  }
  return { data, metadata };
}

/** Data that is too large for a notebook. `artifact`: the file in the run's `artifacts/` that holds it, if any. */
type Pointer = { mediaType: string; bytes: number; artifact: string | null };

function wordsOf({ mediaType, bytes, artifact }: Pointer): string {
  const where = artifact === null ? 'and is not kept' : `and is in artifacts/${artifact}`;
  return `[${mediaType} of ${bytes} bytes is too large for the notebook ${where}]`;
}

async function resolve(options: {
  mediaType: string;
  value: unknown;
  index: number;
  options: OutputOptions;
}): Promise<{ value: unknown } | { left: Pointer }> {
  const { mediaType, value, index } = options;
  const { artifacts, maxBytes, readArtifact } = options.options;
  const ref = asArtifactRef(value);
  if (ref === null) {
    const bytes = sizeOf(mediaType, value);
    if (bytes <= maxBytes) return { value: isJsonType(mediaType) ? value : textOfData(value) };
    const sha256 = createHash('sha256').update(bytesOfData(mediaType, value)).digest('hex');
    const kept = artifacts.some((artifact) => artifact.sha256 === sha256);
    return { left: { mediaType, bytes, artifact: kept ? sha256 : null } };
  }
  const known = artifacts.find(
    ({ sha256, source }) => sha256 === ref.artifact && source.kind === 'output' && source.output === index,
  );
  if (known !== undefined && known.bytes > maxBytes)
    return { left: { mediaType, bytes: known.bytes, artifact: ref.artifact } };
  const bytes = await readArtifact(ref.artifact);
  if (bytes.length > maxBytes) return { left: { mediaType, bytes: bytes.length, artifact: ref.artifact } };
  return { value: dataOfBytes(mediaType, bytes) };
}

/** Whether a value in a bundle stands for an artifact. JSON data that looks so is kept as an artifact itself. */
export function asArtifactRef(value: unknown): ArtifactRef | null {
  const parsed = artifactRefSchema.strict().safeParse(value);
  return parsed.success && /^[0-9a-f]{64}$/.test(parsed.data.artifact) ? parsed.data : null;
}

function sizeOf(mediaType: string, value: unknown): number {
  if (typeof value === 'string') return value.length;
  return bytesOfData(mediaType, value).length;
}

function capText(text: string, maxBytes: number): string {
  if (text.length <= maxBytes) return text;
  const half = Math.floor(maxBytes / 2);
  const leftOut = text.length - 2 * half;
  return `${text.slice(0, half)}\n[... ${leftOut} characters left out ...]\n${text.slice(-half)}`;
}
