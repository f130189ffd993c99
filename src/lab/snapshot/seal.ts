import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import type { Snapshot } from './take-snapshot.ts';

/** What the kernel says of a file whose content was known at that moment. */
export type Stamp = { ino: bigint; size: bigint; mtimeNs: bigint; ctimeNs: bigint };
export type Seal = ReadonlyMap<string, Stamp | null>;

/**
 * Stamps the sealed files before a run. They reach the sandbox as read-only mounts, so nothing inside can change what
 * it sees; what is left to prove is that the bytes on the host stayed what they were. The change time cannot be set
 * back by a user, so equal stamps mean equal bytes; where a stamp differs, the hash decides.
 */
export function seal(snapshot: Snapshot, files: readonly string[]): Seal {
  return new Map(files.map((file) => [file, stampOf(snapshot, file)]));
}

/** Sealed files whose bytes are not those of the snapshot. */
export function brokenSeals(snapshot: Snapshot, before: Seal): string[] {
  return [...before].flatMap(([file, stamp]) => {
    const now = stampOf(snapshot, file);
    const same = stamp !== null && now !== null && isEqual(stamp, now);
    return same || hashOf(snapshot, file) === snapshot.hashes.get(file) ? [] : [file];
  });
}

function stampOf({ sealedDir }: Snapshot, file: string): Stamp | null {
  const stats = fs.lstatSync(path.join(sealedDir, file), { bigint: true, throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile()) return null;
  return { ino: stats.ino, size: stats.size, mtimeNs: stats.mtimeNs, ctimeNs: stats.ctimeNs };
}

function isEqual(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
}

function hashOf({ sealedDir }: Snapshot, file: string): string | null {
  try {
    return createHash('sha256')
      .update(fs.readFileSync(path.join(sealedDir, file)))
      .digest('hex');
  } catch {
    return null;
  }
}
