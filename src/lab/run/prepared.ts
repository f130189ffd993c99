import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import path from 'node:path';
import type { FileChange } from '../../core/index.ts';
import type { Mount } from '../../sandbox/index.ts';
import type { Selection } from '../frameworks/framework.ts';
import { openedOf } from '../project/opened.ts';
import { brokenSeals, seal } from '../snapshot/seal.ts';
import type { Project } from '../types.ts';
import { emptyFolder, workspaceMounts } from '../workspace/mounts.ts';
import { stage } from '../workspace/stage.ts';

/** A fresh workspace, ready to be mounted into one sandbox. */
export type Prepared = {
  mounts: Mount[];
  selection: Selection;
  /** Held-out files that are not in it. */
  absent: readonly string[];
  /** Protected files whose bytes on the host are not those of the snapshot any more. */
  brokenSeals(): string[];
  dispose(): void;
};

/**
 * Lays out the workspace of one run: the pristine files with `changes` in their place, and of the tests the visible
 * ones, the held-out ones or all.
 */
export function prepare(
  project: Project,
  options: {
    changes: readonly FileChange[];
    tests: 'visible' | 'all' | 'held_out';
    /** Lets Python write byte code beside every source, as by hand; only for the original project. */
    writableByteCode?: boolean;
  },
): Prepared {
  const opened = openedOf(project);
  const { base, scratch } = opened;
  const absent = options.tests === 'visible' ? project.heldOut : [];
  const hidden = new Set(absent);
  const sealed = base.sealedFiles.filter((file) => !hidden.has(file));
  const into = path.join(scratch, 'runs', randomBytes(8).toString('hex'));
  const { open, sealed: sealedByteCode } = opened.byteCode;
  const fill = stage({ snapshot: base, changes: options.changes, byteCode: open, into });
  const byteCode = options.writableByteCode ? 'writable' : sealedByteCode;
  const before = seal(base, sealed);
  return {
    mounts: workspaceMounts(opened, { fill, sealed, empty: emptyFolder(scratch), byteCode }),
    selection: options.tests === 'held_out' ? { kind: 'files', files: project.heldOut } : { kind: 'default' },
    absent,
    brokenSeals: () => brokenSeals(base, before),
    dispose: () => fs.rmSync(into, { recursive: true, force: true }),
  };
}
