import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { AssayError } from '../core/index.ts';
import { writeAtomic } from './atomic.ts';
import { errnoOf } from './disk-error.ts';

/** A captured output or file, named by the sha256 of the bytes kept for it. */
export const artifactSchema = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.number().int().nonnegative(),
  /** What a reader would call it, e.g. `round-2-stdout.txt`. No path. */
  name: z.string(),
  mediaType: z.string(),
});
export type Artifact = z.infer<typeof artifactSchema>;

const fileOf = (folder: string, sha256: string): string => path.join(folder, sha256);

/** Keeps the bytes under their sha256, written whole or not at all; the same bytes again are no second file. */
export async function storeArtifact(
  folder: string,
  bytes: Uint8Array,
  { name, mediaType }: { name: string; mediaType: string },
): Promise<Artifact> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const file = fileOf(folder, sha256);
  if (!existsSync(file)) await writeAtomic(file, bytes);
  return { sha256, bytes: bytes.length, name, mediaType };
}

/** Throws an AssayError `input` where the artifact is not there or no longer what its name says. */
export async function loadArtifact(folder: string, sha256: string): Promise<Buffer> {
  const bad = (because: string) =>
    new AssayError({
      code: 'input',
      message: `Artifact ${sha256} cannot be read`,
      because,
      fix: 'Restore the run folder from a backup; what refers to the artifact cannot be verified without it.',
    });
  if (!artifactSchema.shape.sha256.safeParse(sha256).success)
    throw bad('it is no sha256 in hexadecimal digits');
  try {
    const bytes = await readFile(fileOf(folder, sha256));
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw bad('its content was changed');
    return bytes;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw bad('it is not in the run folder');
    throw error;
  }
}
