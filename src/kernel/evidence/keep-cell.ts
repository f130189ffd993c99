import { stripVTControlCharacters } from 'node:util';
import {
  AssayError,
  type CellArtifact,
  type CellEvidence,
  type CellResult,
  type MimeBundle,
  type Output,
} from '../../core/index.ts';
import { asArtifactRef, bytesOfData, isBinaryType, isJsonType, textOfData } from '../../store/index.ts';
import type { Kernel } from '../types.ts';
import { withoutNotes } from './figures.ts';
import { extensionOf, mediaTypeOf } from './media-types.ts';

/** Keeps bytes in the run folder under their sha256, as a run's `artifact` does. */
export type Keep = (
  data: Uint8Array | string,
  as: { name: string; mediaType: string },
) => Promise<{ sha256: string; bytes: number }>;

/** What a cell gave, and where to keep it. */
export type KeepOptions = {
  /** The cell's number in its run, for names. */
  cell: number;
  result: CellResult;
  /** Its files are kept; its figures' titles become names. */
  evidence: CellEvidence;
  kernel: Pick<Kernel, 'files'>;
  keep: Keep;
  /** The whole of a stream that the kernel cut, as far as it was held; null where it was not cut. */
  spilled: { stdout: Uint8Array | null; stderr: Uint8Array | null };
  caps?: Partial<KeepCaps>;
};

export type KeepCaps = {
  /** Characters of a text, or of data that is no image, that stay in the result. Default 16 Ki. */
  maxChars: number;
  /** Outputs that stay in the result, from the first. Default 300. */
  maxOutputs: number;
  /** Files of one cell that are kept. Default 200. */
  maxFiles: number;
  /** Of one file that is kept. Default 64 MiB. */
  maxFileBytes: number;
};

const defaultCaps: KeepCaps = {
  maxChars: 16 * 1024,
  maxOutputs: 300,
  maxFiles: 200,
  maxFileBytes: 64 * 2 ** 20,
};

/** A result as the journal holds it, what was kept of it, and what a person should know. */
export type Kept = { result: CellResult; artifacts: CellArtifact[]; warnings: string[] };

type Place = Omit<KeepOptions, 'caps'> & { caps: KeepCaps; artifacts: CellArtifact[]; warnings: string[] };
type At = Place & {
  /** Of the outputs; null for what came for earlier cells. */
  index: number | null;
  sourceOf: (mediaType: string) => CellArtifact['source'];
};

/**
 * Keeps every image, table, error, long text and file of a cell as an artifact. In the result that comes back an image,
 * and other data that is large, is an `ArtifactRef`, and a long text is cut to head and tail; the notes of the probe are
 * taken out.
 */
export async function keepCell(options: KeepOptions): Promise<Kept> {
  const place: Place = {
    ...options,
    result: withoutNotes(options.result),
    caps: { ...defaultCaps, ...options.caps },
    artifacts: [],
    warnings: [],
  };
  const { artifacts, warnings, caps, result } = place;
  const outputs: Output[] = [];
  for (const [index, output] of firstOf(result.outputs, caps.maxOutputs).entries()) {
    const sourceOf = (mediaType: string) => ({ kind: 'output', output: index, mediaType }) as const;
    outputs.push(await keepOutput(output, { ...place, index, sourceOf }));
  }
  const left = result.outputs.length - outputs.length;
  if (left > 0) warnings.push(`${left} outputs over ${caps.maxOutputs} were left out.`);
  for (const name of ['stdout', 'stderr'] as const) await keepStream(name, place);
  await keepFiles(place);
  return { result: { ...result, outputs, ...(await keepEarlier(place)) }, artifacts, warnings };
}

/** The first outputs; in place of the last of them the error that the cell ended with, where that came later. */
function firstOf(outputs: readonly Output[], most: number): Output[] {
  const error = outputs.slice(most).findLast((output) => output.output_type === 'error');
  return error === undefined ? outputs.slice(0, most) : [...outputs.slice(0, most - 1), error];
}

