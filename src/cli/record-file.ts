import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AssayError } from '../core/index.ts';

export type RecordingFile = {
  /**
   * Makes the file, which must be new.
   * @throws AssayError `usage` where it exists or cannot be made.
   */
  make(): void;
  /** Adds a line. */
  write(line: string): void;
};

/** A new file for `--model replay:FILE`, as given to `--record`. Nothing is made yet. */
export function openRecording(cwd: string, file: string): RecordingFile {
  const target = path.resolve(cwd, file);
  return {
    make() {
      try {
        writeFileSync(target, '', { flag: 'wx', mode: 0o600 });
      } catch (cause) {
        throw new AssayError({
          code: 'usage',
          message: `The recording ${target} cannot be made.`,
          because: cause instanceof Error ? cause.message : String(cause),
          fix: 'name a file that does not exist yet, in a folder you may write to',
          cause,
        });
      }
    },
    write: (line) => appendFileSync(target, line),
  };
}
