import { constants, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openNameless } from './nameless.ts';

/**
 * A descriptor to read `bytes` from, for the standard input of a command. A file and not a pipe: it can be opened again
 * by the name /dev/stdin, and a command that reads slowly or not at all holds nobody up.
 *
 * @param options.folder path of a folder that does not exist yet, in one that only this user may enter
 */
export function openInputFile({ bytes, folder }: { bytes: Uint8Array; folder: string }): number {
  mkdirSync(folder, { mode: 0o700 });
  try {
    const path = join(folder, 'stdin');
    // Readable by all, as the code may have another uid.
    writeFileSync(path, bytes, { mode: 0o444 });
    return openNameless(path, constants.O_RDONLY);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
