import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { hashOf } from '../patch/index.ts';

/** Names kept of what has changed: enough to say it. */
const maxNamed = 20;

/**
 * Files of a project that are not what they were, or are gone, at most twenty of them; new files do not count.
 * @param options.files sha256 by path below `dir`
 */
export async function changedFiles(options: {
  dir: string;
  files: Record<string, string>;
}): Promise<string[]> {
  const changed: string[] = [];
  for (const [file, sha256] of Object.entries(options.files)) {
    const bytes = await readFile(path.join(options.dir, file)).catch(() => null);
    if (bytes === null || hashOf(bytes) !== sha256) changed.push(file);
    if (changed.length === maxNamed) break;
  }
  return changed;
}
