import type { createSandbox, Toolchain } from '../../sandbox/index.ts';
import type { Framework, SourceTree, TestCommand } from '../frameworks/framework.ts';
import type { ByteCode } from '../snapshot/byte-code.ts';
import type { Snapshot } from '../snapshot/take-snapshot.ts';
import type { Walk } from '../snapshot/walk.ts';
import type { Project } from '../types.ts';

/** What the rest of the lab needs of a project beside its public face. */
export type Opened = {
  framework: Framework;
  command: TestCommand | null;
  toolchain: Toolchain;
  /** Held-out tests included. */
  tree: SourceTree;
  /** What runs are laid from: the snapshot of the user's files, or of what the set-up command made of them. */
  base: Snapshot;
  environments: readonly { path: string; real: string }[];
  /** The user's files as they were listed and copied, before any set-up command. */
  origin: { walked: Walk; snapshot: Snapshot };
  /** Folder of the caller for this run's files. */
  scratch: string;
  /** The framework's runner files, mounted in every run. */
  injectDir: string;
  strict: boolean;
  /** Set by a collection of the original project; the only part of this that changes. */
  byteCode: ByteCode;
  /** Found out once what the machine offers; runs of this project share it. */
  sandbox: ReturnType<typeof createSandbox>;
};

const opened: unique symbol = Symbol('assay.lab.opened');

export type OpenedProject = Project & { readonly [opened]: Opened };

/** Hides the inner side in a project; `openedOf` finds it again. */
export function withOpened(project: Project, inner: Opened): OpenedProject {
  return Object.assign(project, { [opened]: inner });
}

/** Throws for a project that `openProject` did not make: that is a bug of the caller. */
export function openedOf(project: Project): Opened {
  if (!(opened in project)) throw new TypeError('the project was not made by openProject');
  return (project as OpenedProject)[opened];
}
