import * as fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { AssayError } from '../../core/index.ts';
import type { Snapshot } from './take-snapshot.ts';
import type { Entry, Walk } from './walk.ts';

/** Below the project's folder, wherever that is. */
const insideSchema = z
  .string()
  .min(1)
  .refine((at) => !path.isAbsolute(at) && !at.split('/').includes('..') && !at.includes('\0'));

const fileSchema = z.object({
  kind: z.literal('file'),
  path: insideSchema,
  bytes: z.number().int().nonnegative(),
  mode: z.number().int(),
  ignored: z.boolean(),
});

const packedSchema = z.object({
  schema: z.literal('assay-snapshot/1'),
  /** The user's project, absolute. */
  dir: z.string(),
  entries: z.array(
    z.discriminatedUnion('kind', [
      fileSchema,
      z.object({ kind: z.literal('link'), path: insideSchema, target: z.string() }),
    ]),
  ),
  folders: z.array(insideSchema),
  environments: z.array(z.object({ path: insideSchema, real: z.string() })),
  warnings: z.array(z.string()),
});

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const newline = 0x0a;

export type Packing = { dir: string; walked: Walk; snapshot: Snapshot };

/**
 * A snapshot as one compressed piece: a line of JSON that lists it, then the bytes of its files in that order, as zstd.
 * Environments are named only.
 */
export async function packSnapshot({ dir, walked, snapshot }: Packing): Promise<Uint8Array> {
  const sealed = new Set(snapshot.sealedFiles);
  const unreadable = new Set(snapshot.unreadable);
  const contents: Buffer[] = [];
  const entries = walked.entries.flatMap((entry): Entry[] => {
    if (entry.kind === 'link') return [entry];
    if (unreadable.has(entry.path)) return [];
    const folder = sealed.has(entry.path) ? snapshot.sealedDir : snapshot.openDir;
    const bytes = fs.readFileSync(path.join(folder, entry.path));
    contents.push(bytes);
    return [{ ...entry, bytes: bytes.length }];
  });
  const { folders, environments, warnings } = walked;
  const listed = { schema: 'assay-snapshot/1', dir, entries, folders, environments, warnings };
  const whole = Buffer.concat([Buffer.from(`${JSON.stringify(listed)}\n`), ...contents]);
  // Text shrinks to a third at the quickest level; the next ones gain a tenth more in longer time.
  return compress(whole, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}

/**
 * Lays what `packSnapshot` made in `into`, links left out, and gives what `walk` gave for `dir`.
 * @throws AssayError `input` for anything else, `environment` where it cannot be written or an environment is gone.
 */
export async function unpackSnapshot(
  packed: Uint8Array,
  into: string,
): Promise<{ dir: string; walked: Walk }> {
  const whole = await decompress(packed).catch(notPacked);
  const end = whole.indexOf(newline);
  const { dir, ...walked } = listedIn(whole.subarray(0, Math.max(0, end)));
  for (const { path: at, real } of walked.environments) {
    if (fs.statSync(real, { throwIfNoEntry: false })?.isDirectory() !== true) throw goneEnvironment(at, real);
  }
  const files = walked.entries.filter((entry) => entry.kind === 'file');
  const length = files.reduce((sum, file) => sum + file.bytes, 0);
  if (whole.length !== end + 1 + length) notPacked('its length is not what it lists');
  try {
    let from = end + 1;
    for (const file of files) {
      const to = path.join(into, file.path);
      fs.mkdirSync(path.dirname(to), { recursive: true });
      fs.writeFileSync(to, whole.subarray(from, from + file.bytes), { mode: 0o600 });
      from += file.bytes;
    }
  } catch (cause) {
    throw notLaid(into, cause);
  }
  return { dir, walked };
}

function listedIn(line: Buffer): Walk & { dir: string } {
  try {
    return packedSchema.parse(JSON.parse(line.toString('utf8')));
  } catch (error) {
    return notPacked(error);
  }
}

function notPacked(cause: unknown): never {
  throw new AssayError({
    code: 'input',
    message: "The run folder's copy of the project cannot be read",
    because: cause instanceof Error ? cause.message : String(cause),
    fix: 'Restore the run folder from a backup, or start a new run',
  });
}

function goneEnvironment(at: string, real: string): AssayError {
  return new AssayError({
    code: 'environment',
    message: `The project's environment ${at} is gone`,
    because: `there is no folder ${real} any more, and environments are used where they are, not copied`,
    fix: `Put it back at ${real}, then resume the run, or start a new one`,
  });
}

function notLaid(into: string, cause: unknown): AssayError {
  return new AssayError({
    code: 'environment',
    message: `The copy of the project cannot be written to ${into}`,
    because: cause instanceof Error ? cause.message : String(cause),
    fix: 'Free some disk space there, or set ASSAY_HOME to a folder that can be written',
    cause,
  });
}
