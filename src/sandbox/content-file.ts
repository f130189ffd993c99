import { closeSync, constants, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAgain, openNameless } from './nameless.ts';

/**
 * A descriptor to read `bytes` from, of a file without a name.
 *
 * @param options.folder path of a folder that does not exist yet, in one that only this user may enter
 */
export function openContent({ bytes, folder }: { bytes: string | Uint8Array; folder: string }): number {
  mkdirSync(folder, { mode: 0o700 });
  try {
    const path = join(folder, 'content');
    // Readable by all, as the code may have another uid and open its standard input again.
    writeFileSync(path, bytes, { mode: 0o444 });
    return openNameless(path, constants.O_RDONLY);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Keeps the files that every run needs again: the filter, and the made-up files of the uids in use. */
export class ContentCache {
  readonly #newFolder: () => string;
  readonly #kept = new Map<string | Uint8Array, number>();

  constructor(options: { newFolder: () => string }) {
    this.#newFolder = options.newFolder;
  }

  /** A new descriptor for content that is the same string, or the same object. */
  open(content: string | Uint8Array): number {
    let kept = this.#kept.get(content);
    if (kept === undefined) {
      kept = openContent({ bytes: content, folder: this.#newFolder() });
      this.#kept.set(content, kept);
    }
    return openAgain(kept, constants.O_RDONLY);
  }

  close(): void {
    for (const fd of this.#kept.values()) closeSync(fd);
    this.#kept.clear();
  }
}
