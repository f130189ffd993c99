import { isUtf8 } from 'node:buffer';
import * as fs from 'node:fs';
import path from 'node:path';
import type { SourceTree } from '../frameworks/framework.ts';
import type { Snapshot } from '../snapshot/take-snapshot.ts';
import type { Walk } from '../snapshot/walk.ts';

/** The user's folder `dir`, read at `from`, as it was listed: only to find out what is to be sealed; from then on the snapshot is read. */
export function listedTree(options: { dir: string; from: string; walked: Walk }): SourceTree {
  const { dir, from, walked } = options;
  const files = walked.entries.flatMap((entry) => (entry.kind === 'file' ? [entry.path] : []));
  const { environments } = walked;
  return treeOf({ dir, files, environments, locate: (file) => path.join(from, file) });
}

/** The files of a snapshot. `dir`: the project's folder, which is not read any more. */
export function snapshotTree(
  dir: string,
  snapshot: Snapshot,
  environments: readonly { path: string }[],
): SourceTree {
  const sealed = new Set(snapshot.sealedFiles);
  const files = [...snapshot.openFiles, ...snapshot.sealedFiles].sort();
  const locate = (file: string) => path.join(sealed.has(file) ? snapshot.sealedDir : snapshot.openDir, file);
  return treeOf({ dir, files, environments, locate });
}

const maxTextBytes = 1024 * 1024;

function treeOf(options: {
  dir: string;
  files: readonly string[];
  environments: readonly { path: string }[];
  locate: (file: string) => string;
}): SourceTree {
  const known = new Set(options.files);
  return {
    dir: options.dir,
    files: options.files,
    environments: options.environments.map((environment) => environment.path),
    text: (file) => (known.has(file) ? textOf(options.locate(file)) : null),
  };
}

function textOf(file: string): string | null {
  try {
    if (fs.statSync(file).size > maxTextBytes) return null;
    const bytes = fs.readFileSync(file);
    return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : null;
  } catch {
    return null;
  }
}