/** What came for earlier cells: what threads of them put out, and new content of their displays. */
async function keepEarlier(place: Place): Promise<Pick<CellResult, 'late' | 'updates'>> {
  const kept: Pick<CellResult, 'late' | 'updates'> = {};
  for (const [late, { output, ...of }] of (place.result.late ?? []).entries()) {
    const sourceOf = (mediaType: string) => ({ kind: 'late', late, mediaType }) as const;
    if (output.output_type === 'stream' && output.text.length > place.caps.maxChars) {
      const as = { title: output.name, mediaType: 'text/plain' };
      await keepAs({ data: output.text, ...as, source: sourceOf(as.mediaType) }, place);
    }
    kept.late ??= [];
    kept.late.push({ ...of, output: await keepOutput(output, { ...place, index: null, sourceOf }) });
  }
  for (const [update, { data, ...of }] of (place.result.updates ?? []).entries()) {
    const sourceOf = (mediaType: string) => ({ kind: 'update', update, mediaType }) as const;
    kept.updates ??= [];
    kept.updates.push({ ...of, data: await keepBundle(data, { ...place, index: null, sourceOf }) });
  }
  return kept;
}

async function keepOutput(output: Output, at: At): Promise<Output> {
  const { maxChars } = at.caps;
  switch (output.output_type) {
    case 'stream':
      return { ...output, text: cutText(output.text, maxChars) };
    case 'error': {
      const text =
        stripVTControlCharacters(output.traceback.join('\n')) || `${output.ename}: ${output.evalue}`;
      await keepData({ data: text, title: `error-${output.ename}`, mediaType: 'text/plain' }, at);
      const frame = Math.max(400, Math.floor((2 * maxChars) / Math.max(1, output.traceback.length)));
      return {
        ...output,
        ename: cutText(output.ename, 200),
        evalue: cutText(output.evalue, maxChars),
        traceback: output.traceback.map((part) => cutText(part, frame)),
      };
    }
    case 'display_data':
    case 'execute_result':
      return { ...output, data: await keepBundle(output.data, at) };
  }
}

/** The whole of a stream that is cut somewhere, or left out in some of its places, once. */
async function keepStream(stream: 'stdout' | 'stderr', place: Place): Promise<void> {
  const { result, caps } = place;
  const { maxChars, maxOutputs } = caps;
  const texts = result.outputs.flatMap((output) =>
    output.output_type === 'stream' && output.name === stream ? [output.text] : [],
  );
  const spilled = place.spilled[stream];
  const isCut = texts.some((text) => text.length > maxChars);
  const isLeftOut = result.outputs
    .slice(maxOutputs)
    .some((output) => output.output_type === 'stream' && output.name === stream);
  if (spilled === null && !isCut && !isLeftOut) return;
  const as = { title: stream, mediaType: 'text/plain', source: { kind: 'stream', name: stream } } as const;
  await keepAs({ data: spilled ?? texts.join(''), ...as }, place);
}

function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  const gap = `[... ${text.length - 2 * half} characters left out ...]`;
  return `${text.slice(0, half).toWellFormed()}\n${gap}\n${text.slice(-half).toWellFormed()}`;
}

async function keepBundle(data: MimeBundle, at: At): Promise<MimeBundle> {
  const kept: MimeBundle = {};
  for (const [mediaType, value] of Object.entries(data)) {
    if (!isBinaryType(mediaType) && !isKept(mediaType, value, at)) {
      kept[mediaType] = value;
      continue;
    }
    const data = bytesOfData(mediaType, value);
    const { sha256 } = await keepData({ data, title: titleOf(mediaType, value, at), mediaType }, at);
    const isSmallTable = isTable(mediaType, value) && !isLarge(mediaType, value, at);
    if (isSmallTable) kept[mediaType] = value;
    // A reader of the journal alone still sees how a text begins and ends.
    else if (mediaType === 'text/plain') kept[mediaType] = cutText(textOfData(value), at.caps.maxChars);
    else kept[mediaType] = { artifact: sha256 };
  }
  return kept;
}

