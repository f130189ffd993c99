import * as fs from 'node:fs';
import path from 'node:path';
import type { Snapshot } from '../snapshot/take-snapshot.ts';
import type { Entry } from '../snapshot/walk.ts';
import type { Project } from '../types.ts';

/** What a proposer may see of a snapshot: no held-out test, no link, nothing that an ignore rule hides. */
export function face(options: {
  entries: readonly Entry[];
  snapshot: Snapshot;
  isHeldOut: (file: string) => boolean;
}): Pick<Project, 'files' | 'heldOut' | 'read' | 'mode'> {
  const { entries, snapshot, isHeldOut } = options;
  const hidden = new Set(
    entries.flatMap((entry) => (entry.kind === 'file' && entry.ignored ? [entry.path] : [])),
  );
  const all = [...snapshot.openFiles, ...snapshot.sealedFiles].sort();
  const files = all.filter((file) => !isHeldOut(file) && !hidden.has(file));
  const visible = new Set(files);
  const sealed = new Set(snapshot.sealedFiles);
  const check = (file: string) => {
    if (!visible.has(file)) throw new RangeError(`${file} is not a file of the project`);
  };
  return {
    files,
    heldOut: all.filter(isHeldOut),
    read(file) {
      check(file);
      return fs.readFileSync(path.join(sealed.has(file) ? snapshot.sealedDir : snapshot.openDir, file));
    },
    mode(file) {
      check(file);
      return snapshot.modes.get(file) ?? 0o644;
    },
  };
}
