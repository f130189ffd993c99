import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import type { Snapshot } from './take-snapshot.ts';

/** Byte code of the original project, project-relative. */
export type ByteCode = {
  /** `__pycache__` folders in the snapshot's sealed folder. */
  sealed: ReadonlySet<string>;
  /** Files in the snapshot's open folder, and the source each was made from. */
  open: readonly { file: string; source: string }[];
};

export const noByteCode: ByteCode = { sealed: new Set(), open: [] };

/**
 * Keeps the byte code that Python wrote while the original project was collected, as by hand a second run would find
 * it: without it every run compiles and rewrites every test anew. It goes into the snapshot, beside the sources: that of
 * sealed ones is mounted read-only with them, that of the others is left out where a patch changes the source. Python
 * itself takes it only where the source's time and size are those it was made from.
 */
export function keepByteCode(options: {
  base: Snapshot;
  /** Paths as they were reported, content in base64. */
  received: readonly { file: string; data: string }[];
}): ByteCode {
  const { base, received } = options;
  const [sealed, open] = [new Set(base.sealedFiles), new Set(base.openFiles)];
  const kept = { sealed: new Set<string>(), open: [] as { file: string; source: string }[] };
  for (const { file, data } of received) {
    const source = sourceOf(file);
    if (source === null) continue;
    if (sealed.has(source)) {
      write(path.join(base.sealedDir, file), data);
      kept.sealed.add(path.posix.dirname(file));
    } else if (open.has(source)) {
      write(path.join(base.openDir, file), data);
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

/** In one step: a run that has the folder mounted must never read half a file. */
function write(file: string, data: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const half = `${file}.${randomBytes(4).toString('hex')}`;
  fs.writeFileSync(half, Buffer.from(data, 'base64'), { mode: 0o644 });
  fs.renameSync(half, file);
}