function isKept(mediaType: string, value: unknown, at: At): boolean {
  if (mediaType.startsWith('image/') || isTable(mediaType, value)) return true;
  // Data that looks like the sign of an artifact must not be taken for one.
  return isLarge(mediaType, value, at) || asArtifactRef(value) !== null;
}

function isLarge(mediaType: string, value: unknown, at: At): boolean {
  const text = isJsonType(mediaType) ? (JSON.stringify(value) ?? '') : textOfData(value);
  return text.length > at.caps.maxChars;
}

function isTable(mediaType: string, value: unknown): boolean {
  return mediaType === 'text/html' && /<table[\s>]/i.test(textOfData(value));
}

function titleOf(mediaType: string, value: unknown, { evidence, index }: At): string {
  if (isTable(mediaType, value)) return 'table';
  if (mediaType === 'text/plain') return 'value';
  const figure = evidence.figures.find(({ output }) => output !== null && output === index);
  const titles = figure === undefined ? [] : [figure.title, ...figure.axes.map(({ title }) => title)];
  return titles.find((title) => title !== '') ?? (mediaType.startsWith('image/') ? 'figure' : 'output');
}

type Data = { data: Uint8Array | string; title: string; mediaType: string };

function keepData({ mediaType, ...data }: Data, at: At): Promise<CellArtifact> {
  return keepAs({ ...data, mediaType, source: at.sourceOf(mediaType) }, at);
}

async function keepAs(
  { data, title, mediaType, source }: Data & { source: CellArtifact['source'] },
  { keep, cell, artifacts }: Place,
): Promise<CellArtifact> {
  const name = free(`cell-${cell}-${slug(title)}`, extensionOf(mediaType), artifacts);
  const { sha256, bytes } = await keep(data, { name, mediaType });
  const artifact = { sha256, name, mediaType, bytes, source };
  artifacts.push(artifact);
  return artifact;
}

/** Letters and digits of any script, so that a title stays readable. */
function slug(title: string): string {
  const words =
    title
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...words.join('-')].slice(0, 48).join('').replace(/-+$/, '') || 'output';
}

function free(stem: string, extension: string, taken: readonly CellArtifact[]): string {
  const names = new Set(taken.map(({ name }) => name));
  for (let number = 1; ; number++) {
    const name = `${stem}${number === 1 ? '' : `-${number}`}${extension}`;
    if (!names.has(name)) return name;
  }
}

/** Code that goes on in the background may make of a file what can no longer be read. */
async function readOrWarn(
  { files }: Pick<Kernel, 'files'>,
  path: string,
  warnings: string[],
): Promise<Uint8Array | null> {
  try {
    return await files.read(path);
  } catch (error) {
    if (!AssayError.is(error)) throw error;
    warnings.push(`${path} could not be kept: ${error.message}`);
    return null;
  }
}

async function keepFiles({ evidence, kernel, keep, caps, artifacts, warnings }: Place): Promise<void> {
  const files = [...evidence.files.created, ...evidence.files.changed];
  for (const { path, bytes } of files.slice(0, caps.maxFiles)) {
    if (bytes > caps.maxFileBytes) {
      warnings.push(
        `${path} has ${Math.round(bytes / 2 ** 20)} MiB, too much to be kept in the run's folder.`,
      );
      continue;
    }
    const content = await readOrWarn(kernel, path, warnings);
    if (content === null) continue;
    const as = { name: path.slice(path.lastIndexOf('/') + 1), mediaType: mediaTypeOf(path) };
    const { sha256, bytes: kept } = await keep(content, as);
    artifacts.push({ ...as, sha256, bytes: kept, source: { kind: 'file', path } });
  }
  const left = files.length - caps.maxFiles;
  if (left > 0) warnings.push(`${left} files over ${caps.maxFiles} were not kept.`);
}
