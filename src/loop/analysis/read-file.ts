import type { Kernel } from '../../kernel/index.ts';
import { bytesText } from './listings.ts';
import type { AnalysisState } from './state.ts';

export type ReadOptions = {
  path: string;
  /** The first line, from 1. */
  from: number;
  state: AnalysisState;
  kernel: Pick<Kernel, 'files'>;
  readArtifact: (sha256: string) => Promise<Buffer>;
};

const maxChars = 14_000;
const artifactPrefix = 'artifact:';
/** A larger file is no text to be read a page at a time, and would have to be held in memory. */
const maxBytes = 64 * 1024 * 1024;

/** A text file, or an artifact by its name, from one line on; what cannot be shown is said in words. */
export async function readForModel(options: ReadOptions): Promise<string> {
  const { path, from } = options;
  const large = await sizeOverAll(options);
  if (large !== null)
    return `${JSON.stringify(path)} is too large to be shown: ${bytesText(large)}. Read a part of it with code.`;
  const bytes = await bytesOf(options);
  if (bytes === null)
    return `There is no file ${JSON.stringify(path)}. list_artifacts names those that there are.`;
  const text = decoded(bytes);
  if (text === null)
    return `${JSON.stringify(path)} is no text: ${bytesText(bytes.length)}. Read it with code.`;
  const lines = text.split('\n');
  if (from > lines.length) return `The file has only ${lines.length} lines.`;
  const shown: string[] = [];
  let room = maxChars;
  for (const line of lines.slice(from - 1)) {
    if (line.length + 1 > room) break;
    room -= line.length + 1;
    shown.push(line);
  }
  // A single line may be longer than everything that is shown.
  if (shown.length === 0) shown.push(`${(lines[from - 1] ?? '').slice(0, maxChars).toWellFormed()} [...]`);
  const last = from - 1 + shown.length;
  const more =
    last < lines.length
      ? `\n[lines ${from} to ${last} of ${lines.length}; go on with from: ${last + 1}]`
      : '';
  return `${shown.join('\n')}${more}`;
}

/** The size of a file that is too large, where that can be known without reading it. */
async function sizeOverAll({ path, kernel }: ReadOptions): Promise<number | null> {
  if (path.startsWith(artifactPrefix) || kernel.files.stat === undefined) return null;
  const found = (await kernel.files.stat()).find((file) => file.path === plainPath(path));
  return found !== undefined && found.bytes > maxBytes ? found.bytes : null;
}

const plainPath = (path: string): string => path.replace(/^(?:\.\/)+/, '');

async function bytesOf({ path, state, kernel, readArtifact }: ReadOptions): Promise<Uint8Array | null> {
  if (path.startsWith(artifactPrefix)) {
    const name = path.slice(artifactPrefix.length);
    const found = state.cells
      .flatMap(({ artifacts }) => artifacts)
      .findLast((artifact) => artifact.name === name);
    return found === undefined ? null : readArtifact(found.sha256);
  }
  return kernel.files.read(plainPath(path));
}

function decoded(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
