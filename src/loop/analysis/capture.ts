import type { CellArtifact, CellEvidence, CellResult, MimeBundle, Output } from '../../core/index.ts';
import type { Kernel } from '../../kernel/index.ts';
import { headAndTail } from '../excerpt.ts';

/** Keeps bytes in the run folder under their sha256. */
export type Keep = (
  data: Uint8Array | string,
  as: { name: string; mediaType: string },
) => Promise<{ sha256: string; bytes: number }>;

export type CaptureOptions = {
  cell: number;
  result: CellResult;
  evidence: CellEvidence;
  kernel: Pick<Kernel, 'files'>;
  keep: Keep;
  /** The whole of a stream that the kernel cut, as far as it was held; null where it was not cut. */
  spilled: { stdout: Uint8Array | null; stderr: Uint8Array | null };
};

export type Captured = { result: CellResult; artifacts: CellArtifact[]; warnings: string[] };

/** Characters of a text that the journal keeps; longer ones are cut there and kept whole as an artifact. */
const journaledChars = 16 * 1024;
/** Outputs of one cell that the journal keeps, from the first. */
const maxOutputs = 300;
const maxFileBytes = 64 * 1024 * 1024;
const maxFiles = 200;

/** Keeps what a cell gave: its files, images and long texts as artifacts, and of its result what the journal holds. */
export async function captureCell(options: CaptureOptions): Promise<Captured> {
  const { result } = options;
  const artifacts: CellArtifact[] = [];
  const warnings: string[] = [];
  const outputs: Output[] = [];
  for (const [index, output] of result.outputs.slice(0, maxOutputs).entries())
    outputs.push(await journaledOutput(output, index, { ...options, artifacts }));
  const left = result.outputs.length - outputs.length;
  if (left > 0) warnings.push(`${left} outputs over ${maxOutputs} were left out`);
  for (const name of ['stdout', 'stderr'] as const) await keepStream(name, { ...options, artifacts });
  await keepFiles({ ...options, artifacts, warnings });
  return { result: { ...result, outputs }, artifacts, warnings };
}

type Into = CaptureOptions & { artifacts: CellArtifact[] };

async function journaledOutput(output: Output, index: number, into: Into): Promise<Output> {
  switch (output.output_type) {
    case 'stream':
      return { ...output, text: headAndTail(output.text, journaledChars) };
    case 'error': {
      const { ename, evalue, traceback } = output;
      const share = Math.max(400, Math.floor((2 * journaledChars) / Math.max(1, traceback.length)));
      return {
        ...output,
        ename: headAndTail(ename, 200),
        evalue: headAndTail(evalue, journaledChars),
        traceback: traceback.map((frame) => headAndTail(frame, share)),
      };
    }
    case 'display_data':
    case 'execute_result':
      return { ...output, data: await journaledData(output.data, index, into) };
  }
}

/** Images and everything long go into artifacts, and what stands for them says which. */
async function journaledData(data: MimeBundle, output: number, into: Into): Promise<MimeBundle> {
  const kept: MimeBundle = {};
  for (const [mediaType, value] of Object.entries(data)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const isImage = mediaType.startsWith('image/');
    if (!isImage && text.length <= journaledChars) {
      kept[mediaType] = value;
      continue;
    }
    const binary = isImage && mediaType !== 'image/svg+xml';
    const name = `cell-${into.cell}-output-${output + 1}.${extensionOf(mediaType)}`;
    const source = { kind: 'output' as const, output, mediaType };
    const artifact = await keepAs(
      binary ? Buffer.from(text, 'base64') : text,
      { name, mediaType, source },
      into,
    );
    // A reader of the journal alone still sees how a text begins and ends.
    kept[mediaType] = mediaType === 'text/plain' ? headAndTail(text, journaledChars) : { artifact };
  }
  return kept;
}

async function keepStream(stream: 'stdout' | 'stderr', into: Into): Promise<void> {
  const texts = into.result.outputs.flatMap((output) =>
    output.output_type === 'stream' && output.name === stream ? [output.text] : [],
  );
  const whole = into.spilled[stream] ?? texts.join('');
  if (into.spilled[stream] === null && !texts.some((text) => text.length > journaledChars)) return;
  const name = `cell-${into.cell}-${stream}.txt`;
  await keepAs(whole, { name, mediaType: 'text/plain', source: { kind: 'stream', name: stream } }, into);
}

async function keepFiles(into: Into & { warnings: string[] }): Promise<void> {
  const { evidence, kernel, warnings } = into;
  const files = [...evidence.files.created, ...evidence.files.changed];
  for (const { path, bytes } of files.slice(0, maxFiles)) {
    if (bytes > maxFileBytes) {
      warnings.push(`${path} is too large to be kept: ${bytes} bytes`);
      continue;
    }
    const content = await kernel.files.read(path);
    if (content === null) continue;
    const name = path.split('/').at(-1) ?? path;
    await keepAs(content, { name, mediaType: mediaTypeOf(path), source: { kind: 'file', path } }, into);
  }
  if (files.length > maxFiles)
    warnings.push(`${files.length - maxFiles} files over ${maxFiles} were not kept`);
}

async function keepAs(
  data: Uint8Array | string,
  as: Pick<CellArtifact, 'name' | 'mediaType' | 'source'>,
  { keep, artifacts }: Into,
): Promise<string> {
  const { sha256, bytes } = await keep(data, as);
  artifacts.push({ ...as, sha256, bytes });
  return sha256;
}

const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  tex: 'text/x-tex',
  json: 'application/json',
  ipynb: 'application/x-ipynb+json',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  parquet: 'application/vnd.apache.parquet',
};

export function mediaTypeOf(path: string): string {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(mediaTypes, ending) ? (mediaTypes[ending] ?? '') : 'application/octet-stream';
}

function extensionOf(mediaType: string): string {
  const [ending] = Object.entries(mediaTypes).find(([, type]) => type === mediaType) ?? [];
  return ending ?? (mediaType.endsWith('json') ? 'json' : 'txt');
}
