import * as fs from 'node:fs';
import path from 'node:path';
import { AssayError, type FileChange } from '../../core/index.ts';
import type { ByteCode } from '../snapshot/byte-code.ts';
import type { Snapshot } from '../snapshot/take-snapshot.ts';
import { foldersAbove } from './mounts.ts';

/**
 * The folder a run's workspace is filled from. With nothing to add it is the snapshot itself; else a tree of hard links to
 * it with the changed files in their place: a run reads it and never writes to it, and no run sees another's files.
 * @throws AssayError `environment` where the tree cannot be written.
 */
export function stage(options: {
  snapshot: Snapshot;
  changes: readonly FileChange[];
  /** Byte code in the snapshot's open folder. */
  byteCode: ByteCode['open'];
  /** Sealed files to be laid as plain ones. */
  sealed: readonly string[];
  /** A folder that does not exist yet. */
  into: string;
}): string {
  const { snapshot, changes, into, byteCode, sealed } = options;
  if (changes.length === 0 && sealed.length === 0) return snapshot.openDir;
  const changed = new Set(changes.map((change) => change.path));
  try {
    fs.mkdirSync(into, { recursive: true });
    const kept = [
      ...snapshot.openFiles.filter((file) => !changed.has(file)),
      ...byteCode.flatMap(({ file, source }) => (changed.has(source) ? [] : [file])),
    ];
    const written = changes.flatMap((change) => (change.after === null ? [] : [change]));
    const all = [...kept, ...sealed, ...snapshot.links, ...written.map((change) => change.path)];
    const folders = new Set([...foldersAbove(all), ...snapshot.folders]);
    for (const folder of folders) fs.mkdirSync(path.join(into, folder), { recursive: true });
    for (const file of kept) link(path.join(snapshot.openDir, file), path.join(into, file));
    for (const file of sealed) link(path.join(snapshot.sealedDir, file), path.join(into, file));
    for (const at of snapshot.links) {
      fs.symlinkSync(fs.readlinkSync(path.join(snapshot.openDir, at)), path.join(into, at));
    }
    for (const { path: file, after, mode } of written) {
      fs.writeFileSync(path.join(into, file), after ?? '', { mode: mode | 0o444 });
      fs.chmodSync(path.join(into, file), mode | 0o444);
    }
  } catch (error) {
    throw new AssayError({
      code: 'environment',
      message: `The patched files cannot be written to ${into}`,
      because: error instanceof Error ? error.message : String(error),
      fix: 'Free some disk space there, or set ASSAY_HOME (for the lab: TMPDIR) to a folder that can be written',
      cause: error,
    });
  }
  return into;
}

function link(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch {
    // A file system without hard links, or a file with too many of them.
    fs.copyFileSync(from, to);
  }
}
