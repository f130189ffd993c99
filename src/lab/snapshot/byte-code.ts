import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import type { Snapshot } from './take-snapshot.ts';

/** Byte code of the original project, project-relative. */
export type ByteCode = {
  /** Host folders to mount over a `__pycache__`, by its path. */
  sealed: ReadonlyMap<string, string>;
  /** Files in the snapshot's open folder, and the source each was made from. */
  open: readonly { file: string; source: string }[];
};

export const noByteCode: ByteCode = { sealed: new Map(), open: [] };

/**
 * Keeps the byte code that Python wrote while the original project was collected, as by hand a second run would find
 * it: without it every run compiles and rewrites every test anew. For sealed sources it goes into folders that are
 * mounted read-only beside them; for the others into the snapshot, where a patch of the source leaves it out. Python
 * itself takes it only where the source's time and size are those it was made from.
 */
export function keepByteCode(options: {
  base: Snapshot;
  /** Gets a folder for the sealed part, a new one each time: runs may still have an older one mounted. */
  scratch: string;
  /** Paths as they were reported, content in base64. */
  received: readonly { file: string; data: string }[];
}): ByteCode {
  const { base: snapshot, scratch, received } = options;
  const into = path.join(scratch, 'byte-code', randomBytes(8).toString('hex'));
  const [sealed, open] = [new Set(snapshot.sealedFiles), new Set(snapshot.openFiles)];
  const kept = { sealed: new Map<string, string>(), open: [] as { file: string; source: string }[] };
  for (const { file, data } of received) {
    const source = sourceOf(file);
    if (source === null) continue;
    if (sealed.has(source)) {
      write(path.join(into, file), data);
      kept.sealed.set(path.posix.dirname(file), path.join(into, path.dirname(file)));
    } else if (open.has(source)) {
      write(path.join(snapshot.openDir, file), data);
      kept.open.push({ file, source });
    }
  }
  return kept;
}

/** Byte code of the runner's own files, reported under the folder where they are mounted: laid beside them on the host. */
export function keepRunnerByteCode(options: {
  injectDir: string;
  injected: string;
  received: readonly { file: string; data: string }[];
}): void {
  const { injectDir, injected, received } = options;
  for (const { file, data } of received) {
    if (!file.startsWith(`${injected}/`)) continue;
    const inside = file.slice(injected.length + 1);
    const source = sourceOf(inside);
    if (source !== null && !source.includes('/') && fs.existsSync(path.join(injectDir, source))) {
      write(path.join(injectDir, inside), data);
    }
  }
}

/** `pkg/__pycache__/a.cpython-311.pyc` was made from `pkg/a.py`. Null for any other kind of path. */
function sourceOf(file: string): string | null {
  const match = /^(?:([^\0]+)\/)?__pycache__\/([^/.\0]+)\.[^/\0]+\.pyc$/.exec(file);
  if (match === null || path.posix.normalize(file) !== file || file.startsWith('../')) return null;
  return path.posix.join(match[1] ?? '', `${match[2]}.py`);
}

function write(file: string, data: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, Buffer.from(data, 'base64'), { mode: 0o644 });
}
