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

type Tests = 'visible' | 'all' | 'held_out';

/**
 * Lays out the workspace of one run: the pristine files with `changes` in their place, and of the tests the visible
 * ones, the held-out ones or all, mounted out of reach.
 */
export function prepare(
  project: Project,
  options: { changes: readonly FileChange[]; tests: Tests },
): Prepared {
  const { opened, absent, sealed, into, common } = layOut(project, options.tests);
  const { base, byteCode } = opened;
  const fill = stage({ snapshot: base, changes: options.changes, byteCode: byteCode.open, sealed: [], into });
  const before = seal(base, sealed);
  const empty = emptyFolder(opened.scratch);
  return {
    ...common,
    absent,
    mounts: workspaceMounts(opened, { fill, sealed, empty, byteCode: byteCode.sealed }),
    brokenSeals: () => brokenSeals(base, before),
  };
}

/**
 * The same for the original project, which nothing needs to be protected from: everything is writable, so that Python
 * leaves its byte code beside the sources, as by hand.
 */
export function prepareOriginal(project: Project, tests: Tests): Omit<Prepared, 'brokenSeals'> {
  const { opened, absent, sealed, into, common } = layOut(project, tests);
  const fill = stage({ snapshot: opened.base, changes: [], byteCode: [], sealed, into });
  const empty = emptyFolder(opened.scratch);
  return { ...common, absent, mounts: workspaceMounts(opened, { fill, sealed: [], empty }) };
}

function layOut(project: Project, tests: Tests) {
  const opened = openedOf(project);
  const absent = tests === 'visible' ? project.heldOut : [];
  const hidden = new Set(absent);
  const into = path.join(opened.scratch, 'runs', randomBytes(8).toString('hex'));
  const selection: Selection =
    tests === 'held_out' ? { kind: 'files', files: project.heldOut } : { kind: 'default' };
  const dispose = () => fs.rmSync(into, { recursive: true, force: true });
  return {
    opened,
    absent,
    into,
    sealed: opened.base.sealedFiles.filter((file) => !hidden.has(file)),
    common: { selection, dispose },
  };
}
