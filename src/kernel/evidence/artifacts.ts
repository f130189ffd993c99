import { stripVTControlCharacters } from 'node:util';
import {
  AssayError,
  type CellArtifact,
  type CellResult,
  type Figure,
  type KernelFile,
  type MimeBundle,
  type Output,
} from '../../core/index.ts';
import {
  type Artifact,
  asArtifactRef,
  bytesOfData,
  isBinaryType,
  isJsonType,
  textOfData,
} from '../../store/index.ts';
import type { KernelFiles } from '../types.ts';
import { extensionOf, mediaTypeOf } from './media-types.ts';

/** Keeps bytes under their sha256, as a run's `artifact` does. */
export type Keep = (data: Uint8Array | string, as: { name: string; mediaType: string }) => Promise<Artifact>;

export type ArtifactOptions = {
  keep: Keep;
  /** The cell's number in its run, for names. */
  cell: number;
  /** What is known of the figures: their titles become names. */
  figures?: readonly Figure[];
  /** Characters of a text that stay in the result; a longer one is cut to head and tail. Default 20,000. */
  maxText?: number;
  /** Characters of a MIME type's data, not an image, that stay in the result. Default 20,000. */
  maxData?: number;
};

/** A result as the journal holds it, and what was kept of it. */
export type Kept = { result: CellResult; artifacts: CellArtifact[] };

/**
 * Keeps every image, table, error and long text of a result as an artifact. In the result that comes back an image, and
 * other data that is large, is an `ArtifactRef`, and a long text is cut; tables and errors stay as they are.
 */
export async function artifactsOf(result: CellResult, options: ArtifactOptions): Promise<Kept> {
  const artifacts: CellArtifact[] = [];
  const outputs: Output[] = [];
  for (const [index, output] of result.outputs.entries())
    outputs.push(await keepOutput(output, { ...options, index, artifacts }));
  return { result: { ...result, outputs }, artifacts };
}

type Place = ArtifactOptions & { index: number; artifacts: CellArtifact[] };

async function keepOutput(output: Output, place: Place): Promise<Output> {
  switch (output.output_type) {
    case 'stream':
      return { ...output, text: await keepText(output.text, output.name, place) };
    case 'error': {
      const text =
        stripVTControlCharacters(output.traceback.join('\n')) || `${output.ename}: ${output.evalue}`;
      await keep({ data: text, title: `error-${output.ename}`, mediaType: 'text/plain', place });
      return output;
    }
    case 'display_data':
    case 'execute_result':
      return { ...output, data: await keepBundle(output.data, place) };
  }
}

async function keepText(text: string, title: string, place: Place): Promise<string> {
  const max = place.maxText ?? 20_000;
  if (text.length <= max) return text;
  const artifact = await keep({ data: text, title, mediaType: 'text/plain', place });
  const half = Math.floor(max / 2);
  const leftOut = text.length - 2 * half;
  const gap = `[... ${leftOut} characters left out; the whole is the artifact ${artifact.name} ...]`;
  return `${text.slice(0, half).toWellFormed()}\n${gap}\n${text.slice(-half).toWellFormed()}`;
}

async function keepBundle(data: MimeBundle, place: Place): Promise<MimeBundle> {
  const kept: MimeBundle = {};
  for (const [mediaType, value] of Object.entries(data)) {
    if (!isBinaryType(mediaType) && !isKept(mediaType, value, place)) {
      kept[mediaType] = value;
      continue;
    }
    if (mediaType === 'text/plain') {
      kept[mediaType] = await keepText(textOfData(value), 'value', place);
      continue;
    }
    const bytes = bytesOfData(mediaType, value);
    const artifact = await keep({ data: bytes, title: titleOf(mediaType, value, place), mediaType, place });
    const stays = isTable(mediaType, value) && !isLarge(mediaType, value, place);
    kept[mediaType] = stays ? value : { artifact: artifact.sha256 };
  }
  return kept;
}

function isKept(mediaType: string, value: unknown, place: Place): boolean {
  if (mediaType.startsWith('image/') || isTable(mediaType, value)) return true;
  // Data that looks like the sign of an artifact must not be taken for one.
  return isLarge(mediaType, value, place) || asArtifactRef(value) !== null;
}

function isLarge(mediaType: string, value: unknown, place: Place): boolean {
  const max = mediaType === 'text/plain' ? (place.maxText ?? 20_000) : (place.maxData ?? 20_000);
  const text = isJsonType(mediaType) ? (JSON.stringify(value) ?? '') : textOfData(value);
  return text.length > max;
}

function isTable(mediaType: string, value: unknown): boolean {
  return mediaType === 'text/html' && /<table[\s>]/i.test(textOfData(value));
}

function titleOf(mediaType: string, value: unknown, { figures = [], index }: Place): string {
  if (isTable(mediaType, value)) return 'table';
  const figure = figures.find(({ output }) => output === index);
  if (figure === undefined) return mediaType.startsWith('image/') ? 'figure' : 'output';
  const titles = [figure.title, ...figure.axes.map(({ title }) => title)];
  return titles.find((title) => title !== '') ?? 'figure';
}

async function keep(options: {
  data: Uint8Array | string;
  title: string;
  mediaType: string;
  place: Place;
}): Promise<CellArtifact> {
  const { data, title, mediaType, place } = options;
  const stem = `cell-${place.cell}-${slug(title)}`;
  const name = free(stem, extensionOf(mediaType), place.artifacts);
  const { sha256, bytes } = await place.keep(data, { name, mediaType });
  const source = { kind: 'output', output: place.index, mediaType } as const;
  const artifact = { sha256, name, mediaType, bytes, source };
  place.artifacts.push(artifact);
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

/**
 * Keeps the files that a cell created or changed; those that are too large are named in the warnings instead.
 *
 * @param options.maxBytes of one file that is kept, default 64 MiB
 */
export async function artifactsOfFiles(
  changed: readonly KernelFile[],
  options: { files: KernelFiles; keep: Keep; maxBytes?: number },
): Promise<{ artifacts: CellArtifact[]; warnings: string[] }> {
  const { files, maxBytes = 64 * 2 ** 20 } = options;
  const artifacts: CellArtifact[] = [];
  const warnings: string[] = [];
  for (const { path, bytes } of changed) {
    if (bytes > maxBytes) {
      warnings.push(
        `${path} has ${Math.round(bytes / 2 ** 20)} MiB, too much to be kept in the run's folder.`,
      );
      continue;
    }
    const content = await readOrWarn(files, path, warnings);
    if (content === null || content.length > maxBytes) continue;
    const mediaType = mediaTypeOf(path);
    const name = path.slice(path.lastIndexOf('/') + 1);
    const kept = await options.keep(content, { name, mediaType });
    artifacts.push({ ...kept, source: { kind: 'file', path } });
  }
  return { artifacts, warnings };
}

async function readOrWarn(files: KernelFiles, path: string, warnings: string[]): Promise<Uint8Array | null> {
  try {
    return await files.read(path);
  } catch (error) {
    if (!AssayError.is(error)) throw error;
    warnings.push(`${path} could not be kept: ${error.message}`);
    return null;
  }
}
